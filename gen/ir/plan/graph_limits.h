// Limits of generated code, whatever a graph computes.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace tenon {

/// Empty, or the tensor that exceeds a limit: more than kMaxRank dimensions at the border, or more than 2^40 elements
/// at the maximum run-time sizes, where an arena's bytes would soon be more than 64 bits hold.
std::string beyond_limits(const Graph& graph);

}  // namespace tenon
