// The kernels of a library at every level.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/nest/blueprint.h"
#include "ir/nest/lowered_library.h"

namespace tenon {

/// Calls of several dtypes may share a kernel; each kernel once, in order.
std::vector<const Kernel*> kernels_of(const Library& library);

/// Whether a call may have workers, who share the loops of its kernel.
enum class Workers : uint8_t { one, several };

/// Kernels are independent, so they are lowered in parallel. `library` has to outlive the result.
LoweredLibrary lower_library(const Library& library, const Blueprints& blueprints,
                             const std::vector<const Isa*>& levels, Workers workers);

}  // namespace tenon
