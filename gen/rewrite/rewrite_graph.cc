// Passes over the graph; each match is replaced where its root stood.
#include "rewrite/rewrite_graph.h"

#include <fmt/format.h>

#include <set>

#include "ir/graph/graph_passes.h"
#include "rewrite/graph_passes.h"
#include "rewrite/match_pattern.h"
#include "rewrite/rule_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

// A chain of rules of any sense ends long before; rules that undo each other do not.
constexpr int kMaxPasses = 64;

class Names {
 public:
  explicit Names(const Graph& graph) {
    for (const GraphSize& s : all_sizes(graph)) values_.insert(s.name);
    for (const Value& v : graph.values) values_.insert(v.name);
    for (const ValueId id : graph.outputs) values_.insert(graph.value(id).name + "_shape");
    for (const Node& n : graph.nodes) nodes_.insert(n.name);
  }
  std::string value(const std::string& base) { return fresh(base, values_, next_value_); }
  std::string node(const std::string& base) { return fresh(base, nodes_, next_node_); }

 private:
  /// `next`: the number to try for a base. Names stay taken, so that smaller ones need no second look.
  static std::string fresh(const std::string& base, std::set<std::string>& taken, std::map<std::string, int>& next) {
    std::string name = base;
    int& n = next.emplace(base, 2).first->second;
    for (; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
    return name;
  }
  std::set<std::string> values_, nodes_;
  std::map<std::string, int> next_value_, next_node_;
};

/// One pass: every node is tried once; nodes that rules create wait for the next pass.
class Pass {
 public:
  Pass(Graph& graph, const RuleSet& set, const std::map<std::string, std::vector<size_t>>& by_root,
       const RuleLibrary& library, RewriteOutcome& outcome)
      : graph_(graph),
        set_(set),
        by_root_(by_root),
        library_(library),
        outcome_(outcome),
        index_(graph),
        gone_(graph.nodes.size(), false),
        made_(graph.nodes.size()),
        names_(graph) {}

  /// Name of the last rule that was applied, "" if none was.
  std::string run() {
    std::string last;
    const size_t n = graph_.nodes.size();
    for (size_t at = 0; at < n; ++at) {
      const auto rules = by_root_.find(graph_.nodes[at].op);
      if (gone_[at] || rules == by_root_.end()) continue;
      for (const size_t r : rules->second) {
        const auto match = match_rule(set_.rules[r], library_, {graph_, index_, gone_}, static_cast<int>(at));
        if (!match || !apply(set_.rules[r], *match, at)) continue;
        ++outcome_.applied[last = set_.rules[r].name];
        break;
      }
    }
    if (!last.empty()) collect();
    return last;
  }

 private:
  Value& value(ValueId id) { return graph_.value(id); }

  RuleBindings bindings(const Rule& rule, const RuleMatch& match) const {
    RuleBindings b;
    for (size_t i = 0; i < rule.values.size(); ++i)
      if (!rule.values[i].name.empty()) b.values[rule.values[i].name] = match.values[i];
    b.lists = match.lists;
    b.attrs = match.variables;
    for (const auto& [rest, attrs] : match.rests)
      for (const auto& [name, v] : attrs) b.attrs[rest + "." + name] = v;
    return b;
  }
  /// Whether a replacement reads what it replaces, which may be asked for its type and shape only.
  static bool reads(const Replacement& by, const std::vector<ValueId>& outputs) {
    std::set<ValueId> own;
    for (size_t i = 0; i < by.inputs.size(); ++i)
      if (contains(outputs, by.inputs[i])) own.insert(by.graph.inputs[i]);
    return any_of(by.graph.nodes,
                  [&](const Node& n) { return any_of(n.inputs, [&](ValueId v) { return own.count(v) != 0; }); });
  }

