// Long floating-point sums in blocks, so that their error does not grow with their length.
#pragma once

#include "ir/kernel/kernel.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// Splits each loop that sums in floating point, and may run longer than one accumulator adds accurately, into blocks:
/// a block is added up as before, and the blocks into a compensated total.
void block_sums(const Kernel&, LoopTree&);

}  // namespace tenon
