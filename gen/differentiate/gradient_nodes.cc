// Adds values and nodes to a graph for its gradients.
#include "differentiate/gradient_nodes.h"

#include "ir/graph/graph_passes.h"

namespace tenon {
namespace {

AttrValue shape_of(const std::vector<SizeExpr>& dims) {
  std::vector<int64_t> fixed;
  for (const SizeExpr& d : dims)
    if (d.is_constant()) fixed.push_back(d.value);
  return fixed.size() == dims.size() ? AttrValue(fixed) : AttrValue(dims);
}

}  // namespace

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
  return add_node(block, "full", {}, {like(adjoint_name(of), of, block.region)},
                  {{"shape", shape_of(value(of).dims)}, {"value", number}, {"dtype", value(of).dtype}});
}

ValueId GradientNodes::rows_of_all(GradientBlock& block, ValueId v) {
  std::vector<SizeExpr> dims = value(v).dims;
  dims[1] = dims[0] * dims[1];
  dims.erase(dims.begin());
  const AttrValue shape = shape_of(dims);
  const ValueId rows = new_value(value(v).name + "_rows", value(v).dtype, std::move(dims), block.region);
  return add_node(block, "reshape", {v}, {rows}, {{"shape", shape}});
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

std::optional<bool> GradientNodes::known_order(ValueId v, RegionId loop) const {
  for (const std::vector<Slice>* list : {&graph_.region(loop).reads, &graph_.region(loop).writes})
    for (const Slice& s : *list)
      if (s.part == v) return s.reversed;
  return std::nullopt;
}

Slice GradientNodes::in_all_iterations(ValueId v, RegionId loop, bool reversed) {
  for (const std::vector<Slice>* list : {&region(loop).reads, &region(loop).writes})
    for (const Slice& s : *list)
      if (s.part == v && s.reversed == reversed) return s;
  std::vector<SizeExpr> dims = value(v).dims;
  dims.insert(dims.begin(), region(loop).trip);
  const Slice made{new_value("all_" + value(v).name, value(v).dtype, std::move(dims), region(loop).parent), v,
                   reversed};
  region(loop).writes.push_back(made);
  return made;
}

}  // namespace tenon
