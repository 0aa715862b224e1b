// Constant folding.
#pragma once

#include "rewrite/rule.h"

namespace tenon {

/// The graph with the results of nodes that read constants alone as constants, where they are not much larger than what
/// they are made of.
Graph fold_constants(Graph graph, const RuleLibrary& library);

}  // namespace tenon
