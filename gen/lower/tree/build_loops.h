// Statements → loop tree, and the passes that change both the kernel and its tree, in the order of `prepare`.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// The kernel's reductions must be alone (separate-reductions). Statements share a loop when every tensor that one
/// writes and the other touches is indexed by that loop's variable in both, in the same dimension.
LoopTree build_loops(const Kernel&);

/// Where a kernel with temps scatters, neighbouring loops of one extent around others become one if every iteration has
/// elements of its own of all that is written: the temps then need room for one iteration. A transposed convolution
/// goes over images, groups and channels, and keeps the products of one channel instead of those of all images; the
/// gradient of a pool the places of the maxima of one channel.
void join_scatters(const Kernel&, LoopTree&);

/// x[i,k] = … sum[j : j < i](a[i,j]*x[j,k]) …: what several rows sum over rows before all of them is summed for all at
/// once, so that each x[j,k] is loaded once for them; the rest of each sum is short. The sums of a block are kept
/// in a temp that the kernel gains.
void block_recurrences(Kernel&, LoopTree&);

/// for y: (line = …; Y[y,x] = … line[x + s] …): the lines of some rows are made, and then these rows of Y. A vector
/// load from several recent stores stalls until they are in the cache; here other rows are processed in between.
/// Without vectors, rows of a known number keep one line, which takes less memory: true where that makes a difference.
bool block_lines(Kernel&, LoopTree&, bool vectors);

/// y[q] = sum[r](x[r,q]), columns q around rows r, becomes blocks of rows around columns: a walk down one column
/// touches another page of memory in each row. Running values are kept in a temp that the kernel gains, for a strip of
/// columns that stays in the first cache. False where there is no such loop.
bool stream_rows(Kernel&, LoopTree&);

}  // namespace tenon
