// Rows of temps that fit into the output's memory.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// A temp of the shape and type of an output, whose last use computes the output's element from its own, is kept in the
/// output until then: softmax needs no memory for its exponentials.
void reuse_outputs(const Kernel&, LoopTree&);

}  // namespace tenon
