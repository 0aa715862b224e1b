// Inputs whose open extents broadcast, if it is known only at run time which of them are 1.
#pragma once

#include "frontend/graph/graph_builder.h"

namespace tenon {

/// Puts a `stretch_ones` before each input of an op whose extents may be 1 where those of another input are larger.
/// Throws GraphError.
void stretch_open_extents(GraphBuilder& builder, const OpSignature& signature, std::vector<ValueId>& inputs);

}  // namespace tenon
