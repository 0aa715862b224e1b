// Conditions that only run time decides, as equalities of extents, which a model checks at every call.
#pragma once

#include "ir/kernel/expr.h"
#include "library/shape_binder.h"

namespace tenon {

/// Takes for equal what the condition compares: a <= b is max(a, b) == b. False where extents cannot express it.
bool take_as_true(const Expr& condition, ShapeBinder& shapes);

}  // namespace tenon