  bool apply(const Rule& rule, const RuleMatch& match, size_t at) {
    std::map<std::string, std::vector<std::string>> rests;
    for (const auto& [rest, attrs] : match.rests) {
      std::vector<std::string>& names = rests[rest];
      for (const auto& [name, v] : attrs) names.push_back(name);
    }
    const std::vector<ValueId> outputs = graph_.nodes[at].outputs;
    Replacement by =
        library_.carry_out(graph_, rule, with_rests(rule.replace, rests), bindings(rule, match), outputs.size());
    if (by.applies && by.refusal.empty()) by.refusal = misfit(by.graph, outputs);
    if (by.applies && by.refusal.empty() && reads(by, outputs)) by.refusal = "it reads what it replaces";
    if (by.applies && !by.refusal.empty())
      outcome_.refused.push_back(fmt::format("{}: {}: {}", rule.name, graph_.nodes[at].origin, by.refusal));
    if (!by.applies || !by.refusal.empty()) return false;
    return splice(match, by, at);
  }

  std::string misfit(const Graph& by, const std::vector<ValueId>& outputs) {
    if (!by.regions.empty()) return "a replacement has no loops";
    if (by.outputs.size() != outputs.size())
      return fmt::format("{} results take the place of {}", by.outputs.size(), outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Value &is = by.values[static_cast<size_t>(by.outputs[i])], &was = value(outputs[i]);
      if (is.dtype != was.dtype || is.dims != was.dims)
        return "the replacement has another type or shape than what it replaces";
    }
    return "";
  }

  /// What the replacement's values are in the graph; new ones are added.
  std::vector<ValueId> places(const RuleMatch& match, const Replacement& by, const std::vector<ValueId>& outputs) {
    std::vector<ValueId> map(by.graph.values.size(), kNoValue);
    for (size_t i = 0; i < by.graph.inputs.size(); ++i) map[static_cast<size_t>(by.graph.inputs[i])] = by.inputs[i];
    for (size_t i = 0; i < outputs.size(); ++i) map[static_cast<size_t>(by.graph.outputs[i])] = outputs[i];
    std::vector<ValueId> bound = match.values;
    for (const auto& [name, list] : match.lists) bound.insert(bound.end(), list.begin(), list.end());
    for (size_t i = 0; i < map.size(); ++i) {
      if (map[i] != kNoValue) continue;
      const Value& v = by.graph.values[i];
      const auto same =
          find_if(bound, [&](ValueId b) { return b != kNoValue && v.constant && value(b).constant == v.constant; });
      if (same != bound.end()) {
        map[i] = *same;
        continue;
      }
      Value added = v;
      added.name = names_.value(value(outputs[0]).name);
      added.original = added.name;
      map[i] = static_cast<ValueId>(graph_.values.size());
      graph_.values.push_back(std::move(added));
    }
    return map;
  }

  bool splice(const RuleMatch& match, const Replacement& by, size_t at) {
    const std::vector<ValueId> outputs = graph_.nodes[at].outputs;
    // A result that is there already takes the place of the old one in all readers; what the caller or a region names
    // keeps its node.
    const bool named = graph_.nodes[at].region != kTopLevel || any_of(outputs, [&](ValueId v) {
                         return index_.named_by_region[static_cast<size_t>(v)] || contains(graph_.outputs, v);
                       });
    const auto stands_for = [&](const Node& n) {
      return n.op == "identity" && contains(by.graph.outputs, n.outputs[0]) && !made_in(by.graph, n.inputs[0]);
    };
    if (named && any_of(by.graph.nodes, stands_for)) return false;
    const std::vector<ValueId> map = places(match, by, outputs);
    grow();
    for (const Node& n : by.graph.nodes) {
      Node added = n;
      for (std::vector<ValueId>* ids : {&added.inputs, &added.outputs})
        for (ValueId& id : *ids) id = id == kNoValue ? id : map[static_cast<size_t>(id)];
      if (stands_for(n)) {
        redirect(added.outputs[0], added.inputs[0]);
        continue;
      }
      for (const ValueId v : added.inputs)
        if (v != kNoValue) ++index_.readers[static_cast<size_t>(v)];
      for (const ValueId v : added.outputs) index_.maker[static_cast<size_t>(v)] = -1;
      added.name = names_.node(n.op);
      added.origin = graph_.nodes[at].origin;
      added.region = graph_.nodes[at].region;
      made_[at].push_back(std::move(added));
    }
    remove(match, at);
    return true;
  }

