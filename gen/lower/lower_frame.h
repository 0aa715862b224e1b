// A kernel that calls a frame → the nest that makes the call.
#pragma once

#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// Frames are plain C: the same on every level.
LoopNest lower_frame(const std::shared_ptr<const Kernel>& kernel, const Isa& isa);

}  // namespace tenon
