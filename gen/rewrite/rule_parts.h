// The parts of a rule: its pattern, its condition and what it puts in its place.
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

/// Throw RecipeError, with offsets in the text of `where` and `replace`.
void check_condition(const Rule& rule, const RuleSet& set, const RuleLibrary& library);
void check_replacement(const Rule& rule, const RuleSet& set, const RuleLibrary& library);

/// The rule's recipe with `**rest` as attributes by name: stride=rest.stride. `attrs` has the names of each rest.
std::vector<RecipeStatement> with_rests(const std::vector<RecipeStatement>& recipe,
                                        const std::map<std::string, std::vector<std::string>>& attrs);

}  // namespace tenon
