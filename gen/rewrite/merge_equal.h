// Common subexpressions of a graph.
#pragma once

#include "ir/graph/graph.h"

namespace tenon {

/// The graph without nodes that compute what an earlier node of the same region computes: same op, attributes and
/// inputs. Constants of equal contents count as the same. Nodes whose results outputs or regions name stay.
Graph merge_equal(Graph graph);

}  // namespace tenon
