// Passes of the rewriter that are not rules.
#pragma once

#include "ir/graph/graph.h"
#include "rewrite/rule.h"

namespace tenon {

/// The extent of constant folding: nothing, results not larger than their operands, or results not much larger.
enum class Folded : uint8_t { Nothing, Smaller, All };

/// The graph with the results of nodes that read constants alone as constants.
Graph fold_constants(Graph graph, const RuleLibrary& library, Folded what);

/// The graph without nodes that compute what an earlier node of the same region computes: same op, attributes and
/// inputs. Constants of equal contents count as the same. Nodes whose results outputs or regions name stay.
Graph merge_equal(Graph graph);

/// The graph where a long concatenation whose first operands are those of an earlier one of the same region takes its
/// result instead of them. In densely connected networks each layer concatenates all before it: their operands, and
/// with them the text of the program, grow with the number of layers, not with its square.
Graph share_prefixes(Graph graph);

}  // namespace tenon
