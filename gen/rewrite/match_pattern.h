// Finds the pattern of a rule in a graph.
#pragma once

#include "rewrite/rule.h"

namespace tenon {

/// The makers and readers of a graph's values.
struct GraphIndex {
  explicit GraphIndex(const Graph& graph);
  std::vector<int> maker;    // position of the node; -1 for inputs, constants and what regions make
  std::vector<int> readers;  // inputs of nodes, outputs of the graph and regions that name the value
  std::vector<bool> named_by_region;
};

struct RuleMatch {
  std::vector<ValueId> values;  // of Rule::values; kNoValue: absent
  std::vector<int> nodes;       // of Rule::nodes, positions in the graph
  std::map<std::string, AttrValue> variables;
  std::map<std::string, Attributes> rests;
  std::map<std::string, std::vector<ValueId>> lists;
};

/// Where matches are looked for; `gone` marks nodes that take no part any more.
struct MatchedGraph {
  const Graph& graph;
  const GraphIndex& index;
  const std::vector<bool>& gone;
};

/// The match whose root is node `root`, of the root's op. All nodes are of one region, and what inner ones make is read
/// by the pattern alone, unless it is shared.
std::optional<RuleMatch> match_rule(const Rule& rule, const RuleLibrary& library, const MatchedGraph& in, int root);

}  // namespace tenon
