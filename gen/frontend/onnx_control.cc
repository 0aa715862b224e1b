// If, Loop and Scan.
#include "frontend/onnx_control.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {
namespace {

using namespace tenon_onnx;

/// The loops and branches of one node.
class ControlMapping {
 public:
  ControlMapping(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs, const OnnxBodyReader& reader)
      : context_(context), builder_(context.builder), node_(node), inputs_(inputs), reader_(reader) {}

  std::vector<ValueId> run() {
    std::vector<ValueId> results = node_.op_type() == "If" ? branches() : node_.op_type() == "Loop" ? loop() : scan();
    const size_t named = static_cast<size_t>(node_.output_size());
    if (results.empty()) return std::vector<ValueId>(named, kNoValue);
    if (results.size() < named) throw OnnxError{Code::E0806, fmt::format("it has {} outputs, not {}", results.size(), named), {}};
    results.resize(named);
    return results;
  }

 private:
  /// Regions that are not closed are given up when an error leaves their scope.
  struct Guard {
    GraphBuilder& builder;
    RegionId region;
    bool done = false;
    ~Guard() {
      if (!done) builder.abandon(region);
    }
  };

  const AttributeProto* attribute(const std::string& name) const {
    for (const AttributeProto& a : node_.attribute())
      if (a.name() == name) return &a;
    return nullptr;
  }

  const GraphProto& graph(const std::string& name) const {
    const AttributeProto* a = attribute(name);
    if (!a || !a->has_g()) throw OnnxError{Code::E0806, fmt::format("the attribute '{}' is missing", name), {}};
    return a->g();
  }

  std::vector<int64_t> integers(const std::string& name, size_t count) const {
    std::vector<int64_t> list;
    if (const AttributeProto* a = attribute(name)) list.assign(a->ints().begin(), a->ints().end());
    if (list.size() > count) throw OnnxError{Code::E0806, fmt::format("the attribute '{}' has {} elements, not {}", name, list.size(), count), {}};
    list.resize(count, 0);
    return list;
  }

  static bool sound(const std::vector<ValueId>& ids) {
    return std::all_of(ids.begin(), ids.end(), [](ValueId v) { return v >= 0; });
  }

  ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kNoValue; }
  std::vector<ValueId> inputs_from(size_t i) const { return {inputs_.begin() + static_cast<std::ptrdiff_t>(std::min(i, inputs_.size())), inputs_.end()}; }

  std::optional<SizeExpr> number(ValueId id) const {
    const auto elements = builder_.numbers(id);
    return elements && elements->size() == 1 ? std::optional((*elements)[0]) : std::nullopt;
  }

  std::vector<ValueId> branches() {
    if (inputs_.size() != 1) throw OnnxError{Code::E0806, "it has one input", {}};
    const std::optional<SizeExpr> known = number(inputs_[0]);
    if (known && known->is_constant()) return reader_.read(graph(known->is(0) ? "else_branch" : "then_branch"), {});
    const std::vector<ValueId> made = branch(true, {});
    return made.empty() ? made : branch(false, made);
  }

  std::vector<ValueId> branch(bool holds, const std::vector<ValueId>& results) {
    const GraphProto& body = graph(holds ? "then_branch" : "else_branch");
    Guard guard{builder_, builder_.begin_branch(inputs_[0], holds)};
    const std::vector<ValueId> made = reader_.read(body, {});
    if (!sound(made)) return {};
    if (!results.empty() && made.size() != results.size()) throw OnnxError{Code::E0806, "its branches have different numbers of outputs", {}};
    const std::vector<ValueId> outside = builder_.end_branch(guard.region, made, results);
    guard.done = true;
    return outside;
  }

