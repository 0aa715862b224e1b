// The last steps of reading a graph: what no output needs goes, and everything gets a unique C identifier.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"

namespace tenon {

/// `original` made an identifier of C that is no keyword and not in `taken`, to which it is added.
std::string c_name(const std::string& original, std::set<std::string>& taken);

/// The graph without nodes, constants and values that no output needs. Inputs stay.
Graph without_unused(Graph graph);

/// The graph with names made from `Value::original` (inputs and outputs first, so that they keep theirs) and from node origins.
Graph name_graph(Graph graph);

}  // namespace tenon
