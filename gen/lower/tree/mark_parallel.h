// Loops that may be shared out to workers.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// Marks each outermost loop of a tree whose iterations write different elements and share no memory of the workspace.
/// A vector loop over many elements is cut into blocks first, and the loop over blocks is marked.
void mark_parallel(const Kernel&, LoopTree&);

}  // namespace tenon
