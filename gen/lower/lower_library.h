// The kernels of a library at every level.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"
#include "ir/nest/lowered_library.h"

namespace tenon {

/// Calls of several dtypes may share a kernel; each kernel once, in order.
std::vector<const Kernel*> kernels_of(const Library& library);

/// Whether a call may have workers, who share the loops of its kernel.
enum class Workers : uint8_t { one, several };

/// Kernels are independent, so they are lowered in parallel. `library` has to outlive the result.
LoweredLibrary lower_library(const Library& library, const Blueprints& blueprints,
                             const std::vector<const Isa*>& levels, Workers workers);

/// The kernel with these values put in.
Kernel fixed_kernel(const LibraryKernel& k, const FixedValues& values);

/// Puts each fixed body of the kernel in front of those in `nests`, one a level. A level without a separate body gets
/// one if the fixed kernel gains from it.
void add_fixed_bodies(const LibraryKernel& k, const Blueprints& blueprints, const std::vector<const Isa*>& levels,
                      std::vector<std::optional<LoopNest>>& nests);

}  // namespace tenon
