// Inputs of a graph that its program keeps from one call to the next.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace tenon {

/// Makes the output replace the input after each call, both by the names that the file has. Empty, or why that cannot
/// be, and then the graph is as it was.
std::string keep_state(Graph& graph, const std::string& input, const std::string& output);

/// The graph of a first call: states are constants with their initial contents, and what replaces them is no output.
Graph first_call(const Graph& graph);

}  // namespace tenon
