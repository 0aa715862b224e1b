// Values of the forward pass that are computed again for the gradients instead of being kept until then.
#pragma once

#include <vector>

#include "ir/graph/graph.h"
#include "ir/plan/node_kernel.h"
#include "schedule/plan_graph.h"

namespace tenon {

enum class Recompute : uint8_t {
  never,      ///< all that gradients read of the forward pass is kept
  automatic,  ///< what costs least for its bytes is computed again, for a tenth of the step's work at most
  always,     ///< the least memory, for one more forward pass at most
};

struct ComputedAgain {
  size_t nodes = 0;   ///< that come twice
  int64_t bytes = 0;  ///< of the values that are not kept
  double work = 0;    ///< recomputed work as a share of the whole
};

/// A graph and the kernels of its nodes in which some nodes come twice: the second time in front of the gradient that
/// reads what they make. The graph itself where that does not lower the bytes that are live at once.
struct Recomputed {
  Graph graph;
  std::vector<NodeKernel> kernels;
  ComputedAgain again = {};
};
Recomputed recompute(Graph graph, std::vector<NodeKernel> kernels, Recompute mode, const PlanOptions& options);

/// Position of the first node that computes a gradient; the number of nodes if there is none.
size_t first_gradient(const Graph& graph);

}  // namespace tenon
