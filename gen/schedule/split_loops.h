// Splits the loops over merged dimensions of sums, so that each dimension is an axis of its own.
#pragma once

#include "ir/kernel/kernel.h"

namespace tenon {

/// A sum of products whose operands take a variable apart, as `v // k` and `v % k` with one constant k (groups and
/// their filters under an element-wise reader, rows and columns of a flattened image, heads and their features), with
/// two loops instead of it where the kernel then is a contraction, and so one that runs from panels and register
/// tiles. Any other kernel as it is.
Kernel with_split_loops(const Kernel& kernel);

}  // namespace tenon
