// The last step of reading a graph: everything gets a unique C identifier.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"

namespace tenon {

/// `original` made an identifier of C that is no keyword and not in `taken`, to which it is added.
std::string c_name(const std::string& original, std::set<std::string>& taken);

/// The graph with names made from `Value::original` (inputs and outputs first, so that they keep theirs) and from node origins.
Graph name_graph(Graph graph);

}  // namespace tenon
