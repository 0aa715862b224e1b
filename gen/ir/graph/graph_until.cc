// Finds the value, makes it the output, and drops what does not lead to it.
#include <algorithm>

#include "ir/graph/graph_passes.h"

namespace tenon {
namespace {

const Value& value_of(const Graph& graph, ValueId id) { return graph.values[static_cast<size_t>(id)]; }

/// Values that operators outside of loops and branches make, and the outputs.
std::vector<ValueId> visible_values(const Graph& graph) {
  std::vector<ValueId> out;
  for (const Node& n : graph.nodes)
    if (n.region == kTopLevel)
      for (const ValueId v : n.outputs)
        if (v != kNoValue) out.push_back(v);
  for (const ValueId v : graph.outputs)
    if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  return out;
}

}  // namespace

std::optional<Graph> graph_until(const Graph& graph, const std::string& value) {
  for (const ValueId v : visible_values(graph)) {
    if (value_of(graph, v).original != value && value_of(graph, v).name != value) continue;
    Graph out = graph;
    out.outputs = {v};
    out.state.clear();
    return without_unused(std::move(out));
  }
  return std::nullopt;
}

std::vector<std::string> values_to_see(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId v : visible_values(graph))
    names.push_back(value_of(graph, v).original.empty() ? value_of(graph, v).name : value_of(graph, v).original);
  return names;
}

}  // namespace tenon
