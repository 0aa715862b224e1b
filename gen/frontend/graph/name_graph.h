// The last step of reading a graph: everything gets a unique C identifier.
#pragma once

#include "ir/graph/graph.h"
#include "support/c_names.h"

namespace tenon {

/// The graph with names made from `Value::original` (inputs and outputs first, so that they keep theirs) and from node
/// origins, apart from the macros of the program `program`.
Graph name_graph(Graph graph, const std::string& program = "");

}  // namespace tenon
