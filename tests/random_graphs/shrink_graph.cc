// Outputs first, then operators from the first to the last.
#include "random_graphs/shrink_graph.h"

#include <algorithm>

namespace tenon_test {
namespace {

/// The graph with the node's results handed in by the caller.
RandomGraph without_node(const RandomGraph& g, size_t node) {
  RandomGraph out = g;
  for (const int v : g.nodes[node].outputs) {
    out.values[static_cast<size_t>(v)].from = From::Input;
    out.outputs.erase(std::remove(out.outputs.begin(), out.outputs.end(), v), out.outputs.end());
  }
  out.nodes.erase(out.nodes.begin() + static_cast<std::ptrdiff_t>(node));
  return without_unread(out);
}

}  // namespace

RandomGraph shrink_graph(RandomGraph g, const std::function<bool(const RandomGraph&)>& fails) {
  for (size_t k = 0; k < g.outputs.size() && g.outputs.size() > 1;) {
    RandomGraph less = g;
    less.outputs.erase(less.outputs.begin() + static_cast<std::ptrdiff_t>(k));
    less = without_unread(less);
    if (fails(less)) g = std::move(less);
    else ++k;
  }
  for (size_t n = 0; n < g.nodes.size();) {
    const RandomGraph less = without_node(g, n);
    if (!less.outputs.empty() && less.nodes.size() < g.nodes.size() && fails(less)) {
      g = less;
      n = 0;
    } else {
      ++n;
    }
  }
  return g;
}

}  // namespace tenon_test
