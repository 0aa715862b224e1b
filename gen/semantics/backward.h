// Stage backward as the driver calls it: the module `differentiate` with the definitions of the graph's operators.
#pragma once

#include "ir/graph/graph.h"
#include "ir/op/op_def.h"
#include "support/result.h"

namespace tenon {

/// Replaces the nodes that request gradients by operators.
Result<Graph> backward_graph(const OpLibrary& defs, Graph graph);

}  // namespace tenon
