// Which transform, if any, a convolution is computed with: a count of operations and bytes.
#pragma once

#include <optional>

#include "algebra/winograd_kernel.h"
#include "ir/nest/isa.h"

namespace tenon {

/// The outputs of a tile along each axis that take the least time at a level; nothing where the sums of products do.
/// `all_weights`: bytes of the program's constants.
std::optional<int> winograd_outputs(const TiledConvolution& conv, const Isa& isa, int64_t all_weights);

/// The largest error of a result, as a part of the largest result: measured for up to 1024 channels, see
/// docs/accuracy.md.
double winograd_error(int outputs, int taps, int stride);

}  // namespace tenon
