// A graph that asks for gradients → the graph with the operators that compute them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/kernel/expr.h"
#include "support/result.h"

namespace tenon {

/// What the gradient of an operator is made of; `why` says why there is none.
struct GradientOutline {
  std::string op;           ///< what a node that computes it is called
  std::vector<bool> reads;  ///< which of the node's inputs it reads
  std::string why;
  bool result_will_do = false;    ///< it is the same of the operator's result in place of its operand
  Expr of_one_row = nullptr;      ///< a term, where it is a sum over the rows of its first cotangent (`row_sum.h`)
  std::vector<bool> by_row = {};  ///< then: which of the node's inputs the terms read in this row
};

/// Returns the parts for a node with a gradient whose inputs are not known yet.
using OutlineGradient = std::function<GradientOutline(const Graph& graph, const Node& node)>;

/// Puts the reverse sweep over the graph in the place of each node that asks for gradients, the first of them first: a
/// gradient may be differentiated again. The gradient of a loop is a loop that runs the other way; what it reads of an
/// iteration is saved by the forward loop. What sums over rows in each iteration, as the gradient of a weight in a
/// product, is one sum over the rows of all iterations, behind the loop.
Result<Graph> backward_graph(Graph graph, const OutlineGradient& outline);

}  // namespace tenon
