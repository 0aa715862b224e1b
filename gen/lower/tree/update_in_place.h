// States that the steps of a recurrence change: one copy of them instead of two, and loops over what changes alone.
#pragma once

#include "ir/kernel/kernel.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// Marks definitions that may overwrite what the step before has made. A step that gives new values to single elements,
/// g[t,i] = select(i == At[t], v, g[t - 1,i]), goes over these elements only.
void update_in_place(const Kernel&, LoopTree&);

}  // namespace tenon
