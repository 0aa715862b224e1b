// Chooses outputs of a training graph.
#include "ir/graph/training_graphs.h"

#include <algorithm>

#include "ir/graph/without_unused.h"

namespace tenon {
namespace {

/// Whether an output is a gradient or replaces a state.
bool is_of_state(const Graph& graph, ValueId v) {
  return std::any_of(graph.state.begin(), graph.state.end(),
                     [&](const StatePair& s) { return s.next == v || s.gradient == v; });
}

/// Takes inputs that hold a state and that nothing reads out of the graph.
void drop_unread_states(Graph& graph, const std::vector<StatePair>& states) {
  const auto is_read = [&](ValueId v) {
    for (const Node& n : graph.nodes)
      if (std::count(n.inputs.begin(), n.inputs.end(), v) > 0) return true;
    for (const Region& r : graph.regions) {
      const std::vector<ValueId> entering = read_by(r), leaving = handed_on(r);
      if (std::count(entering.begin(), entering.end(), v) > 0 || std::count(leaving.begin(), leaving.end(), v) > 0)
        return true;
    }
    return std::count(graph.outputs.begin(), graph.outputs.end(), v) > 0;
  };
  for (const StatePair& s : states)
    if (!is_read(s.input)) std::erase(graph.inputs, s.input);
}

}  // namespace

Graph step_graph(const Graph& training) {
  Graph out = training;
  const ValueId loss = training.outputs.front();
  std::erase_if(out.outputs, [&](ValueId v) { return v != loss && !is_of_state(training, v); });
  return without_unused(std::move(out));
}

Graph forward_graph(const Graph& training) {
  Graph out = training;
  std::erase_if(out.outputs, [&](ValueId v) { return is_of_state(training, v); });
  out.state.clear();
  // Operators that only lead to gradients go first, then the states that only these read.
  Graph kept = out;
  kept.state = training.state;
  for (StatePair& s : kept.state) s.next = s.gradient = kNoValue;
  kept = without_unused(std::move(kept));
  const std::vector<StatePair> states = std::move(kept.state);
  kept.state.clear();
  drop_unread_states(kept, states);
  return without_unused(std::move(kept));
}

}  // namespace tenon