  /// Iterations where they are known before run time, or the extent that the file states for an output that has one element an iteration.
  SizeExpr loop_trip(size_t carried) {
    const std::optional<SizeExpr> known = input(0) == kNoValue ? std::nullopt : number(input(0));
    if (input(1) != kNoValue && number(input(1)) && number(input(1))->is(0)) return 0;
    if (known && !(known->is_constant() && known->value >= kUnboundedTrip)) return known->is_constant() ? SizeExpr(std::max<int64_t>(known->value, 0)) : *known;
    int64_t stated = 0;
    bool parts = false;
    for (int i = static_cast<int>(carried); i < node_.output_size(); ++i) {
      if (node_.output(i).empty()) continue;
      parts = true;
      stated = std::max(stated, reader_.declared_extent(node_.output(i)));
    }
    if (!parts) return kUnboundedTrip;
    if (stated > 0) return stated;
    throw OnnxError{Code::E0808, "the number of its iterations is told at run time, and so is the extent of its outputs", {"a file that states the extent of the output bounds it"}};
  }

  std::vector<ValueId> loop() {
    const GraphProto& body = graph("body");
    const std::vector<ValueId> initial = inputs_from(2);
    const SizeExpr trip = loop_trip(initial.size());
    Guard guard{builder_, builder_.begin_loop(trip)};
    const bool asked = input(0) != kNoValue && !number(input(0)), guarded = input(1) != kNoValue && !number(input(1));
    builder_.set_bounds(guard.region, asked ? input(0) : kNoValue, guarded ? input(1) : kNoValue);
    // An iteration that runs has been allowed to: inside, the condition holds.
    std::vector<ValueId> inside{builder_.add_numbers(DType::I64, {}, {builder_.counter(guard.region)}), builder_.add_numbers(DType::Bool, {}, {1})};
    for (const ValueId v : initial) inside.push_back(builder_.carry(guard.region, v));
    const std::vector<ValueId> made = reader_.read(body, inside);
    if (!sound(made)) return {};
    if (made.size() < initial.size() + 1) throw OnnxError{Code::E0806, "its body hands on fewer values than it is given", {}};
    GraphBuilder::LoopEnd end;
    const std::optional<SizeExpr> goes_on = number(made[0]);
    if (!goes_on || goes_on->is(0)) end.continues = made[0];
    end.next.assign(made.begin() + 1, made.begin() + 1 + static_cast<std::ptrdiff_t>(initial.size()));
    for (size_t i = initial.size() + 1; i < made.size(); ++i) end.parts.emplace_back(made[i], false);
    const std::vector<ValueId> results = builder_.end_loop(guard.region, end);
    guard.done = true;
    return results;
  }

