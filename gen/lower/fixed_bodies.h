// The bodies of a library's kernel for sizes and attributes that are known: what `tenon lib --fix` adds.
#pragma once

#include <optional>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// The kernel with these values put in.
Kernel fixed_kernel(const LibraryKernel& k, const FixedValues& values);

/// Puts each fixed body of the kernel in front of those in `nests`, one a level. A level that had none of its own has
/// one afterwards where the fixed kernel gains from it.
void add_fixed_bodies(const LibraryKernel& k, const Blueprints& blueprints, const std::vector<const Isa*>& levels,
                      std::vector<std::optional<LoopNest>>& nests);

}  // namespace tenon
