// What loops over rows fetch ahead: the first pass over a row finds it in the cache, later passes ask for nothing
// twice.
#pragma once

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

/// For loops whose body is several vector loops over the same extent (softmax, norms): the last of them fetches what
/// the first passes of the next iteration read, and tensors that an earlier one went over are not fetched again.
void plan_prefetch(const Kernel&, const Isa&, const Blueprints&, LoopTree&);

}  // namespace tenon
