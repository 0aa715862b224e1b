// Coefficients of JPEG to samples.
#pragma once

#include <array>
#include <cstdint>

namespace tenon {

/// 8 x 8 coefficients, factors or samples, row by row.
using JpegBlock = std::array<int64_t, 64>;

/// Coefficients times factors to samples, in place.
void jpeg_samples(JpegBlock& block, const JpegBlock& factors);

}  // namespace tenon
