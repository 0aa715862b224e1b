// Names of everything in a graph.
#include "frontend/graph/name_graph.h"

namespace tenon {
Graph name_graph(Graph graph, const std::string& program) {
  CNames values(NamesOf::model, program), nodes;
  for (const GraphSize& s : all_sizes(graph)) values.take(s.name);
  const auto name = [&](ValueId id) {
    Value& v = graph.values[static_cast<size_t>(id)];
    if (v.name.empty()) v.name = values.fresh(v.original);
  };
  for (ValueId id : graph.inputs) name(id);
  for (ValueId id : graph.outputs) {
    name(id);
    values.take(graph.values[static_cast<size_t>(id)].name + "_shape");  // the field next to it
  }
  for (size_t i = 0; i < graph.values.size(); ++i) name(static_cast<ValueId>(i));
  for (Node& n : graph.nodes) n.name = nodes.fresh(n.op);
  return graph;
}

}  // namespace tenon
