// A kernel that calls a frame → the nest that makes the call.
#pragma once

#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// Whether the frame has a text of its own at a level above portable. Most are plain C, the same on every level.
bool differs_at(const FrameCall& call, const Isa& isa);

LoopNest lower_frame(const std::shared_ptr<const Kernel>& kernel, const Isa& isa);

}  // namespace tenon
