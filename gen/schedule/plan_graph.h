// Graph and the kernel of each operator → execution plan: fusion, views, prepacked weights, shared kernels.
#pragma once

#include <vector>

#include "ir/nest/isa.h"
#include "ir/plan/execution_plan.h"
#include "ir/plan/node_kernel.h"

namespace tenon {

struct PlanOptions {
  bool fuse = true;    ///< false: a kernel per operator
  bool views = true;   ///< false: every value has memory of its own
  bool quads = false;  ///< some level multiplies words of four bytes: weights of 8 bits are packed for it too
  std::vector<const Isa*> winograd = {};  ///< levels that convolutions are chosen for; none: all are sums of products
  bool vectors = true;                    ///< some level has vectors
};

/// The plan of a graph whose operators have `kernels`, in the graph's order. Offsets in the arena are assigned when the
/// workspaces are known (plan_memory).
ExecutionPlan plan_graph(const Graph& graph, std::vector<NodeKernel> kernels, const PlanOptions& options);

}  // namespace tenon
