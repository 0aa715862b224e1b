// Adds values and nodes to a graph for its gradients.
#include "differentiate/gradient_nodes.h"

#include "ir/graph/graph_passes.h"

namespace tenon {

GradientNodes::GradientNodes(Graph& graph, Node asks)
    : graph_(graph), asks_(std::move(asks)), home_(graph.values.size(), kTopLevel) {
  take_names(graph, value_names_, node_names_);
  for (const Node& n : graph.nodes)
    for (const ValueId v : n.outputs) home_[static_cast<size_t>(v)] = n.region;
  for (size_t r = 0; r < graph.regions.size(); ++r)
    for (const ValueId v : made_inside(graph.regions[r])) home_[static_cast<size_t>(v)] = static_cast<RegionId>(r);
  for (const Region& r : graph.regions)
    for (const ValueId v : results_of(r)) home_[static_cast<size_t>(v)] = r.parent;
}

ValueId GradientNodes::new_value(const std::string& base, DType dtype, std::vector<SizeExpr> dims, RegionId home) {
  Value v;
  v.name = value_names_.fresh(base);
  v.dtype = dtype;
  v.dims = std::move(dims);
  graph_.values.push_back(std::move(v));
  home_.push_back(home);
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId GradientNodes::add_node(GradientBlock& block, Node node) {
  node.name = node_names_.fresh(node.op);
  if (node.origin.empty()) node.origin = asks_.origin;
  node.region = block.region;
  block.nodes.push_back(std::move(node));
  return block.nodes.back().outputs[0];
}

ValueId GradientNodes::add_node(GradientBlock& block, const std::string& op, std::vector<ValueId> inputs,
                                std::vector<ValueId> outputs, Attributes attrs) {
  return add_node(block, Node{"", op, std::move(inputs), std::move(attrs), std::move(outputs), ""});
}

ValueId GradientNodes::filled(GradientBlock& block, ValueId of, int64_t number) {
  const std::vector<SizeExpr> dims = value(of).dims;
  std::vector<int64_t> fixed;
  for (const SizeExpr& d : dims)
    if (d.is_constant()) fixed.push_back(d.value);
  const AttrValue shape = fixed.size() == dims.size() ? AttrValue(fixed) : AttrValue(dims);
  return add_node(block, "full", {}, {like(adjoint_name(of), of, block.region)},
                  {{"shape", shape}, {"value", number}, {"dtype", value(of).dtype}});
}

ValueId GradientNodes::adjoint(GradientBlock& block, ValueId of) {
  const auto at = block.adjoints.find(of);
  if (at == block.adjoints.end()) return kNoValue;
  std::vector<ValueId>& parts = at->second;
  while (parts.size() > 1) {
    parts[0] = add_node(block, "add", {parts[0], parts[1]}, {like(adjoint_name(of), of, block.region)});
    parts.erase(parts.begin() + 1);
  }
  return parts[0];
}

}  // namespace tenon
