// Whether the names and calls of a rule's condition and replacement mean something.
#pragma once

#include "rewrite/rule.h"

namespace tenon {

/// Throw RecipeError, with offsets in the text of `where` and `replace`.
void check_condition(const Rule& rule, const RuleSet& set, const RuleLibrary& library);
void check_replacement(const Rule& rule, const RuleSet& set, const RuleLibrary& library);

/// The rule's recipe with `**rest` as attributes by name: stride=rest.stride. `attrs` has the names of each rest.
std::vector<RecipeStatement> with_rests(const std::vector<RecipeStatement>& recipe,
                                        const std::map<std::string, std::vector<std::string>>& attrs);

}  // namespace tenon