  /// The axis in front, or from there to its place.
  ValueId moved_axis(ValueId id, int64_t axis, bool to_front) {
    const int64_t rank = static_cast<int64_t>(builder_.value(id).dims.size());
    const int64_t a = axis < 0 ? axis + rank : axis;
    if (a < 0 || a >= rank) throw OnnxError{Code::E0806, fmt::format("a tensor of {} dimensions has no axis {}", rank, axis), {}};
    if (a == 0) return id;
    std::vector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i) perm.push_back(to_front ? (i == 0 ? a : i <= a ? i - 1 : i) : (i < a ? i + 1 : i == a ? 0 : i));
    return builder_.add_node("transpose", {id}, {{"perm", perm}}, 1)[0];
  }

  struct ScanPlan {
    size_t states = 0;
    std::vector<int64_t> reversed, reversed_out;
  };

  /// One loop along axis 0 of all of `sequences`.
  std::vector<ValueId> scan_once(const ScanPlan& plan, const std::vector<ValueId>& states, const std::vector<ValueId>& sequences) {
    const GraphProto& body = graph("body");
    const std::vector<SizeExpr>& dims = builder_.value(sequences[0]).dims;
    if (dims.empty()) throw OnnxError{Code::E0806, "a scalar has no axis to go along", {}};
    Guard guard{builder_, builder_.begin_loop(dims[0])};
    std::vector<ValueId> inside;
    for (const ValueId v : states) inside.push_back(builder_.carry(guard.region, v));
    for (size_t i = 0; i < sequences.size(); ++i) inside.push_back(builder_.read_slice(guard.region, sequences[i], plan.reversed[i] != 0));
    const std::vector<ValueId> made = reader_.read(body, inside);
    if (!sound(made)) return {};
    if (made.size() < states.size()) throw OnnxError{Code::E0806, "its body hands on fewer values than it is given", {}};
    GraphBuilder::LoopEnd end;
    for (size_t i = 0; i < made.size(); ++i) {
      if (i < states.size()) end.next.push_back(made[i]);
      else end.parts.emplace_back(made[i], plan.reversed_out[i - states.size()] != 0);
    }
    const std::vector<ValueId> results = builder_.end_loop(guard.region, end);
    guard.done = true;
    return results;
  }

  std::vector<ValueId> scan() {
    const auto opset = context_.opsets.find("");
    const bool batched = opset != context_.opsets.end() && opset->second < 9;
    const AttributeProto* n = attribute("num_scan_inputs");
    std::vector<ValueId> all = inputs_from(batched ? 1 : 0);
    if (!n || n->i() < 1 || n->i() > static_cast<int64_t>(all.size())) throw OnnxError{Code::E0806, "the attribute 'num_scan_inputs' does not fit", {}};
    const size_t sequences = static_cast<size_t>(n->i());
    ScanPlan plan;
    plan.states = all.size() - sequences;
    const size_t outputs = static_cast<size_t>(std::max(graph("body").output_size() - static_cast<int>(plan.states), 0));
    plan.reversed = integers(batched ? "directions" : "scan_input_directions", sequences);
    plan.reversed_out = integers("scan_output_directions", outputs);
    const std::vector<ValueId> states(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(plan.states));
    std::vector<ValueId> parts(all.begin() + static_cast<std::ptrdiff_t>(plan.states), all.end());
    if (batched) return scan_batch(plan, states, parts);
    const std::vector<int64_t> axes = integers("scan_input_axes", sequences), axes_out = integers("scan_output_axes", outputs);
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = moved_axis(parts[i], axes[i], true);
    std::vector<ValueId> results = scan_once(plan, states, parts);
    for (size_t i = plan.states; i < results.size(); ++i) results[i] = moved_axis(results[i], axes_out[i - plan.states], false);
    return results;
  }

  /// As opset 8 has it: a loop over the batch around the loop over the sequence.
  std::vector<ValueId> scan_batch(const ScanPlan& plan, const std::vector<ValueId>& states, const std::vector<ValueId>& sequences) {
    if (input(0) != kNoValue) throw OnnxError{Code::E0802, "Scan of opset 8 on sequences of different lengths is not supported", {}};
    const std::vector<SizeExpr>& dims = builder_.value(sequences[0]).dims;
    if (dims.empty()) throw OnnxError{Code::E0806, "a scalar has no batch", {}};
    Guard guard{builder_, builder_.begin_loop(dims[0])};
    std::vector<ValueId> inner_states, inner_sequences;
    for (const ValueId v : states) inner_states.push_back(builder_.read_slice(guard.region, v, false));
    for (const ValueId v : sequences) inner_sequences.push_back(builder_.read_slice(guard.region, v, false));
    GraphBuilder::LoopEnd end;
    const std::vector<ValueId> made = scan_once(plan, inner_states, inner_sequences);
    if (made.empty()) return {};
    for (const ValueId v : made) end.parts.emplace_back(v, false);
    const std::vector<ValueId> results = builder_.end_loop(guard.region, end);
    guard.done = true;
    return results;
  }

  OnnxNodeContext& context_;
  GraphBuilder& builder_;
  const NodeProto& node_;
  const std::vector<ValueId>& inputs_;
  const OnnxBodyReader& reader_;
};

}  // namespace

bool is_onnx_control(const NodeProto& node) {
  return (node.domain().empty() || node.domain() == "ai.onnx") && (node.op_type() == "If" || node.op_type() == "Loop" || node.op_type() == "Scan");
}

std::vector<ValueId> map_onnx_control(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs, const OnnxBodyReader& reader) {
  return ControlMapping(context, node, inputs, reader).run();
}

}  // namespace tenon
