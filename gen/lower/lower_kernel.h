// The entry of lowering: a kernel on one ISA level, as a loop nest.
#pragma once

#include <optional>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// The body of `kernel` at level `isa`. Correct for every kernel; the blueprints say how fast ones are shaped.
LoopNest lower_kernel(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa);
/// True when the level's own body differs from the portable one in speed: vectors, or fused multiply-adds in a
/// reduction.
bool gains(const Kernel& kernel, const Isa& isa);
/// Whether a level for products of bytes (Isa::base) has them to do; true for every other level.
bool has_level_of_its_own(const Kernel& kernel, const Isa& isa);
/// The bodies of `kernel` at each of `levels`, one entry a level: lower_kernel of the first and of all that gain,
/// nothing for the others. Work that does not depend on the level is done once.
std::vector<std::optional<LoopNest>> lower_levels(const Kernel& kernel, const Blueprints& blueprints,
                                                  const std::vector<const Isa*>& levels);
/// The body at one level, as lower_levels makes it.
LoopNest library_nest(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa);

}  // namespace tenon
