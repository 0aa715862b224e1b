// Which loops over short rows take several rows at a time.
#pragma once

#include "ir/nest/isa.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// Marks loops over rows known to be short, each of which is reduced by vector loops to a number that the next rows'
/// numbers are next to: as many rows as a vector has lanes go together, and one fold gives a vector of their results.
/// The loop may be alone in another one where it sums products.
void join_rows(const Kernel&, const Isa&, LoopTree&);

/// Whether a loop of the tree takes rows together.
bool joins_rows(const Tree&);

}  // namespace tenon
