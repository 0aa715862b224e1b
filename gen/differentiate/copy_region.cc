// Copies regions from the outermost to the innermost, then the nodes in them.
#include "differentiate/backward_parts.h"

namespace tenon {
namespace {

class Copier {
 public:
  Copier(Graph& graph, const RegionCopySource& source) : graph_(graph), source_(source) {}

  RegionCopy run(const std::vector<Node>& nodes, RegionId region, RegionId parent) {
    regions_[parent_of(region)] = parent;
    out_.region = add_region(region);
    for (const Node& n : nodes) add_region(n.region);
    graph_.region(out_.region).results.clear();
    for (const auto& [from, to] : regions_)
      if (from != parent_of(region)) make_values(from, to, from == region);
    for (const Node& n : nodes)
      for (const ValueId v : n.outputs) out_.values[v] = source_.fresh(v, regions_.at(n.region));
    for (const auto& [from, to] : regions_)
      if (from != parent_of(region)) for_each_value(graph_.region(to), [&](ValueId& v) { v = mapped(v); });
    for (Node n : nodes) {
      n.name = source_.node_name(n);
      n.region = regions_.at(n.region);
      for (ValueId& v : n.inputs) v = mapped(v);
      for (ValueId& v : n.outputs) v = mapped(v);
      out_.nodes.push_back(std::move(n));
    }
    return std::move(out_);
  }

 private:
  RegionId parent_of(RegionId r) const { return graph_.region(r).parent; }

  /// The copy of a region; makes it and the regions around it if they do not exist yet.
  RegionId add_region(RegionId r) {
    if (const auto known = regions_.find(r); known != regions_.end()) return known->second;
    Region copy = graph_.region(r);
    copy.parent = add_region(copy.parent);
    if (copy.kind == Region::Kind::loop) copy.counter = source_.counter_name(copy.counter);
    graph_.regions.push_back(std::move(copy));
    return regions_[r] = static_cast<RegionId>(graph_.regions.size() - 1);
  }

  void make_values(RegionId from, RegionId to, bool outermost) {
    const Region region = graph_.region(from);
    for (const ValueId v : made_inside(region)) out_.values[v] = source_.fresh(v, to);
    if (outermost) return;
    const RegionId home = graph_.region(to).parent;
    for (const ValueId v : results_of(region))
      if (!out_.values.contains(v)) out_.values[v] = source_.fresh(v, home);
  }

  ValueId mapped(ValueId v) {
    if (v == kNoValue) return v;
    const auto own = out_.values.find(v);
    return own != out_.values.end() ? own->second : source_.outside(v);
  }

  Graph& graph_;
  const RegionCopySource& source_;
  std::map<RegionId, RegionId> regions_;
  RegionCopy out_;
};

}  // namespace

RegionCopy copy_region(Graph& graph, const std::vector<Node>& nodes, RegionId region, RegionId parent,
                       const RegionCopySource& source) {
  return Copier(graph, source).run(nodes, region, parent);
}

}  // namespace tenon
