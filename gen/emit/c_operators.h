// What the printers of scalars and of vectors both ask of an operation.
#pragma once

#include <string_view>

#include "ir/loop_nest.h"

namespace tenon::emit {

/// C's operator between scalars that means the same; "" where there is none.
std::string_view c_operator(ScalarOp op);
/// A constant other than NaN.
bool not_nan_constant(const Operand& v);

}  // namespace tenon::emit
