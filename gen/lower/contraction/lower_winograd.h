// Winograd convolutions: strips of tiles, each transformed, multiplied and transformed back while it is in the caches.
#pragma once

#include <memory>
#include <optional>

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// The loop nest of a kernel that winograd_kernel made; nothing where it is another one.
std::optional<LoopNest> lower_winograd(const std::shared_ptr<const Kernel>& kernel, const Isa& isa,
                                       const Blueprints& blueprints);

}  // namespace tenon
