// The `match` of a rule as pattern nodes.
#pragma once

#include "rewrite/rule.h"

namespace tenon {

/// Words of a rule next to its pattern.
struct PatternWords {
  std::set<std::string> optional;
  std::set<std::string> shared;
};

/// Fills `values` and `nodes` of the rule from its `match`. Throws RecipeError, with offsets in the text of `match`.
void parse_pattern(const std::vector<RecipeStatement>& match, const PatternWords& words, const RuleSet& set,
                   const RuleLibrary& library, Rule& rule);

}  // namespace tenon
