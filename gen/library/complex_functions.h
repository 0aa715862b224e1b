// Elementary functions of complex numbers, made of those of real ones.
#pragma once

#include "ir/kernel/expr.h"

namespace tenon {

/// exp, log, sqrt, sin, cos and pow of complex numbers, principal values; null for other functions.
Expr complex_function(ScalarOp op, const Few<Expr>& args);

}  // namespace tenon
