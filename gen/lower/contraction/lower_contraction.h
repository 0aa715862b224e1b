// Contractions (products of two operands summed over an axis: gemm, convolution, einsum) as blocked loops over register
// tiles.
#pragma once

#include <memory>
#include <optional>

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// The loop nest of a kernel that is a contraction; nothing where it is not one or needs another schedule.
std::optional<LoopNest> lower_contraction(const std::shared_ptr<const Kernel>& kernel, const Isa& isa,
                                          const Blueprints& blueprints);

/// Whether the nest adds up sums along the depth where rows or columns are few and both sides are dense there: faster
/// than a dot product for each result.
bool adds_along_depth(const LoopNest& nest);

/// Whether the level multiplies words of four bytes in this kernel.
bool multiplies_bytes(const Kernel& kernel, const Isa& isa);

/// The loop nest of a kernel that winograd_kernel made; nothing where it is another one.
std::optional<LoopNest> lower_winograd(const std::shared_ptr<const Kernel>& kernel, const Isa& isa,
                                       const Blueprints& blueprints);

}  // namespace tenon
