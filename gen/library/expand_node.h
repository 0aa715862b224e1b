// One operator of a graph → its kernel: types and extents are those of the graph, attributes are constants.
#pragma once

#include "library/bind_node.h"

namespace tenon {

/// bind_node, then the body. Sizes are declared with the ranges of `sizes`. `for_gradients`: stop(x) is kept in it.
std::optional<BoundCall> expand_node(const NodeCall& node, const std::vector<GraphSize>& sizes,
                                     Diagnostics& diagnostics, bool for_gradients = false);

}  // namespace tenon
