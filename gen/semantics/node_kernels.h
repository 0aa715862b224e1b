// The kernel of each operator of a graph, from its definition.
#pragma once

#include <string>
#include <vector>

#include "differentiate/backward_graph.h"
#include "differentiate/scalar_derivative.h"
#include "ir/graph/graph.h"
#include "ir/op/op_def.h"
#include "ir/plan/node_kernel.h"
#include "support/result.h"

namespace tenon {

/// In the graph's order. Where an operator does not fit its definition the diagnostics say so, with the operator's
/// origin in `file`: as `where`, or, for errors in the definition, as a note.
Result<std::vector<NodeKernel>> node_kernels(const OpLibrary& defs, const Graph& graph, const std::string& file);

/// The gradient that `node` computes; `rows` are those of `defs`.
GradientOutline outline_gradient(const OpLibrary& defs, const DerivativeTable& rows, const Graph& graph,
                                 const Node& node);

/// Replaces the nodes that request gradients by operators.
Result<Graph> backward_graph(const OpLibrary& defs, Graph graph);

}  // namespace tenon
