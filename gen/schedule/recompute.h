// Values of the forward pass that are computed again for the gradients instead of being kept until then.
#pragma once

#include <cstdint>
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

/// The data for choosing values to recompute. Values that a region or the caller names, those that nodes in regions
/// read for gradients, and results of nodes that cannot be repeated are kept.
struct ForwardPass {
  ForwardPass(const Graph& graph, const std::vector<NodeKernel>& kernels, size_t end);

  /// Adds the nodes that make `v` again where the values of `dropped` are not kept, producers first. `counted` holds
  /// what is there already.
  void add_makers(ValueId v, const std::vector<bool>& dropped, std::vector<bool>& counted,
                  std::vector<size_t>& made) const;
  double work_of(const std::vector<size_t>& nodes) const;

  const Graph& graph;
  size_t end;                     ///< the first node of the gradients
  std::vector<int> maker;         ///< per value: the node of the forward pass that makes it; -1: none, or it is kept
  std::vector<size_t> last_read;  ///< per value: the last node of the forward pass that reads it
  std::vector<bool> saved;        ///< per value: a gradient reads it
  std::vector<int64_t> bytes;     ///< per value, at the maximum sizes
  std::vector<double> work;       ///< per node: operations, and a few for each byte of its operands
  double whole = 0;               ///< work of all nodes
};

/// A node, or its second occurrence.
struct NodeTime {
  size_t node = 0;
  bool again = false;
};
/// All nodes, and before each gradient what it reads of `dropped`.
std::vector<NodeTime> order_of(const ForwardPass& forward, const std::vector<bool>& dropped);
/// The maximum number of live bytes.
int64_t peak_of(const ForwardPass& forward, const std::vector<bool>& dropped, const std::vector<NodeTime>& order);
/// The graph and the kernels in that order.
void reorder(Graph& graph, std::vector<NodeKernel>& kernels, const std::vector<bool>& dropped,
             const std::vector<NodeTime>& order);

}  // namespace tenon
