// Equal nodes become one.
#include <algorithm>
#include <map>
#include <tuple>

#include "rewrite/graph_passes.h"

namespace tenon {
namespace {

/// Stands for constants of equal contents; small ones only, which is where they are copied.
std::vector<ValueId> merged_constants(const Graph& graph) {
  constexpr size_t worth_bytes = 4096;
  std::vector<ValueId> map(graph.values.size());
  std::map<std::tuple<DType, std::vector<int64_t>, std::vector<uint8_t>>, ValueId> first;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const Value& v = graph.values[i];
    map[i] = static_cast<ValueId>(i);
    if (!v.constant || v.trainable || v.constant->bytes.size() > worth_bytes) continue;
    map[i] = first.emplace(std::tuple(v.dtype, v.constant->dims, v.constant->bytes), map[i]).first->second;
  }
  return map;
}

std::string attribute_text(const Attributes& attrs) {
  std::string text;
  for (const auto& [name, value] : attrs) text += name + "=" + std::to_string(value.index()) + to_text(value) + ";";
  return text;
}

/// What nodes of one op and equal inputs may differ in.
std::string details_of(const Node& n) {
  std::string text = attribute_text(n.attrs);
  if (!n.gradient) return text;
  // Shapes of inputs that the gradient does not read.
  for (const auto& input : n.gradient->inputs) {
    text += input ? std::string(name_of(input->dtype)) + "[" : "_";
    for (const SizeExpr& d : input ? input->dims : std::vector<SizeExpr>{}) text += to_text(d) + ",";
  }
  for (const size_t y : n.gradient->cotangents) text += ";" + std::to_string(y);
  return text + details_of(n.gradient->of);
}

}  // namespace

Graph merge_equal(Graph graph) {
  std::vector<ValueId> map = merged_constants(graph);
  std::vector<bool> named(graph.values.size(), false);
  for (const ValueId v : graph.outputs) named[static_cast<size_t>(v)] = true;
  for (Region& r : graph.regions)
    for_each_value(r, [&](ValueId& v) {
      if (v != kNoValue) named[static_cast<size_t>(v)] = true;
    });
  std::map<std::tuple<RegionId, std::string, std::vector<ValueId>, std::string>, size_t> seen;
  std::vector<Node> nodes;
  for (Node& n : graph.nodes) {
    for (ValueId& v : n.inputs) v = v == kNoValue ? v : map[static_cast<size_t>(v)];
    const auto [at, added] = seen.emplace(std::tuple(n.region, n.op, n.inputs, details_of(n)), nodes.size());
    const bool stays =
        added || n.outputs.size() != nodes[at->second].outputs.size() ||
        std::any_of(n.outputs.begin(), n.outputs.end(), [&](ValueId v) { return named[static_cast<size_t>(v)]; });
    if (!stays)
      for (size_t i = 0; i < n.outputs.size(); ++i)
        map[static_cast<size_t>(n.outputs[i])] = nodes[at->second].outputs[i];
    else nodes.push_back(std::move(n));
  }
  graph.nodes = std::move(nodes);
  return graph;
}

}  // namespace tenon
