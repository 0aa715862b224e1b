// From a graph to its execution plan: the kernel of each operator, fusion, views. What lowering needs is in the plan;
// offsets in the arena are assigned when the workspaces are known.
#pragma once

#include <optional>

#include "ir/op/op_def.h"
#include "ir/plan/execution_plan.h"
#include "oracle/run_graph.h"
#include "support/diagnostics.h"

namespace tenon {

struct PlanOptions {
  bool fuse = true;   ///< false: a kernel an operator
  bool views = true;  ///< false: every value has memory of its own
};

/// What is wrong with a node, and which one it is.
struct PlanFailure {
  Diagnostics diagnostics;
  std::string origin;
};

/// The plan of a graph. Nothing where a node does not fit its definition, which `failure` then says.
std::optional<ExecutionPlan> plan_graph(const OpLibrary& defs, const Graph& graph, const PlanOptions& options,
                                        PlanFailure& failure);

/// The kernel of each operator, in the graph's order. Nothing as above.
std::optional<std::vector<NodeKernel>> node_kernels(const OpLibrary& defs, const Graph& graph, PlanFailure& failure);

}  // namespace tenon
