// split as slices.
#include "frontend/recipe/recipe_parts.h"

#include <fmt/format.h>

#include "support/ranges.h"

namespace tenon {
namespace {

// An argument by its name, or by its place if it may be at one.
RecipeValue argument(const HostArguments& given, const std::string& name, size_t place) {
  for (const RecipeKeyword& k : given.keywords)
    if (k.name == name) return k.value;
  return place < given.args.size() ? given.args[place] : RecipeValue();
}

void check_keywords(const HostArguments& given, const std::string& function, const std::vector<std::string>& known) {
  for (const RecipeKeyword& k : given.keywords)
    if (!contains(known, k.name)) throw RecipeError(k.offset, fmt::format("{} has no argument '{}'", function, k.name));
}

// The axis from 0 on, of `rank` dims.
size_t axis_of(const RecipeValue& given, size_t rank, size_t offset) {
  if (given.is_none()) return 0;
  const SizeExpr* a = given.get<SizeExpr>();
  const int64_t n = static_cast<int64_t>(rank);
  if (!a || !a->is_constant() || a->value < -n || a->value >= n)
    throw RecipeError(offset, fmt::format("axis is a number from {} to {}, not {}", -n, n - 1, to_text(given)));
  return static_cast<size_t>(a->value < 0 ? a->value + n : a->value);
}

std::vector<SizeExpr> equal_parts(const SizeExpr& extent, size_t count, size_t offset) {
  const SizeExpr n = static_cast<int64_t>(count);
  if (!floor_mod(extent, n).is(0))
    throw RecipeError(offset, fmt::format("an axis of {} elements has no {} equal parts; sizes=[…] states others",
                                          to_text(extent), count));
  return std::vector<SizeExpr>(count, floor_div(extent, n));
}

}  // namespace

ValueId tensor_of(const RecipeValue& v, size_t offset) {
  const TensorRef* t = v.get<TensorRef>();
  if (!t) throw RecipeError(offset, "a tensor is expected here, not " + kind_of(v));
  return t->id;
}

RecipeValue split_tensor(RecipeContext& context, const HostArguments& given, size_t offset) {
  check_keywords(given, "split", {"axis", "sizes"});
  const std::vector<SizeExpr> dims = context.builder.value(tensor_of(given.args[0], offset)).dims;
  const size_t axis = axis_of(argument(given, "axis", 1), dims.size(), offset);
  if (dims.empty()) throw RecipeError(offset, "a scalar has no axis to split");
  const RecipeValue asked = argument(given, "sizes", 2);
  std::vector<SizeExpr> sizes;
  if (asked.is_none()) sizes = equal_parts(dims[axis], given.wanted, offset);
  else if (!to_sizes(asked, sizes)) throw RecipeError(offset, "sizes is a list of integers, not " + to_text(asked));
  SizeExpr begin = 0;
  RecipeList parts;
  for (const SizeExpr& size : sizes) {
    RecipeList from(dims.size(), SizeExpr(0)), extents(dims.begin(), dims.end());
    from[axis] = begin;
    extents[axis] = size;
    parts.push_back(
        call_op(context, {"slice", {given.args[0]}, {{"begin", from, offset}, {"size", extents, offset}}, 1, offset}));
    begin = begin + size;
  }
  if (begin != dims[axis])
    throw RecipeError(
        offset, fmt::format("the sizes add up to {}, the axis has {} elements", to_text(begin), to_text(dims[axis])));
  return parts;
}

}  // namespace tenon
