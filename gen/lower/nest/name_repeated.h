// Positions that a nest writes out more than once get a name where all their variables are known.
#pragma once

#include "ir/nest/loop_nest.h"

namespace tenon {

/// The same nest with lets for parts of offsets and bounds that occur at least twice and do not change in the innermost
/// loop, and for the same kind of parts in values and conditions, in whatever loop: each is in front of its first
/// use, in the block that knows its variables. Only sums, products, extrema and selections of sizes, attributes and
/// variables move; what reads memory or can fail stays.
LoopNest name_repeated(const LoopNest& nest);

}  // namespace tenon
