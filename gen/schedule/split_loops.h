// Splits the loops over merged dimensions of sums, so that each dimension is an axis of its own.
#pragma once

#include "ir/kernel.h"

namespace tenon {

/// A sum of products whose operands take a loop variable apart, as `v // k` and `v % k` with one constant k (groups and their filters
/// under an element-wise reader, heads and their features), with two loops in place of it where that makes the kernel a contraction,
/// and so one that runs from panels and register tiles. Any other kernel as it is.
Kernel with_split_loops(const Kernel& kernel);

}  // namespace tenon
