// The loops of a library's kernel that workers share.
#pragma once

#include "ir/nest/loop_nest.h"

namespace tenon {

/// The nest with Parallel loops only where it is proved that no two iterations meet in memory that all workers have:
/// from 0 in steps of 1, with the buffers that each worker has for itself. They may be inside each other, and inside of
/// other loops and branches; which of them is shared out is for the call to say.
LoopNest share_loops(LoopNest nest);

}  // namespace tenon
