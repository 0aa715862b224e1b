// Constant folding.
#pragma once

#include "rewrite/rule.h"

namespace tenon {

/// Which nodes are folded: none, those whose result is not larger than their inputs, or all not much larger.
enum class Folded : uint8_t { Nothing, Smaller, All };

/// The graph with the results of such nodes that read constants alone as constants.
Graph fold_constants(Graph graph, const RuleLibrary& library, Folded what);

}  // namespace tenon
