// Passes over the graph; each match is replaced where its root stood.
#include "rewrite/rewrite_graph.h"

#include <fmt/format.h>

#include <list>
#include <set>

#include "ir/graph/graph_passes.h"
#include "rewrite/graph_passes.h"
#include "rewrite/match_pattern.h"
#include "rewrite/rule_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

// Results of rules are matched in the next pass, after equal nodes are merged. A graph that needs more passes is a long
// chain along which something moves node by node: from then on results are matched immediately, which takes linear
// time.
constexpr int kPatientPasses = 8;
// Sensible rules replace a node a few times; rules that undo each other never terminate.
constexpr size_t kMostForEachNode = 16, kMostAtLeast = 1024;

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

/// Rules by the op of their root.
struct RulesOfOps {
  const RuleSet& set;
  const RuleLibrary& library;
  std::map<std::string, std::vector<size_t>> by_root;
};

/// One pass: every node is tried once. Nodes that rules make wait for the next pass, or are tried `at_once`.
class Pass {
 public:
  Pass(Graph& graph, const RulesOfOps& rules, RewriteOutcome& outcome, bool at_once)
      : graph_(graph),
        rules_(rules),
        library_(rules.library),
        outcome_(outcome),
        at_once_(at_once),
        index_(graph),
        gone_(graph.nodes.size(), false),
        readers_(graph.values.size()),
        names_(graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      order_.push_back(i);
      for (const ValueId v : graph.nodes[i].inputs)
        if (v != kNoValue) readers_[static_cast<size_t>(v)].push_back(i);
    }
  }

  /// Name of the last rule that was applied, "" if none was. Applies `most` at most, and takes off what it applies.
  std::string run(size_t& most) {
    std::string last;
    const size_t n = graph_.nodes.size();
    for (auto at = order_.begin(); at != order_.end();) {
      const bool tried = (at_once_ || *at < n) && most > 0;
      const std::string rule = tried ? apply_any(at) : "";
      if (!rule.empty()) {
        ++outcome_.applied[last = rule];
        --most;
      }
      at = !rule.empty() && at_once_ ? first_made_ : std::next(at);
    }
    if (!last.empty()) collect();
    return last;
  }

 private:
  using Place = std::list<size_t>::iterator;

  /// The name of the first rule that could be applied, "" where none was.
  std::string apply_any(Place place) {
    const size_t at = *place;
    const auto rules = rules_.by_root.find(graph_.nodes[at].op);
    if (gone_[at] || rules == rules_.by_root.end()) return "";
    for (const size_t r : rules->second) {
      const Rule& rule = rules_.set.rules[r];
      const auto match = match_rule(rule, library_, {graph_, index_, gone_}, static_cast<int>(at));
      if (match && apply(rule, *match, place)) return rule.name;
    }
    return "";
  }

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
  /// Whether a replacement reads the value it replaces, of which only type and shape may be used.
  static bool reads(const Replacement& by, const std::vector<ValueId>& outputs) {
    std::set<ValueId> own;
    for (size_t i = 0; i < by.inputs.size(); ++i)
      if (contains(outputs, by.inputs[i])) own.insert(by.graph.inputs[i]);
    return any_of(by.graph.nodes,
                  [&](const Node& n) { return any_of(n.inputs, [&](ValueId v) { return own.count(v) != 0; }); });
  }

  bool apply(const Rule& rule, const RuleMatch& match, Place place) {
    const size_t at = *place;
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
    return splice(match, by, place);
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

  /// Maps the replacement's values to the graph; new ones are added.
  std::vector<ValueId> places(const RuleMatch& match, const Replacement& by, const std::vector<ValueId>& outputs) {
    std::vector<ValueId> map(by.graph.values.size(), kNoValue);
    for (size_t i = 0; i < by.graph.inputs.size(); ++i) map[static_cast<size_t>(by.graph.inputs[i])] = by.inputs[i];
    for (size_t i = 0; i < outputs.size(); ++i) map[static_cast<size_t>(by.graph.outputs[i])] = outputs[i];
    std::vector<ValueId> bound = match.values;
    for (const auto& [name, list] : match.lists) append(bound, list);
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

  bool splice(const RuleMatch& match, const Replacement& by, Place place) {
    const size_t at = *place;
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
    first_made_ = std::next(place);
    for (const Node& n : by.graph.nodes) {
      Node added = n;
      for (std::vector<ValueId>* ids : {&added.inputs, &added.outputs})
        for (ValueId& id : *ids) id = id == kNoValue ? id : map[static_cast<size_t>(id)];
      if (stands_for(n)) {
        redirect(added.outputs[0], added.inputs[0]);
        continue;
      }
      added.name = names_.node(n.op);
      added.origin = graph_.nodes[at].origin;
      added.region = graph_.nodes[at].region;
      insert(std::move(added), place);
    }
    remove(match, at);
    return true;
  }

  /// Adds a node before the root, in whose place it is.
  void insert(Node added, Place root) {
    const size_t id = graph_.nodes.size();
    for (const ValueId v : added.inputs)
      if (v != kNoValue) {
        ++index_.readers[static_cast<size_t>(v)];
        readers_[static_cast<size_t>(v)].push_back(id);
      }
    for (const ValueId v : added.outputs) index_.maker[static_cast<size_t>(v)] = at_once_ ? static_cast<int>(id) : -1;
    graph_.nodes.push_back(std::move(added));
    gone_.push_back(false);
    const Place made = order_.insert(root, id);
    if (first_made_ == std::next(root)) first_made_ = made;
  }

  static bool made_in(const Graph& graph, ValueId id) {
    return any_of(graph.nodes, [&](const Node& n) { return contains(n.outputs, id); });
  }

  void grow() {
    index_.maker.resize(graph_.values.size(), -1);
    index_.readers.resize(graph_.values.size(), 0);
    index_.named_by_region.resize(graph_.values.size(), false);
    readers_.resize(graph_.values.size());
  }

  void redirect(ValueId from, ValueId to) {
    std::vector<size_t> readers = std::move(readers_[static_cast<size_t>(from)]);
    readers_[static_cast<size_t>(from)].clear();
    for (const size_t r : readers) {
      if (gone_[r]) continue;
      for (ValueId& v : graph_.nodes[r].inputs)
        if (v == from) v = to, ++index_.readers[static_cast<size_t>(to)], --index_.readers[static_cast<size_t>(from)];
    }
    std::vector<size_t>& of_new = readers_[static_cast<size_t>(to)];
    append(of_new, readers);
  }

  /// Removes the root and the inner nodes whose results are no longer read, each before what it reads.
  void remove(const RuleMatch& match, size_t at) {
    for (auto m = match.nodes.rbegin(); m != match.nodes.rend(); ++m) {
      const size_t member = static_cast<size_t>(*m);
      const Node& n = graph_.nodes[member];
      const bool read = any_of(n.outputs, [&](ValueId v) { return index_.readers[static_cast<size_t>(v)] > 0; });
      if (gone_[member] || (member != at && read)) continue;
      gone_[member] = true;
      for (const ValueId v : n.inputs)
        if (v != kNoValue) --index_.readers[static_cast<size_t>(v)];
    }
  }

  void collect() {
    std::vector<Node> nodes;
    for (const size_t i : order_)
      if (!gone_[i]) nodes.push_back(std::move(graph_.nodes[i]));
    graph_.nodes = std::move(nodes);
  }

  Graph& graph_;
  const RulesOfOps& rules_;
  const RuleLibrary& library_;
  RewriteOutcome& outcome_;
  bool at_once_;
  GraphIndex index_;
  std::vector<bool> gone_;
  std::vector<std::vector<size_t>> readers_;  // nodes that read each value, some of them gone
  std::list<size_t> order_;                   // of the nodes; those that were made are at the end of the graph's
  Place first_made_;                          // where the last rule was applied; behind its root if it made nothing
  Names names_;
};

}  // namespace

RewriteOutcome rewrite_graph(Graph graph, const RuleSet& set, const RuleLibrary& library) {
  RewriteOutcome outcome;
  RulesOfOps rules{set, library, {}};
  for (size_t i = 0; i < set.rules.size(); ++i) rules.by_root[set.rules[i].root().op].push_back(i);
  size_t most = kMostAtLeast + kMostForEachNode * graph.nodes.size();
  graph = without_unused(merge_equal(std::move(graph)));
  // Quantised weights stay integers until no rule applies to them; constants computed then may enable other rules.
  // Operators that only move their bits are computed earlier.
  auto stage = Folded::Nothing;
  std::vector<std::string> refused;  // before weights became real numbers
  for (int pass = 0; most > 0; ++pass) {
    outcome.refused.clear();  // those of the last pass, and of the last before that, say all
    outcome.unsettled = Pass(graph, rules, outcome, pass >= kPatientPasses).run(most);
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
