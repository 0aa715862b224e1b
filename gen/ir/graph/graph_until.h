// A graph cut off at one of its values, for debugging a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace tenon {

/// The graph whose only output is the value of that name, as the file or as C spells it, without the operators that it
/// does not need; all inputs stay. Nothing where there is no such value outside of loops and branches.
std::optional<Graph> graph_until(const Graph& graph, const std::string& value);

/// Names of the values that it can be cut off at, in the order of the graph.
std::vector<std::string> values_to_see(const Graph& graph);

}  // namespace tenon
