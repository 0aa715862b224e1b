// A definition with a variadic input → the definition for a given number of operands, each an input of its own.
#pragma once

#include "ir/op_def.h"

namespace tenon {

/// Operand k of `X...` becomes the input Xk, its own sizes `D...` become Dk, and a statement that reads X one statement per operand. sum_of(D)
/// is the sum of all Dk, offset(D) of those before this operand's, operand(X) its number and count(X) their number.
OpDef unroll_variadic(const OpDef& def, int operands);
/// The last input takes any number of tensors.
bool is_variadic(const OpDef& def);

}  // namespace tenon
