// The naive interpreter of graphs: every operator by its own kernel, in the graph's order, with its loops and branches.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/plan/node_kernel.h"
#include "oracle/run_kernel.h"

namespace tenon {

/// The results of a run, or the operator that ended it and the status.
struct GraphRun {
  OracleStatus status = OracleStatus::Done;
  std::string origin;
  std::vector<TensorData> outputs;  ///< in the graph's order
  SizeValues sizes;                 ///< those given, and those that operators wrote
};

/// The relative perturbation of numbers, and the stream of pseudo-random numbers that determines the sign; a share of 0
/// disables it.
struct Jitter {
  double share = 0;
  uint64_t stream = 1;
};

/// Runs the graph. `kernels` are parallel to graph.nodes; `sizes` has every run-time size, for those that operators
/// write the bound; `inputs` are in the graph's order with the extents that the sizes imply. A loop with fewer
/// iterations than results that it writes by parts is a Shape. Every floating number that comes in, is in the graph
/// or is made differs from itself by up to the share of `jitter`: what rounding may do.
GraphRun run_graph(const Graph& graph, const std::vector<NodeKernel>& kernels, const SizeValues& sizes,
                   const std::vector<TensorData>& inputs, Jitter jitter = {});

/// How many numbers a run computes, those inside of sums and the like among them, with every loop at its maximum
/// number of iterations.
double graph_work(const Graph& graph, const std::vector<NodeKernel>& kernels, const SizeValues& sizes);

}  // namespace tenon
