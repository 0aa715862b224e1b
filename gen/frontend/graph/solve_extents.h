// Numbers known only at run time, derived from the extents that a file states.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph/size_expr.h"

namespace tenon {

/// An extent that depends on unknown numbers, and what the file says that it is.
struct ExtentEquation {
  SizeExpr extent;
  int64_t stated = 0;
};

/// The unknowns about which the equations leave no choice among the extents from 1 to kMaximumSolved. Names that are
/// not among `unknowns` are run-time sizes: an equation with one of them says nothing.
inline constexpr int64_t kMaximumSolved = 4096;
SizeValues solve_extents(const std::vector<ExtentEquation>& equations, const std::set<std::string>& unknowns);

}  // namespace tenon
