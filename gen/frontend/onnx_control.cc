// If, Loop, Scan and SequenceMap.
#include "frontend/onnx_control.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/joined_results.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

constexpr int64_t kMaxUnrolled = 4096;

/// The loops and branches of one node.
class ControlMapping {
 public:
  ControlMapping(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs, const OnnxBodyReader& reader)
      : context_(context), builder_(context.builder), node_(node), inputs_(inputs), reader_(reader) {}

  std::vector<ValueId> run() {
    const std::string& op = node_.op_type();
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i] == kEmptyOptional || (inputs_[i] == kNoValue && !may_lack(i))) throw OnnxError{Code::E0806, fmt::format("input {} is missing, or an optional that is empty", i), {}};
    std::vector<ValueId> results = op == "If" ? branches() : op == "Loop" ? loop() : op == "Scan" ? scan() : map_sequence();
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

  /// Whether no value is in error. Loops and branches of a program hand on tensors.
  static bool sound(const std::vector<ValueId>& ids) {
    if (std::any_of(ids.begin(), ids.end(), is_list)) throw OnnxError{Code::E0805, "its body hands on a sequence, which a program does not have", {}};
    return complete(ids);
  }
  static bool complete(const std::vector<ValueId>& ids) { return std::count(ids.begin(), ids.end(), kNoValue) == 0; }

  const RecipeList& list_of(ValueId id) const { return context_.lists[static_cast<size_t>(kFirstList - id)]; }
  ValueId add_list(RecipeList list) {
    context_.lists.push_back(std::move(list));
    return kFirstList - static_cast<ValueId>(context_.lists.size() - 1);
  }

  void tensors_only(const std::vector<ValueId>& ids) const {
    for (const ValueId v : ids)
      if (is_list(v)) throw OnnxError{Code::E0805, "one of its inputs is a sequence where a tensor is expected", {}};
  }

  /// Scan as opset 8 has it, along sequences of a batch.
  bool batched() const { return context_.opsets.count("") && context_.opsets.at("") < 9; }
  bool may_lack(size_t i) const { return node_.op_type() == "Loop" ? i < 2 : node_.op_type() == "Scan" && batched() && i == 0; }

  ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kNoValue; }
  std::vector<ValueId> inputs_from(size_t i) const { return {inputs_.begin() + static_cast<std::ptrdiff_t>(std::min(i, inputs_.size())), inputs_.end()}; }

  std::optional<SizeExpr> number(ValueId id) const {
    const auto elements = builder_.numbers(id);
    return elements && elements->size() == 1 ? std::optional((*elements)[0]) : std::nullopt;
  }

  std::vector<ValueId> branches() {
    if (inputs_.size() != 1) throw OnnxError{Code::E0806, "it has one input", {}};
    tensors_only(inputs_);
    const std::optional<SizeExpr> known = number(inputs_[0]);
    if (known && known->is_constant()) return reader_.read(graph(known->is(0) ? "else_branch" : "then_branch"), {});
    Branch then = read_branch(true);
    Guard guard{builder_, then.region};
    builder_.set_aside(then.region);
    if (!then.complete) return {};
    Branch otherwise = read_branch(false);
    if (!otherwise.complete) return {};
    if (then.lengths.size() != otherwise.lengths.size()) throw OnnxError{Code::E0806, "its branches have different numbers of outputs", {}};
    if (then.lengths != otherwise.lengths) throw OnnxError{Code::E0807, "its branches give sequences of different lengths", {}};
    builder_.set_aside(otherwise.region);
    const std::vector<JoinedResult> joined = joined_results(builder_, then, otherwise);
    std::vector<ValueId> results;
    for (const Branch* b : {&then, &otherwise}) {
      builder_.take_up(b->region);
      results = builder_.end_branch(b->region, widened(builder_, b->made, joined), results);
    }
    guard.done = true;
    return gathered(cut_to_size(builder_, results, joined), then.lengths);
  }

  static constexpr size_t kTensor = static_cast<size_t>(-1);  // in `lengths`, which else has the elements of a sequence
  /// The elements of sequences in their place.
  std::vector<ValueId> scattered(const std::vector<ValueId>& ids, std::vector<size_t>& lengths) const {
    std::vector<ValueId> tensors;
    for (const ValueId v : ids) {
      lengths.push_back(is_list(v) ? list_of(v).size() : kTensor);
      if (!is_list(v)) tensors.push_back(v);
      else
        for (const RecipeValue& e : list_of(v)) {
          if (!e.get<TensorRef>()) throw OnnxError{Code::E0805, "one of its branches gives an optional or a sequence of sequences", {}};
          tensors.push_back(e.get<TensorRef>()->id);
        }
    }
    return tensors;
  }

  std::vector<ValueId> gathered(const std::vector<ValueId>& tensors, const std::vector<size_t>& lengths) {
    std::vector<ValueId> ids;
    size_t next = 0;
    for (const size_t length : lengths) {
      if (length == kTensor) {
        ids.push_back(tensors[next++]);
        continue;
      }
      RecipeList list;
      for (size_t i = 0; i < length; ++i) list.emplace_back(TensorRef{tensors[next++]});
      ids.push_back(add_list(std::move(list)));
    }
    return ids;
  }

  /// A branch that is still open, with sequences as their elements.
  struct Branch : OpenBranch {
    std::vector<size_t> lengths;
    bool complete = false;
  };
  Branch read_branch(bool holds) {
    Branch b;
    b.region = builder_.begin_branch(inputs_[0], holds);
    Guard guard{builder_, b.region};
    const std::vector<ValueId> ids = reader_.read(graph(holds ? "then_branch" : "else_branch"), {});
    b.complete = complete(ids);
    if (b.complete) b.made = scattered(ids, b.lengths);
    guard.done = true;
    return b;
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
    const std::vector<ValueId> initial = inputs_from(2);
    tensors_only({inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(inputs_.size(), 2))});
    if (std::any_of(initial.begin(), initial.end(), is_list)) return unrolled_loop(initial, "a sequence goes through it");
    try {
      return rolled_loop(initial);
    } catch (const GraphError& e) {
      // Where a carried value changes its type, a number of iterations that is known makes each of them a piece of the graph.
      const std::optional<SizeExpr> trip = input(0) == kNoValue ? std::nullopt : number(input(0));
      if (trip && trip->is_constant() && trip->value <= kMaxUnrolled) return unrolled_loop(initial, e.what());
      throw OnnxError{Code::E0807, e.what(), {fmt::format("shapes may change from one iteration to the next where the file states how many there are, {} at most", kMaxUnrolled)}};
    }
  }

  /// Its iterations one after another. `why` says what asks for it.
  std::vector<ValueId> unrolled_loop(const std::vector<ValueId>& initial, const std::string& why) {
    const auto known = [&](ValueId v) {
      const std::optional<SizeExpr> n = number(v);
      if (!n || !n->is_constant()) throw OnnxError{Code::E0807, fmt::format("{}, so that the number of its iterations has to be known before run time", why), {}};
      return n->value;
    };
    const int64_t trip = input(0) == kNoValue ? kUnboundedTrip : known(input(0));
    bool more = input(1) == kNoValue || known(input(1)) != 0;
    std::vector<ValueId> carried = initial;
    std::vector<std::vector<ValueId>> parts;
    for (int64_t i = 0; i < trip && more; ++i) {
      if (i == kMaxUnrolled) throw OnnxError{Code::E0807, fmt::format("{}, and it has more than {} iterations", why, kMaxUnrolled), {}};
      std::vector<ValueId> inside{builder_.add_numbers(DType::I64, {}, {i}), builder_.add_numbers(DType::Bool, {}, {1})};
      inside.insert(inside.end(), carried.begin(), carried.end());
      const std::vector<ValueId> made = reader_.read(graph("body"), inside);
      if (!complete(made)) return {};
      if (made.size() < initial.size() + 1) throw OnnxError{Code::E0806, "its body hands on fewer values than it is given", {}};
      tensors_only({made[0]});
      more = known(made[0]) != 0;
      carried.assign(made.begin() + 1, made.begin() + 1 + static_cast<std::ptrdiff_t>(initial.size()));
      parts.emplace_back(made.begin() + 1 + static_cast<std::ptrdiff_t>(initial.size()), made.end());
    }
    for (size_t k = 0; k + initial.size() < static_cast<size_t>(node_.output_size()); ++k) carried.push_back(stacked(parts, k));
    return carried;
  }

  /// Part `k` of all iterations along a new axis 0.
  ValueId stacked(const std::vector<std::vector<ValueId>>& parts, size_t k) {
    std::vector<ValueId> rows;
    for (const std::vector<ValueId>& made : parts) {
      if (k >= made.size()) throw OnnxError{Code::E0806, "it has more outputs than its body", {}};
      sound({made[k]});
      std::vector<SizeExpr> dims = builder_.value(made[k]).dims;
      dims.insert(dims.begin(), 1);
      rows.push_back(builder_.add_node("reshape", {made[k]}, {{"shape", extents(dims)}}, 1)[0]);
    }
    if (rows.empty()) throw OnnxError{Code::E0807, "no iteration says what type the results have that get an element from each", {}};
    return rows.size() == 1 ? rows[0] : builder_.add_node("concat", rows, {{"axis", int64_t{0}}}, 1)[0];
  }

  std::vector<ValueId> rolled_loop(const std::vector<ValueId>& initial) {
    const GraphProto& body = graph("body");
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

  /// The body's results while `step` lies within the sequence; behind its end the states stay, and what it would make is 0.
  std::vector<ValueId> read_within(const GraphProto& body, const std::vector<ValueId>& inside, const std::vector<ValueId>& old, ValueId step, ValueId length) {
    const ValueId runs = builder_.add_node("less", {step, length}, {}, 1)[0];
    Guard first{builder_, builder_.begin_branch(runs, true)};
    const std::vector<ValueId> made = reader_.read(body, inside);
    if (!sound(made)) return {};
    const std::vector<ValueId> results = builder_.end_branch(first.region, made, {});
    first.done = true;
    Guard second{builder_, builder_.begin_branch(runs, false)};
    std::vector<ValueId> otherwise = old;
    for (size_t i = old.size(); i < made.size(); ++i)
      otherwise.push_back(builder_.add_node("full", {}, {{"shape", extents(builder_.value(made[i]).dims)}, {"value", int64_t{0}}, {"dtype", builder_.value(made[i]).dtype}}, 1)[0]);
    builder_.end_branch(second.region, otherwise, results);
    second.done = true;
    return results;
  }

  /// One loop along axis 0 of all of `sequences`.
  std::vector<ValueId> scan_once(const ScanPlan& plan, const std::vector<ValueId>& states, const std::vector<ValueId>& sequences, ValueId length = kNoValue) {
    const GraphProto& body = graph("body");
    const std::vector<SizeExpr>& dims = builder_.value(sequences[0]).dims;
    if (dims.empty()) throw OnnxError{Code::E0806, "a scalar has no axis to go along", {}};
    Guard guard{builder_, builder_.begin_loop(dims[0])};
    std::vector<ValueId> inside;
    for (const ValueId v : states) inside.push_back(builder_.carry(guard.region, v));
    for (size_t i = 0; i < sequences.size(); ++i) inside.push_back(builder_.read_slice(guard.region, sequences[i], plan.reversed[i] != 0));
    const ValueId step = builder_.add_numbers(DType::I64, {}, {builder_.counter(guard.region)});
    const std::vector<ValueId> old(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(states.size()));
    const std::vector<ValueId> made = length == kNoValue ? reader_.read(body, inside) : read_within(body, inside, old, step, length);
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

  /// The body once for each element of the first sequence: of each further input the element of the same number, or all of a tensor.
  std::vector<ValueId> map_sequence() {
    if (inputs_.empty() || !is_list(inputs_[0])) throw OnnxError{Code::E0806, "its first input is no sequence", {}};
    const RecipeList first = list_of(inputs_[0]);
    std::vector<RecipeList> results(static_cast<size_t>(graph("body").output_size()));
    for (size_t i = 0; i < first.size(); ++i) {
      std::vector<ValueId> given;
      for (const ValueId v : inputs_) {
        if (is_list(v) && list_of(v).size() != first.size()) throw OnnxError{Code::E0806, "its sequences have different lengths", {}};
        if (is_list(v) && !list_of(v)[i].get<TensorRef>()) throw OnnxError{Code::E0805, "one of its sequences does not consist of tensors", {}};
        given.push_back(is_list(v) ? list_of(v)[i].get<TensorRef>()->id : v);
      }
      const std::vector<ValueId> made = reader_.read(graph("body"), given);
      if (!sound(made)) return {};
      for (size_t k = 0; k < made.size(); ++k) results[k].emplace_back(TensorRef{made[k]});
    }
    std::vector<ValueId> lists;
    for (RecipeList& r : results) lists.push_back(add_list(std::move(r)));
    return lists;
  }

  std::vector<ValueId> scan() {
    tensors_only(inputs_);
    const AttributeProto* n = attribute("num_scan_inputs");
    std::vector<ValueId> all = inputs_from(batched() ? 1 : 0);
    if (!n || n->i() < 1 || n->i() > static_cast<int64_t>(all.size())) throw OnnxError{Code::E0806, "the attribute 'num_scan_inputs' does not fit", {}};
    const size_t sequences = static_cast<size_t>(n->i());
    ScanPlan plan;
    plan.states = all.size() - sequences;
    const size_t outputs = static_cast<size_t>(std::max(graph("body").output_size() - static_cast<int>(plan.states), 0));
    plan.reversed = integers(batched() ? "directions" : "scan_input_directions", sequences);
    plan.reversed_out = integers("scan_output_directions", outputs);
    const std::vector<ValueId> states(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(plan.states));
    std::vector<ValueId> parts(all.begin() + static_cast<std::ptrdiff_t>(plan.states), all.end());
    if (batched()) return scan_batch(plan, states, parts);
    const std::vector<int64_t> axes = integers("scan_input_axes", sequences), axes_out = integers("scan_output_axes", outputs);
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = moved_axis(parts[i], axes[i], true);
    std::vector<ValueId> results = scan_once(plan, states, parts);
    for (size_t i = plan.states; i < results.size(); ++i) results[i] = moved_axis(results[i], axes_out[i - plan.states], false);
    return results;
  }

  /// As opset 8 has it: a loop over the batch around the loop over the sequence.
  std::vector<ValueId> scan_batch(const ScanPlan& plan, const std::vector<ValueId>& states, const std::vector<ValueId>& sequences) {
    const bool lengths = input(0) != kNoValue;
    // The standard does not say whether a shorter sequence that is read from the end begins at its own end.
    if (lengths && std::count(plan.reversed.begin(), plan.reversed.end(), 0) != static_cast<std::ptrdiff_t>(plan.reversed.size()))
      throw OnnxError{Code::E0802, "Scan of opset 8 on sequences of different lengths goes forward only", {}};
    const std::vector<SizeExpr>& dims = builder_.value(sequences[0]).dims;
    if (dims.empty()) throw OnnxError{Code::E0806, "a scalar has no batch", {}};
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

  OnnxNodeContext& context_;
  GraphBuilder& builder_;
  const NodeProto& node_;
  const std::vector<ValueId>& inputs_;
  const OnnxBodyReader& reader_;
};

}  // namespace

bool is_onnx_control(const NodeProto& node) {
  return (node.domain().empty() || node.domain() == "ai.onnx") && (node.op_type() == "If" || node.op_type() == "Loop" || node.op_type() == "Scan" || node.op_type() == "SequenceMap");
}

std::vector<ValueId> map_onnx_control(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs, const OnnxBodyReader& reader) {
  return ControlMapping(context, node, inputs, reader).run();
}

}  // namespace tenon
