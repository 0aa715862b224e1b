// A graph with gradients as an order of nodes in which some of the forward pass come twice.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/plan/node_kernel.h"

namespace tenon {

/// What computing again is decided by. Values that a region or the caller names, and those that nodes in regions read
/// for gradients, are kept; so is what nodes make that cannot come twice.
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

/// A node, or its second time.
struct NodeTime {
  size_t node = 0;
  bool again = false;
};
/// All nodes, and before each gradient what it reads of `dropped`.
std::vector<NodeTime> order_of(const ForwardPass& forward, const std::vector<bool>& dropped);
/// The most bytes of values that live at once.
int64_t peak_of(const ForwardPass& forward, const std::vector<bool>& dropped, const std::vector<NodeTime>& order);
/// The graph and the kernels in that order.
void reorder(Graph& graph, std::vector<NodeKernel>& kernels, const std::vector<bool>& dropped,
             const std::vector<NodeTime>& order);

}  // namespace tenon
