// Chooses outputs of a training graph.
#include <algorithm>

#include "ir/graph/graph_passes.h"

namespace tenon {
namespace {

/// Whether an output is a gradient or replaces a state.
bool is_of_state(const Graph& graph, ValueId v) {
  return std::any_of(graph.state.begin(), graph.state.end(),
                     [&](const StatePair& s) { return s.next == v || s.gradient == v; });
}

}  // namespace

Graph step_graph(const Graph& training) {
  Graph out = training;
  const ValueId loss = training.outputs.front();
  std::erase_if(out.outputs, [&](ValueId v) { return v != loss && !is_of_state(training, v); });
  return without_unused(std::move(out));
}

}  // namespace tenon
