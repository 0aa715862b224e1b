// Loop: one region, or its iterations one after another.
#include <fmt/format.h>

#include "frontend/graph/joined_results.h"
#include "frontend/onnx/loop_body.h"
#include "frontend/onnx/onnx_control.h"
#include "frontend/onnx/onnx_told.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

constexpr int64_t kMaxUnrolled = 4096;
/// A larger bound on the number of iterations counts as no bound: exporters write the largest integers.
constexpr int64_t kMostParts = int64_t{1} << 24;
constexpr int64_t kAssumedParts = 1024;

class LoopNode : public ControlNode {
 public:
  using ControlNode::ControlNode;

  std::vector<ValueId> run() {
    const std::vector<ValueId> initial = inputs_from(2);
    tensors_only({inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(inputs_.size(), 2))});
    const LoopBody body(
        graph("body"), [&](const std::string& name) { return known(reader_.find(name)); }, begins(initial),
        builder_.sizes());
    const std::optional<SizeExpr> count = iterations(body);
    const bool lists = any_of(initial, is_list);
    if (lists && ((count && count->is_constant()) || !lists_grow(initial, body)))
      return unrolled_loop(initial, "a sequence goes through it");
    try {
      return rolled_loop(initial, body, count);
    } catch (const GraphError& e) {
      // If a carried value changes its type and the number of iterations is known, the loop is unrolled.
      if (count && count->is_constant() && count->value <= kMaxUnrolled) return unrolled_loop(initial, e.what());
      throw OnnxError{
          Code::E0807,
          e.what(),
          {fmt::format(
              "shapes may change from one iteration to the next where the file states how many there are, {} at most",
              kMaxUnrolled)}};
    }
  }

 private:
  std::optional<SizeExpr> known(ValueId id) const { return id < 0 ? std::nullopt : number(id); }

  /// The numbers that counters may begin with.
  std::vector<std::optional<SizeExpr>> begins(const std::vector<ValueId>& initial) const {
    std::vector<std::optional<SizeExpr>> numbers;
    for (const ValueId v : initial) {
      const DType dtype = v < 0 ? DType::F32 : builder_.value(v).dtype;
      numbers.push_back(dtype == DType::I32 || dtype == DType::I64 ? known(v) : std::nullopt);
    }
    return numbers;
  }

  /// Whether the sequences that it carries are empty at first and get an element in each iteration.
  bool lists_grow(const std::vector<ValueId>& initial, const LoopBody& body) {
    for (size_t i = 0; i < initial.size(); ++i) {
      if (!is_list(initial[i]) || body.keeps(i)) continue;
      if (!list_of(initial[i]).empty() || !body.grows(i)) return false;
      grown_.push_back(i);
    }
    return true;
  }

  bool is_fixed(ValueId id) const { return number(id) && number(id)->is_constant(); }
  bool starts_at_once() const { return input(1) == kNoValue || (known(input(1)) && known(input(1))->is(1)); }

  /// The number of iterations if it does not depend on data: the given count, or until the body's condition ends the
  /// loop.
  std::optional<SizeExpr> iterations(const LoopBody& body) const {
    const std::optional<SizeExpr> told = known(input(0)), starts = known(input(1)),
                                  counted = body.iterations(starts_at_once());
    if (starts && starts->is(0)) return 0;
    const bool endless = !told || (told->is_constant() && told->value >= kUnboundedTrip);
    if (endless) return input(0) == kNoValue || told ? counted : std::nullopt;
    const SizeExpr most = told->is_constant() ? SizeExpr(std::max<int64_t>(told->value, 0)) : *told;
    return counted ? lesser(most, *counted, builder_.sizes()) : most;
  }

  bool gives_parts(size_t carried) const {
    if (!grown_.empty()) return true;
    for (int i = static_cast<int>(carried); i < node_.output_size(); ++i)
      if (!node_.output(i).empty()) return true;
    return false;
  }

  /// The extent that the file states for an output that has one element for each iteration; 0 where it states none.
  int64_t stated_trip(size_t carried) const {
    int64_t stated = 0;
    for (int i = static_cast<int>(carried); i < node_.output_size(); ++i)
      if (!node_.output(i).empty()) stated = std::max(stated, reader_.declared_extent(node_.output(i)));
    return stated;
  }

  /// The maximum number of iterations. If it is known only at run time and outputs have an element for each iteration,
  /// memory is planned for the count that the file states, the bound of the input, or a default limit.
  SizeExpr maximum_trip(const std::optional<SizeExpr>& count, size_t carried) const {
    if (count) return *count;
    if (!gives_parts(carried)) return kUnboundedTrip;
    if (const int64_t stated = stated_trip(carried)) return stated;
    const std::optional<ValueRange> range = input(0) == kNoValue ? std::nullopt : builder_.range(input(0));
    if (range && range->hi <= static_cast<double>(kMostParts))
      return std::max<int64_t>(0, static_cast<int64_t>(range->hi));
    reader_.warn(
        fmt::format("run time tells the number of its iterations, and nothing bounds it: there is memory for {} of "
                    "them, and a call that needs more returns E_SHAPE",
                    kAssumedParts));
    return kAssumedParts;
  }

  /// The iteration number and the condition, which holds inside a running iteration.
  std::vector<ValueId> number_and_condition(const SizeExpr& number) {
    return {builder_.add_numbers(DType::I64, {}, {number}), builder_.add_numbers(DType::Bool, {}, {1})};
  }
  /// The body's results for these and the carried values.
  std::vector<ValueId> iteration(std::vector<ValueId> inside, const std::vector<ValueId>& carried) {
    append(inside, carried);
    std::vector<ValueId> made = reader_.read(graph("body"), inside);
    if (complete(made) && made.size() < carried.size() + 1)
      throw OnnxError{Code::E0806, "its body hands on fewer values than it is given"};
    return made;
  }

  /// Its iterations one after another. `why` says what asks for it.
  std::vector<ValueId> unrolled_loop(const std::vector<ValueId>& initial, const std::string& why) {
    const auto told = [&](ValueId v) {
      const std::optional<SizeExpr> n = number(v);
      if (!n || !n->is_constant())
        throw OnnxError{Code::E0807,
                        fmt::format("{}, so that the number of its iterations has to be known before run time", why)};
      return n->value;
    };
    const int64_t trip = input(0) == kNoValue ? kUnboundedTrip : told(input(0));
    bool more = input(1) == kNoValue || told(input(1)) != 0;
    std::vector<ValueId> carried = initial;
    std::vector<std::vector<ValueId>> parts;
    for (int64_t i = 0; i < trip && more; ++i) {
      if (i == kMaxUnrolled)
        throw OnnxError{Code::E0807, fmt::format("{}, and it has more than {} iterations", why, kMaxUnrolled)};
      const std::vector<ValueId> made = iteration(number_and_condition(i), carried);
      if (!complete(made)) return {};
      tensors_only({made[0]});
      more = told(made[0]) != 0;
      carried.assign(made.begin() + 1, made.begin() + 1 + static_cast<std::ptrdiff_t>(initial.size()));
      parts.emplace_back(made.begin() + 1 + static_cast<std::ptrdiff_t>(initial.size()), made.end());
    }
    for (size_t k = 0; k + initial.size() < static_cast<size_t>(node_.output_size()); ++k)
      carried.push_back(stacked(parts, k));
    return carried;
  }

  /// Part `k` of all iterations along a new axis 0.
  ValueId stacked(const std::vector<std::vector<ValueId>>& parts, size_t k) {
    std::vector<ValueId> rows;
    for (const std::vector<ValueId>& made : parts) {
      if (k >= made.size()) throw OnnxError{Code::E0806, "it has more outputs than its body"};
      sound({made[k]});
      std::vector<SizeExpr> dims = builder_.value(made[k]).dims;
      dims.insert(dims.begin(), 1);
      rows.push_back(builder_.add_node("reshape", {made[k]}, {{"shape", extents(dims)}}, 1)[0]);
    }
    if (rows.empty())
      throw OnnxError{Code::E0807, "no iteration says what type the results have that get an element from each"};
    return rows.size() == 1 ? rows[0] : builder_.add_node("concat", rows, {{"axis", int64_t{0}}}, 1)[0];
  }

  /// What an iteration sees of the carried values. Those that no iteration changes are read from outside, and counters
  /// are numbers.
  std::vector<ValueId> seen_inside(RegionId loop, const std::vector<ValueId>& initial, const LoopBody& body) {
    std::vector<ValueId> seen;
    for (size_t i = 0; i < initial.size(); ++i) {
      if (is_handed_on(initial, body, i)) {
        seen.push_back(initial[i]);
        continue;
      }
      seen.push_back(builder_.carry(loop, initial[i]));
      const Value& v = builder_.value(initial[i]);
      if (const std::optional<Counter> c = body.counter(i))
        seen.back() = builder_.add_numbers(v.dtype, v.dims, {c->start + SizeExpr(c->step) * builder_.counter(loop)});
    }
    return seen;
  }

  std::vector<ValueId> rolled_loop(const std::vector<ValueId>& initial, const LoopBody& body,
                                   const std::optional<SizeExpr>& count) {
    Guard guard{builder_, builder_.begin_loop(maximum_trip(count, initial.size()))};
    const bool guarded = input(1) != kNoValue && !is_fixed(input(1));
    const ValueId asked = asked_count(count, gives_parts(initial.size()));
    builder_.set_bounds(guard.region, asked, guarded ? input(1) : kNoValue);
    std::vector<ValueId> inside = number_and_condition(builder_.counter(guard.region));
    std::vector<ValueId> made = iteration(std::move(inside), seen_inside(guard.region, initial, body));
    if (!complete(made)) return {};
    take_elements(initial, made);
    if (!sound(made)) return {};
    GraphBuilder::LoopEnd end;
    const std::optional<SizeExpr> goes_on = number(made[0]), counted = body.iterations(starts_at_once());
    const bool counts = !guarded && count && count->is_constant() && counted && counted->is_constant();
    if (!counts && (!goes_on || !goes_on->is_constant() || goes_on->is(0))) end.continues = made[0];
    for (size_t i = 0; i < initial.size(); ++i)
      if (!is_handed_on(initial, body, i)) end.next.push_back(made[i + 1]);
    for (size_t i = initial.size() + 1; i < made.size(); ++i) end.parts.emplace_back(made[i], false);
    const bool may_end = asked != kNoValue || guarded || end.continues != kNoValue;
    end.partial = may_end && !end.parts.empty() && stated_trip(initial.size()) == 0;
    const size_t carried = end.next.size();
    if (end.partial) count_iterations(guard.region, end);
    std::vector<ValueId> ended = builder_.end_loop(guard.region, end);
    guard.done = true;
    if (end.partial) cut_parts(ended, carried);
    return with_lists(with_kept(initial, body, ended));
  }

  /// Whether iterations read it from outside: values that none changes, and sequences.
  static bool is_handed_on(const std::vector<ValueId>& initial, const LoopBody& body, size_t i) {
    return body.keeps(i) || is_list(initial[i]);
  }

  /// The elements appended to growing sequences become parts of additional results, after those of the node.
  void take_elements(const std::vector<ValueId>& initial, std::vector<ValueId>& made) const {
    for (const size_t i : grown_) made.push_back(list_of(made[i + 1])[0].get<TensorRef>()->id);
    for (size_t i = 0; i < initial.size(); ++i)
      if (is_list(initial[i])) made[i + 1] = made[0];
  }
  std::vector<ValueId> with_lists(std::vector<ValueId> results) {
    const size_t first = results.size() - grown_.size();
    for (size_t k = 0; k < grown_.size(); ++k)
      results[grown_[k]] = add_list({OpenParts{results[first + k], 0, 1, true}});
    results.resize(first);
    return results;
  }

  /// The number of iterations known at run time, or an unbounded one if memory is planned for a limit of our own.
  ValueId asked_count(const std::optional<SizeExpr>& count, bool parts) {
    if (input(0) != kNoValue && !number(input(0))) return input(0);
    return count || !parts ? kNoValue : builder_.add_numbers(DType::I64, {}, {kUnboundedTrip});
  }

  /// Carries the number of iterations, after the values that the body carries.
  void count_iterations(RegionId loop, GraphBuilder::LoopEnd& end) {
    builder_.carry(loop, builder_.add_numbers(DType::I64, {}, {0}));
    end.next.push_back(builder_.add_numbers(DType::I64, {}, {builder_.counter(loop) + SizeExpr(1)}));
  }

  /// Parts that have as many elements as there were iterations: their number follows the `carried` values in `ended`.
  void cut_parts(std::vector<ValueId>& ended, size_t carried) {
    const ValueId count = ended[carried];
    ended.erase(ended.begin() + static_cast<std::ptrdiff_t>(carried));
    const std::vector<ValueId> parts(ended.begin() + static_cast<std::ptrdiff_t>(carried), ended.end());
    ended.resize(carried);
    const std::vector<ValueId> cut = cut_to_count(context_, parts, count);
    append(ended, cut);
  }

  /// The results of the region with those of the values that it does not carry.
  static std::vector<ValueId> with_kept(const std::vector<ValueId>& initial, const LoopBody& body,
                                        const std::vector<ValueId>& ended) {
    std::vector<ValueId> results;
    size_t next = 0;
    for (size_t i = 0; i < initial.size(); ++i)
      results.push_back(is_handed_on(initial, body, i) ? initial[i] : ended[next++]);
    results.insert(results.end(), ended.begin() + static_cast<std::ptrdiff_t>(next), ended.end());
    return results;
  }

  std::vector<size_t> grown_;  // carried sequences that get an element in each iteration
};

}  // namespace

std::vector<ValueId> map_onnx_loop(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs,
                                   const OnnxBodyReader& reader) {
  return LoopNode(context, node, inputs, reader).run();
}

}  // namespace tenon
