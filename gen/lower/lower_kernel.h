// The door of lowering: what a kernel does on one ISA level, as a loop nest.
#pragma once

#include <string>
#include <vector>

#include "ir/blueprint.h"
#include "ir/isa.h"
#include "ir/kernel.h"
#include "ir/loop_nest.h"

namespace tenon {

/// The body of `kernel` at level `isa`. Correct for every kernel; the blueprints say how fast ones are shaped.
LoopNest lower_kernel(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa);
/// True when the level's own body differs from the portable one in speed: vectors, or fused multiply-adds in a reduction.
bool gains(const Kernel& kernel, const Isa& isa);

}  // namespace tenon
