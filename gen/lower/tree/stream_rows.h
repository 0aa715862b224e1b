// Reductions along another axis than the last: rows are read one after the other.
#pragma once

#include "lower/tree/loop_tree.h"

namespace tenon {

/// y[q] = sum[r](x[r,q]), columns q around rows r, becomes blocks of rows around columns: a walk down one column meets
/// another page of memory with each row. Running values are kept in a temp that the kernel gains, for a strip of
/// columns that stays in the first cache. False where there is no such loop.
bool stream_rows(Kernel&, LoopTree&);

}  // namespace tenon
