// Concatenations that begin as an earlier one does.
#pragma once

#include "ir/graph/graph.h"

namespace tenon {

/// The graph where a long concatenation whose first operands are those of an earlier one of the same region takes its
/// result instead of them. In densely connected networks each layer concatenates all before it: their operands, and
/// with them the text of the program, grow with the number of layers, not with its square.
Graph share_prefixes(Graph graph);

}  // namespace tenon
