// Derives the gradient of each operator on the way to say what it reads.
#include "differentiate/backward_graph.h"
#include "semantics/node_kernels.h"

namespace tenon {

Result<Graph> backward_graph(const OpLibrary& defs, Graph graph) {
  const DerivativeTable rows(defs);
  return backward_graph(std::move(graph),
                        [&](const Graph& g, const Node& n) { return outline_gradient(defs, rows, g, n); });
}

}  // namespace tenon
