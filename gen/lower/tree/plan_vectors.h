// Which loops of a tree become vector loops, and how wide.
#pragma once

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// Marks the outermost loops whose iterations can be written together: every store and most loads walk memory by ones,
/// no lane needs what another does. Loops over a reduction get accumulators of their own in every lane. Without vectors
/// in the ISA, sums and products of floats still get several accumulators.
void plan_vectors(const Kernel&, const Isa&, const Blueprints&, LoopTree&);

}  // namespace tenon
