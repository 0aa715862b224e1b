// Passes over loop nests.
#pragma once

#include <vector>

#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"
#include "ir/plan/lowered_plan.h"

namespace tenon {

/// The same nest, where reductions over every second element of lines pick them by the shortest instructions; their
/// lanes are put in order where they are used.
LoopNest order_late(LoopNest nest, const Isa& isa);

/// Puts large arrays of a body into the workspace.
void move_large_arrays(LoopNest& nest);

/// The same nest with conditions around what only outputs need that a call may leave out (Tensor::given), which may be
/// NULL then.
LoopNest skip_outputs(LoopNest nest);

/// The same nest with lets for parts of offsets and bounds that occur at least twice and do not change in the innermost
/// loop, and for the same kind of parts in values and conditions, in whatever loop: each is in front of its first
/// use, in the block that knows its variables. Only sums, products, extrema and selections of sizes, attributes and
/// variables move; what reads memory or can fail stays.
LoopNest name_repeated(const LoopNest& nest);

/// The nest with Parallel loops only where it is proved that no two iterations meet in memory that all workers have:
/// from 0 in steps of 1, with the buffers that each worker has for itself. They may be inside each other, and inside of
/// other loops and branches; which of them is shared out is for the call to say.
LoopNest share_loops(LoopNest nest);

/// `root` with every number that a let reads stored to a separate buffer, which is added to `buffers`, and read again
/// from there: phases re-evaluate lets, and with results in place the tensor may be overwritten by then. Unchanged if
/// no parallel loop follows.
Block keep_lets(Block root, std::vector<Buffer>& buffers);

/// The phases in order; empty where the nest has no parallel loop that can be taken apart. Loops of one iteration are
/// opened, loops directly inside each other become one.
std::vector<Phase> parallel_phases(const LoopNest& nest);

}  // namespace tenon
