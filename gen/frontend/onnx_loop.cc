// Loop: one region, or its iterations one after another.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/control_node.h"
#include "frontend/joined_results.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

constexpr int64_t kMaxUnrolled = 4096;

class LoopNode : public ControlNode {
 public:
  using ControlNode::ControlNode;

  std::vector<ValueId> run() {
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

 private:
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
};

}  // namespace

std::vector<ValueId> map_onnx_loop(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs, const OnnxBodyReader& reader) {
  return LoopNode(context, node, inputs, reader).run();
}

}  // namespace tenon
