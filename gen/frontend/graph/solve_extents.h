// Numbers known only at run time, derived from the extents that a file states.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph/size_expr.h"

namespace tenon {

/// An extent that depends on unknown numbers, and its value in the file.
struct ExtentEquation {
  SizeExpr extent;
  int64_t stated = 0;
};

/// The unknowns that the equations determine uniquely among the extents from 1 to kMaximumSolved. Names not in
/// `unknowns` are run-time sizes; equations that contain one are ignored.
inline constexpr int64_t kMaximumSolved = 4096;
SizeValues solve_extents(const std::vector<ExtentEquation>& equations, const std::set<std::string>& unknowns);

}  // namespace tenon
