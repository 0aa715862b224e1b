// Stage rewrite: rules are applied to a graph until none applies any more.
#pragma once

#include "rewrite/rule.h"

namespace tenon {

struct RewriteOutcome {
  Graph graph;
  std::map<std::string, int> applied;  // how often each rule was
  std::vector<std::string> refused;  // rules that matched but could not be carried out, and why: a mistake in the rule
  std::string unsettled;             // a rule that still applied when the bound was reached; "" if there is none
};

/// Applies the rules, in their order, node by node, until nothing changes; equal nodes are merged, and unused nodes are
/// removed. The results stay the same except for rounding, which the rules' docs describe.
RewriteOutcome rewrite_graph(Graph graph, const RuleSet& set, const RuleLibrary& library);

}  // namespace tenon
