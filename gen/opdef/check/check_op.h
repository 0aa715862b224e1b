// Checks of definitions that were read: names, arities, ranges, shapes, reads in bounds. All errors of an op at once.
#pragma once

#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Checks one op against the library that it will be part of. Marks its pack-valued lets, and the orders
/// of its recurrences.
void check_op(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics);

/// Checks a function's or scalar row's expression: names and calls, and that it does not reach itself.
void check_functions(const OpLibrary& library, Diagnostics& diagnostics);

/// Checks that no op reaches itself through calls.
void check_recursion(const OpLibrary& library, Diagnostics& diagnostics);

}  // namespace tenon
