// Statements → loop tree, sharing loops where the values that flow between statements allow it.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// The kernel's reductions must be alone (separate-reductions). Statements share a loop when every tensor that one
/// writes and the other touches is indexed by that loop's variable in both, in the same dimension.
LoopTree build_loops(const Kernel&);

}  // namespace tenon