  static bool made_in(const Graph& graph, ValueId id) {
    return any_of(graph.nodes, [&](const Node& n) { return contains(n.outputs, id); });
  }

  void grow() {
    index_.maker.resize(graph_.values.size(), -1);
    index_.readers.resize(graph_.values.size(), 0);
    index_.named_by_region.resize(graph_.values.size(), false);
  }

  void redirect(ValueId from, ValueId to) {
    const auto each = [&](Node& n) {
      for (ValueId& v : n.inputs)
        if (v == from) v = to, ++index_.readers[static_cast<size_t>(to)], --index_.readers[static_cast<size_t>(from)];
    };
    for (Node& n : graph_.nodes) each(n);
    for (std::vector<Node>& list : made_)
      for (Node& n : list) each(n);
  }

  /// Removes the root and the inner nodes whose results are no longer read.
  void remove(const RuleMatch& match, size_t at) {
    std::vector<int> members = match.nodes;
    sort(members, std::greater<>());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    for (const int m : members) {
      const Node& n = graph_.nodes[static_cast<size_t>(m)];
      const bool read = any_of(n.outputs, [&](ValueId v) { return index_.readers[static_cast<size_t>(v)] > 0; });
      if (static_cast<size_t>(m) != at && read) continue;
      gone_[static_cast<size_t>(m)] = true;
      for (const ValueId v : n.inputs)
        if (v != kNoValue) --index_.readers[static_cast<size_t>(v)];
    }
  }

  void collect() {
    std::vector<Node> nodes;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (Node& n : made_[i]) nodes.push_back(std::move(n));
      if (!gone_[i]) nodes.push_back(std::move(graph_.nodes[i]));
    }
    graph_.nodes = std::move(nodes);
  }

  Graph& graph_;
  const RuleSet& set_;
  const std::map<std::string, std::vector<size_t>>& by_root_;
  const RuleLibrary& library_;
  RewriteOutcome& outcome_;
  GraphIndex index_;
  std::vector<bool> gone_;
  std::vector<std::vector<Node>> made_;  // what takes the place of each node
  Names names_;
};

}  // namespace

RewriteOutcome rewrite_graph(Graph graph, const RuleSet& set, const RuleLibrary& library) {
  RewriteOutcome outcome;
  std::map<std::string, std::vector<size_t>> by_root;
  for (size_t i = 0; i < set.rules.size(); ++i) by_root[set.rules[i].root().op].push_back(i);
  graph = without_unused(merge_equal(std::move(graph)));
  // Quantised weights stay integers until no rule has use for them; constants made then may be of use to
  // others. What only moves their bits is computed before that.
  auto stage = Folded::Nothing;
  std::vector<std::string> refused;  // before weights became real numbers
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    outcome.refused.clear();  // those of the last pass, and of the last before that, say all
    outcome.unsettled = Pass(graph, set, by_root, library, outcome).run();
    if (outcome.unsettled.empty()) {
      if (stage == Folded::All) break;
      if (stage == Folded::Nothing) stage = Folded::Smaller;
      else stage = Folded::All, refused = outcome.refused;
      graph = fold_constants(std::move(graph), library, stage);
    }
    graph = without_unused(merge_equal(std::move(graph)));
  }
  for (std::string& r : refused)
    if (!contains(outcome.refused, r)) outcome.refused.push_back(std::move(r));
  outcome.graph = share_prefixes(std::move(graph));
  return outcome;
}

}  // namespace tenon
