// Which values of a graph depend on some of them.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace tenon {

/// Per value: whether it is floating and depends on one of `from` through floating values, by nodes before `end`.
std::vector<bool> active_values(const Graph& graph, const std::vector<ValueId>& from, size_t end);

}  // namespace tenon
