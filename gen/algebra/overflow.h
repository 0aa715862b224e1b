// Integer overflow: in sizes it is an error, in data it wraps, and a proof must not take wrapped values
// for unbounded numbers.
#pragma once

#include "ir/kernel/expr.h"

namespace tenon {

/// Whether constants in `e` compute a number that does not fit its type. An arm that is not taken does not count.
bool overflows(const Expr& e);

/// Whether i64 arithmetic in `e` may wrap: on elements of tensors, or with great constants. Memory bounds sizes,
/// variables of loops and their products; attributes are taken to be as small.
bool may_wrap(const Expr& e);

}  // namespace tenon
