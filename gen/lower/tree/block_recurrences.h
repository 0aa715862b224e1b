// Rows of a recurrence that sum over the rows before them, in blocks.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// x[i,k] = … sum[j : j < i](a[i,j]*x[j,k]) …: what several rows sum over rows before all of them is summed for all at
/// once, so that each x[j,k] is loaded once for them; the rest of each sum is short. The sums of a block are kept
/// in a temp that the kernel gains.
void block_recurrences(Kernel&, LoopTree&);

}  // namespace tenon
