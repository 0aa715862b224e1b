// Reductions that differ in the names of their variables alone become one.
#pragma once

#include "ir/kernel/expr.h"

namespace tenon {

/// `e` with every reduction replaced by the first of those that compute the same.
Expr with_equal_sums_shared(const Expr& e);

}  // namespace tenon
