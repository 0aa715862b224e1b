// Padding in the branches, one choice of elements after them: operators of the library alone.
#include "frontend/graph/joined_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/size_bounds.h"

namespace tenon {
namespace {

ValueId padded(GraphBuilder& builder, ValueId value, const std::vector<SizeExpr>& to) {
  std::vector<SizeExpr> after;
  for (size_t d = 0; d < to.size(); ++d) after.push_back(to[d] - builder.value(value).dims[d]);
  return builder.add_node("pad", {value}, {{"after", extents(after)}}, 1)[0];
}

bool alike(const TensorType& a, const TensorType& b) { return a.dtype == b.dtype && a.dims.size() == b.dims.size(); }

}  // namespace

AttrValue extents(const std::vector<SizeExpr>& dims) {
  std::vector<int64_t> numbers;
  for (const SizeExpr& d : dims)
    if (d.is_constant()) numbers.push_back(d.value);
  return numbers.size() == dims.size() ? AttrValue(numbers) : AttrValue(dims);
}

bool may_join(const GraphBuilder& builder, const OpenBranch& a, const OpenBranch& b) {
  return std::equal(a.made.begin(), a.made.end(), b.made.begin(), b.made.end(),
                    [&](ValueId x, ValueId y) { return alike(builder.type(x), builder.type(y)); });
}

std::vector<JoinedResult> joined_results(const GraphBuilder& builder, const OpenBranch& a, const OpenBranch& b) {
  std::vector<JoinedResult> joined;
  for (size_t i = 0; i < a.made.size(); ++i) {
    const TensorType x = builder.type(a.made[i]), y = builder.type(b.made[i]);
    if (!alike(x, y))
      throw GraphError(
          fmt::format("result {} is {} if the condition holds and {} otherwise", i, to_text(x), to_text(y)));
    JoinedResult r{x.dims, {}};
    for (size_t d = 0; d < x.dims.size(); ++d) {
      const SizeExpr p = builder.bound_outside(a.region, x.dims[d]), q = builder.bound_outside(b.region, y.dims[d]);
      if (p == q && p == x.dims[d] && q == y.dims[d]) continue;
      r.dims[d] = greater(p, q, builder.sizes());
      r.open.push_back(d);
    }
    joined.push_back(std::move(r));
  }
  return joined;
}

std::vector<ValueId> widened(GraphBuilder& builder, const std::vector<ValueId>& made,
                             const std::vector<JoinedResult>& joined) {
  std::vector<ValueId> wide, there;
  for (size_t i = 0; i < made.size(); ++i) {
    const JoinedResult& r = joined[i];
    wide.push_back(r.open.empty() ? made[i] : padded(builder, made[i], r.dims));
    for (const size_t d : r.open) {
      const ValueId ones = builder.add_node(
          "full", {},
          {{"shape", extents({builder.value(made[i]).dims[d]})}, {"value", int64_t{1}}, {"dtype", DType::U8}}, 1)[0];
      there.push_back(padded(builder, ones, {r.dims[d]}));
    }
  }
  wide.insert(wide.end(), there.begin(), there.end());
  return wide;
}

std::vector<ValueId> cut_to_size(GraphBuilder& builder, const std::vector<ValueId>& results,
                                 const std::vector<JoinedResult>& joined) {
  std::vector<ValueId> cut;
  size_t there = joined.size();
  for (size_t i = 0; i < joined.size(); ++i) {
    ValueId value = results[i];
    for (const size_t d : joined[i].open) {
      const ValueId chosen = builder.add_node("cast", {results[there++]}, {{"dtype", DType::Bool}}, 1)[0];
      value = builder.add_node("compress", {value, chosen}, {{"axis", static_cast<int64_t>(d)}}, 1)[0];
    }
    cut.push_back(value);
  }
  return cut;
}

}  // namespace tenon
