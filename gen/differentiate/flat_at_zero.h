// Values that are 0 where their gradient is 0, such as sums of squares.
#pragma once

#include "ir/kernel/kernel.h"

namespace tenon {

/// Whether `e` is a value of this kind, as a product is if a factor is: a root of it has the gradient 0 where it is 0,
/// not infinity times 0.
bool is_flat_at_zero(const Expr& e, const Kernel& kernel);

}  // namespace tenon
