// Limits of a graph's tensors.
#include "ir/plan/graph_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/size_bounds.h"
#include "ir/kernel/library.h"

namespace tenon {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;

bool fits(const Value& value, const std::vector<GraphSize>& sizes) {
  int64_t count = 1;
  for (const SizeExpr& d : value.dims) {
    const auto extent = maximum_value(d, sizes);  // none where 64 bits do not hold it
    if (!extent || __builtin_mul_overflow(count, std::max<int64_t>(*extent, 1), &count) || count > kMostElements)
      return false;
  }
  return true;
}

}  // namespace

std::string beyond_limits(const Graph& graph) {
  for (const auto& [kind, list] : {std::pair("input", &graph.inputs), std::pair("output", &graph.outputs)})
    for (const ValueId id : *list)
      if (const Value& v = graph.value(id); v.dims.size() > static_cast<size_t>(kMaxRank))
        return fmt::format(
            "{} '{}' has {} dimensions; a model takes and gives tensors of at most {}: reshape it inside", kind,
            v.original, v.dims.size(), kMaxRank);
  const std::vector<GraphSize> sizes = all_sizes(graph);
  for (const Value& v : graph.values)
    if (!fits(v, sizes))
      return fmt::format(
          "the tensor '{}' of type {} has more than 2^40 elements at the maximum run-time sizes; give them smaller "
          "bounds",
          v.name, type_text(v));
  return {};
}

}  // namespace tenon
