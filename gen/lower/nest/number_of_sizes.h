// Expressions over sizes and attributes as values of a nest.
#pragma once

#include "ir/kernel/expr.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// The value of an expression without tensors and variables.
Operand size_number(const Expr& e);

}  // namespace tenon
