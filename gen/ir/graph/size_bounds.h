// Bounds of extents, given the ranges of the sizes that they name.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/size_expr.h"
#include "ir/number/interval.h"

namespace tenon {

/// What an extent is between where the sizes have these ranges; any integer where a name is none of them.
Interval bounds_of(const SizeExpr& size, const std::vector<GraphSize>& sizes);

/// The maximum value of the extent: exact if it is monotonic in each size or the sizes have few values, otherwise an
/// upper bound. Nothing if a name is not among the sizes, or the value exceeds 62 bits.
std::optional<int64_t> maximum_value(const SizeExpr& size, const std::vector<GraphSize>& sizes);

/// The lesser or the greater of two extents; one of the two where the ranges decide it.
SizeExpr lesser(const SizeExpr& a, const SizeExpr& b, const std::vector<GraphSize>& sizes);
SizeExpr greater(const SizeExpr& a, const SizeExpr& b, const std::vector<GraphSize>& sizes);
/// The extent without minima and maxima that the ranges decide.
SizeExpr decided(const SizeExpr& size, const std::vector<GraphSize>& sizes);

}  // namespace tenon
