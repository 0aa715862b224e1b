// Constant folding.
#pragma once

#include "rewrite/rule.h"

namespace tenon {

/// What is computed: nothing, what is not larger than what it is made of, or all that is not much larger.
enum class Folded : uint8_t { Nothing, Smaller, All };

/// The graph with the results of such nodes that read constants alone as constants.
Graph fold_constants(Graph graph, const RuleLibrary& library, Folded what);

}  // namespace tenon
