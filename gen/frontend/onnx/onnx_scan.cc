// Scan: a loop along its sequences, around it one over the batch in opset 8.
#include <fmt/format.h>

#include "frontend/graph/joined_results.h"
#include "frontend/onnx/onnx_control.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

class ScanNode : public ControlNode {
 public:
  using ControlNode::ControlNode;

  std::vector<ValueId> run() {
    tensors_only(inputs_);
    const AttributeProto* n = attribute("num_scan_inputs");
    std::vector<ValueId> all = inputs_from(batched() ? 1 : 0);
    if (!n || n->i() < 1 || n->i() > static_cast<int64_t>(all.size()))
      throw OnnxError{Code::E0806, "the attribute 'num_scan_inputs' does not fit"};
    const size_t sequences = static_cast<size_t>(n->i());
    ScanPlan plan;
    plan.states = all.size() - sequences;
    const size_t outputs =
        static_cast<size_t>(std::max(graph("body").output_size() - static_cast<int>(plan.states), 0));
    plan.reversed = integers(batched() ? "directions" : "scan_input_directions", sequences);
    plan.reversed_out = integers("scan_output_directions", outputs);
    const std::vector<ValueId> states(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(plan.states));
    std::vector<ValueId> parts(all.begin() + static_cast<std::ptrdiff_t>(plan.states), all.end());
    if (batched()) return scan_batch(plan, states, parts);
    const std::vector<int64_t> axes = integers("scan_input_axes", sequences),
                               axes_out = integers("scan_output_axes", outputs);
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = moved_axis(parts[i], axes[i], true);
    std::vector<ValueId> results = scan_once(plan, states, parts);
    for (size_t i = plan.states; i < results.size(); ++i)
      results[i] = moved_axis(results[i], axes_out[i - plan.states], false);
    return results;
  }

 private:
  bool batched() const { return is_batched_scan(context_, node_); }

  /// Moves the axis to the front, or from there to its position.
  ValueId moved_axis(ValueId id, int64_t axis, bool to_front) {
    const int64_t rank = static_cast<int64_t>(builder_.value(id).dims.size());
    const int64_t a = axis < 0 ? axis + rank : axis;
    if (a < 0 || a >= rank)
      throw OnnxError{Code::E0806, fmt::format("a tensor of {} dimensions has no axis {}", rank, axis)};
    if (a == 0) return id;
    std::vector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i)
      perm.push_back(to_front ? (i == 0 ? a : i <= a ? i - 1 : i) : (i < a ? i + 1 : i == a ? 0 : i));
    return builder_.add_node("transpose", {id}, {{"perm", perm}}, 1)[0];
  }

  struct ScanPlan {
    size_t states = 0;
    std::vector<int64_t> reversed, reversed_out;
  };

  /// The body's results while `step` is within the sequence; after its end the states are kept and the results are 0.
  std::vector<ValueId> read_within(const GraphProto& body, const std::vector<ValueId>& inside,
                                   const std::vector<ValueId>& old, ValueId step, ValueId length) {
    const ValueId runs = builder_.add_node("less", {step, length}, {}, 1)[0];
    Guard first{builder_, builder_.begin_branch(runs, true)};
    const std::vector<ValueId> made = reader_.read(body, inside);
    if (!sound(made)) return {};
    const std::vector<ValueId> results = builder_.end_branch(first.region, made, {});
    first.done = true;
    Guard second{builder_, builder_.begin_branch(runs, false)};
    std::vector<ValueId> otherwise = old;
    for (size_t i = old.size(); i < made.size(); ++i)
      otherwise.push_back(builder_.add_node("full", {},
                                            {{"shape", extents(builder_.value(made[i]).dims)},
                                             {"value", int64_t{0}},
                                             {"dtype", builder_.value(made[i]).dtype}},
                                            1)[0]);
    builder_.end_branch(second.region, otherwise, results);
    second.done = true;
    return results;
  }

  /// One loop along axis 0 of all of `sequences`.
  std::vector<ValueId> scan_once(const ScanPlan& plan, const std::vector<ValueId>& states,
                                 const std::vector<ValueId>& sequences, ValueId length = kNoValue) {
    const GraphProto& body = graph("body");
    const std::vector<SizeExpr>& dims = builder_.value(sequences[0]).dims;
    if (dims.empty()) throw OnnxError{Code::E0806, "a scalar has no axis to go along"};
    Guard guard{builder_, builder_.begin_loop(dims[0])};
    std::vector<ValueId> inside = mapped(states, [&](const ValueId v) { return builder_.carry(guard.region, v); });
    for (size_t i = 0; i < sequences.size(); ++i)
      inside.push_back(builder_.read_slice(guard.region, sequences[i], plan.reversed[i] != 0));
    const ValueId step = builder_.add_numbers(DType::I64, {}, {builder_.counter(guard.region)});
    const std::vector<ValueId> old(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(states.size()));
    const std::vector<ValueId> made =
        length == kNoValue ? reader_.read(body, inside) : read_within(body, inside, old, step, length);
    if (!sound(made)) return {};
    if (made.size() < states.size()) throw OnnxError{Code::E0806, "its body hands on fewer values than it is given"};
    GraphBuilder::LoopEnd end;
    for (size_t i = 0; i < made.size(); ++i) {
      if (i < states.size()) end.next.push_back(made[i]);
      else end.parts.emplace_back(made[i], plan.reversed_out[i - states.size()] != 0);
    }
    const std::vector<ValueId> results = builder_.end_loop(guard.region, end);
    guard.done = true;
    return results;
  }

  /// As opset 8 has it: a loop over the batch around the loop over the sequence.
  std::vector<ValueId> scan_batch(const ScanPlan& plan, const std::vector<ValueId>& states,
                                  const std::vector<ValueId>& sequences) {
    const bool lengths = input(0) != kNoValue;
    // The standard does not say whether a shorter sequence that is read from the end begins at its own end.
    if (lengths && count_of(plan.reversed, 0) != static_cast<std::ptrdiff_t>(plan.reversed.size()))
      throw OnnxError{Code::E0802, "Scan of opset 8 on sequences of different lengths goes forward only"};
    const std::vector<SizeExpr>& dims = builder_.value(sequences[0]).dims;
    if (dims.empty()) throw OnnxError{Code::E0806, "a scalar has no batch"};
    Guard guard{builder_, builder_.begin_loop(dims[0])};
    std::vector<ValueId> inner_states, inner_sequences;
    for (const ValueId v : states) inner_states.push_back(builder_.read_slice(guard.region, v, false));
    for (const ValueId v : sequences) inner_sequences.push_back(builder_.read_slice(guard.region, v, false));
    const ValueId length = lengths ? builder_.read_slice(guard.region, input(0), false) : kNoValue;
    GraphBuilder::LoopEnd end;
    const std::vector<ValueId> made = scan_once(plan, inner_states, inner_sequences, length);
    if (made.empty()) return {};
    for (const ValueId v : made) end.parts.emplace_back(v, false);
    const std::vector<ValueId> results = builder_.end_loop(guard.region, end);
    guard.done = true;
    return results;
  }
};

}  // namespace

bool is_batched_scan(const OnnxNodeContext& context, const NodeProto& node) {
  return node.op_type() == "Scan" && context.opsets.count("") && context.opsets.at("") < 9;
}

std::vector<ValueId> map_onnx_scan(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs,
                                   const OnnxBodyReader& reader) {
  return ScanNode(context, node, inputs, reader).run();
}

}  // namespace tenon
