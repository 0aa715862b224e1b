// Parts of regions: their nodes, and what is the same for one iteration of a loop and for all of them.
#include <fmt/format.h>

#include "differentiate/backward_parts.h"
#include "support/ranges.h"

namespace tenon {

RegionPart take_part(const Graph& graph, const std::vector<Node>& nodes, size_t& end, RegionId outside) {
  RegionPart out{nodes[end - 1].region, {}};
  while (graph.region(out.region).parent != outside) out.region = graph.region(out.region).parent;
  const size_t last = end;
  while (end > 0 && lies_in(graph.regions, nodes[end - 1].region, out.region)) --end;
  out.nodes.assign(nodes.begin() + static_cast<std::ptrdiff_t>(end), nodes.begin() + static_cast<std::ptrdiff_t>(last));
  return out;
}

std::optional<Node> of_all_iterations(const Graph& graph, const Node& part, const IterationGradient& one,
                                      const OutlineGradient& outline) {
  const Region& loop = graph.region(one.loop);
  GradientOf whole = *part.gradient;
  if (whole.of.gradient) return std::nullopt;  // its own operator has the types of one iteration
  for (const auto& [name, attribute] : whole.of.attrs)
    if (names_size(attribute, loop.counter)) return std::nullopt;
  const size_t cotangents = whole.cotangents.size();
  for (size_t k = 0; k < one.outline.reads.size(); ++k) {
    const bool inside = k < cotangents || one.inside[k - cotangents];
    if (one.outline.reads[k] && inside != one.outline.by_row[k]) return std::nullopt;
    if (k < cotangents || !inside) continue;
    std::vector<SizeExpr>& dims = whole.inputs[k - cotangents]->dims;
    if (dims.empty()) return std::nullopt;
    dims[0] = loop.trip * dims[0];
  }
  Node out = part;
  out.op = one.outline.op;
  out.gradient = std::make_shared<const GradientOf>(std::move(whole));
  const GradientOutline all = outline(graph, out);
  const bool is_sum = all.why.empty() && all.of_one_row && same(all.of_one_row, one.outline.of_one_row) &&
                      all.by_row == one.outline.by_row && all.reads == one.outline.reads;
  return is_sum ? std::optional(std::move(out)) : std::nullopt;
}

bool is_partial(const Graph& graph, ValueId v) {
  for (const Region& r : graph.regions) {
    for (const Slice& s : r.writes)
      if (s.whole == v) return r.partial || is_partial(graph, s.part);
    for (const Slice& s : r.reads)
      if (s.part == v) return is_partial(graph, s.whole);
  }
  return false;
}

void refuse_in_branch(const Graph& graph, const Node& node, RegionId branch) {
  for (const auto& [name, attribute] : node.attrs) {
    for (RegionId r = node.region; r != branch; r = graph.region(r).parent)
      if (names_size(attribute, graph.region(r).counter))
        throw NoGradient{node.origin,
                         fmt::format("the attribute {} of {} depends on the iteration, in a branch", name, node.op)};
    for (const GraphSize& s : graph.sizes)
      if (s.written && names_size(attribute, s.name))
        throw NoGradient{node.origin, fmt::format("there is no gradient through a branch in which {} has an extent "
                                                  "that the data decide",
                                                  node.op)};
  }
}

}  // namespace tenon
