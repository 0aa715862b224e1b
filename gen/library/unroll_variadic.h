// A definition with a variadic input → the definition for a given number of operands, each an input of its own.
#pragma once

#include "ir/op_def.h"

namespace tenon {

/// Operand k of `X...` becomes the input Xk, its own sizes `D...` become Dk, and a statement that reads X one statement per operand. sum_of(D)
/// is the sum of all Dk, offset(D) of those before this operand's, operand(X) its number and count(X) their number.
OpDef unroll_variadic(const OpDef& def, int operands);
/// The same where operands behind the first may be absent at run time: nothing is done for those, and count(X) is the number of the others.
/// An operand's own extents are 0 then; where there are none, its number in the target's indices comes from a loop over the let Xk_given, 1 or 0.
OpDef unroll_optional(const OpDef& def, int operands);
/// Whether unroll_optional() can say so: the statements of an operand have an extent of its own, or name its number on the left.
bool may_lack_operands(const OpDef& def);
/// Whether what the definition computes depends on how many operands there are by more than their own extents.
bool counts_operands(const OpDef& def);
/// The last input takes any number of tensors.
bool is_variadic(const OpDef& def);

}  // namespace tenon
