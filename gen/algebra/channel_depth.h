// Which depth variable of a contraction walks channels, whose neighbours are an image apart in memory.
#pragma once

#include <optional>

#include "algebra/contraction.h"

namespace tenon {

/// Channels below which a cache line holds too few of a pixel's for lines of channels to pay.
constexpr int64_t kFewChannels = 16;

/// The place in `c.depth` of the one variable that walks a dimension of the left side alone, where there are enough
/// channels and pixels are the rows; nothing else. Sums over it last read neighbours of a pixel one after the other.
std::optional<size_t> channel_variable(const Kernel& kernel, const Contraction& c);

}  // namespace tenon
