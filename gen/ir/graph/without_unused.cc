// Removes everything from a graph that its outputs do not need.
#include <map>
#include <set>

#include "ir/graph/graph_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

void rename(std::vector<ValueId>& ids, const std::vector<ValueId>& map) {
  for (ValueId& id : ids)
    if (id != kNoValue) id = map[static_cast<size_t>(id)];
}

std::vector<SizeExpr> extents_of(const AttrValue& value) {
  if (const auto* one = std::get_if<SizeExpr>(&value)) return {*one};
  const auto* list = std::get_if<std::vector<SizeExpr>>(&value);
  return list ? *list : std::vector<SizeExpr>{};
}

/// The node that writes each size: the first one that names it, because the size is unknown before that node.
std::map<std::string, const Node*> writers_of(const Graph& graph) {
  std::map<std::string, const Node*> writers;
  for (const GraphSize& s : graph.sizes)
    if (s.written) writers[s.name] = nullptr;
  if (writers.empty()) return writers;
  for (const Node& n : graph.nodes)
    for (const auto& [name, value] : n.attrs)
      if (const auto* e = std::get_if<SizeExpr>(&value); e && e->is_name())
        if (const auto w = writers.find(e->name); w != writers.end() && !w->second) w->second = &n;
  return writers;
}

/// Everything that outputs need, through nodes and regions: values, and sizes that operators write.
class Need {
 public:
  explicit Need(const Graph& graph) : graph_(graph), needed_(graph.values.size(), false), writers_(writers_of(graph)) {
    for (const ValueId id : graph.outputs) mark(id);
    for (bool more = true; more;) {
      changed_ = false;
      for (auto n = graph.nodes.rbegin(); n != graph.nodes.rend(); ++n)
        if (node(*n)) {
          for (const ValueId id : n->inputs) mark(id);
          for (const ValueId id : n->outputs) mark(id);
          for (const auto& [name, value] : n->attrs) sizes(extents_of(value));
        }
      for (size_t r = 0; r < graph.regions.size(); ++r) region(static_cast<RegionId>(r));
      more = changed_;
    }
  }

  bool value(ValueId id) const { return needed_[static_cast<size_t>(id)]; }
  bool node(const Node& n) const {
    return any_of(n.outputs, [&](ValueId id) { return value(id); });
  }
  /// Sizes that no remaining node writes.
  std::set<std::string> lost_sizes() const {
    std::set<std::string> lost;
    for (const auto& [name, writer] : writers_)
      if (!writer || !node(*writer)) lost.insert(name);
    return lost;
  }
  bool region(const Region& r, RegionId id) const {
    const std::vector<ValueId> results = results_of(r);
    if (any_of(results, [&](ValueId v) { return value(v); })) return true;
    return any_of(graph_.nodes, [&](const Node& n) { return lies_in(graph_.regions, n.region, id) && node(n); });
  }

 private:
  void mark(ValueId id) {
    if (id == kNoValue || value(id)) return;
    needed_[static_cast<size_t>(id)] = true;
    changed_ = true;
    sizes(graph_.value(id).dims);
  }

  void sizes(const std::vector<SizeExpr>& extents) {
    if (writers_.empty()) return;
    for (const SizeExpr& e : extents)
      for (const std::string& name : names_in(e))
        if (const auto w = writers_.find(name); w != writers_.end() && w->second)
          for (const ValueId id : w->second->outputs) mark(id);
  }

  void region(RegionId id) {
    const Region& r = graph_.region(id);
    if (!region(r, id)) return;
    for (const ValueId v : {r.count, r.starts, r.continues, r.condition}) mark(v);
    sizes({r.trip});
    for (const Carried& c : r.carried)
      if (value(c.inside) || value(c.result))
        for (const ValueId v : {c.initial, c.inside, c.next, c.result}) mark(v);
    for (const Slice& s : r.reads)
      if (value(s.part)) mark(s.whole);
    for (const Slice& s : r.writes)
      if (value(s.whole)) mark(s.part);
    for (const BranchResult& b : r.results)
      if (value(b.result)) mark(b.inside);
  }

  const Graph& graph_;
  std::vector<bool> needed_;
  std::map<std::string, const Node*> writers_;
  bool changed_ = false;
};

/// Removes unused regions; returns the new id of each region.
std::vector<RegionId> drop_regions(Graph& graph, const Need& need) {
  std::vector<Region> kept;
  std::vector<RegionId> map;
  for (size_t i = 0; i < graph.regions.size(); ++i) {
    const bool stays = need.region(graph.regions[i], static_cast<RegionId>(i));
    map.push_back(stays ? static_cast<RegionId>(kept.size()) : kTopLevel);
    if (!stays) continue;
    Region r = graph.regions[i];
    if (r.parent != kTopLevel) r.parent = map[static_cast<size_t>(r.parent)];
    std::erase_if(r.carried, [&](const Carried& c) { return !need.value(c.inside); });
    std::erase_if(r.reads, [&](const Slice& s) { return !need.value(s.part); });
    std::erase_if(r.writes, [&](const Slice& s) { return !need.value(s.whole); });
    std::erase_if(r.results, [&](const BranchResult& b) { return !need.value(b.result); });
    kept.push_back(std::move(r));
  }
  graph.regions = std::move(kept);
  return map;
}

}  // namespace

Graph without_unused(Graph graph) {
  const Need need(graph);
  const std::set<std::string> lost = need.lost_sizes();
  std::erase_if(graph.nodes, [&](const Node& n) { return !need.node(n); });
  const std::vector<RegionId> regions = drop_regions(graph, need);
  std::set<ValueId> inputs(graph.inputs.begin(), graph.inputs.end());
  std::vector<ValueId> map(graph.values.size(), kNoValue);
  std::vector<Value> values;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const ValueId id = static_cast<ValueId>(i);
    if (!need.value(id) && !inputs.count(id)) continue;
    map[i] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[i]));
  }
  graph.values = std::move(values);
  for (Node& n : graph.nodes) {
    rename(n.inputs, map), rename(n.outputs, map);
    if (n.region != kTopLevel) n.region = regions[static_cast<size_t>(n.region)];
  }
  for (Region& r : graph.regions)
    for_each_value(r, [&](ValueId& v) { v = v == kNoValue ? v : map[static_cast<size_t>(v)]; });
  rename(graph.inputs, map);
  rename(graph.outputs, map);
  for (StatePair& s : graph.state)
    for (ValueId* id : {&s.input, &s.next, &s.gradient})
      if (*id != kNoValue) *id = map[static_cast<size_t>(*id)];
  drop_sizes(graph, lost);
  return graph;
}

}  // namespace tenon
