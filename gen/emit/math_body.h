// A math function as statements of a loop nest, for scalars or vectors of one level: what kernel_to_c prints.
#pragma once

#include <vector>

#include "emit/kernel_to_c.h"
#include "ir/kernel/kernel.h"
#include "ir/op/math_function.h"

namespace tenon {

/// The entry of a row with flag M for this type. Functions that it calls are put in their place, except those that are
/// rows of the scalar table themselves, which stay calls. Aborts when the library has no entry of that name and type.
MathBody math_body(const MathLibrary& library, ScalarOp op, const OperandType& type, const Isa& isa);

/// Entries of rows that the kernel applies, and of rows that those call, by name; each one once.
std::vector<const MathFunction*> functions_used(const MathLibrary& library, const Kernel& kernel);

}  // namespace tenon
