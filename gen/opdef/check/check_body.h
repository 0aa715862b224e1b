// Checks of an op's expressions and statements.
#pragma once

#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Reports everything that is wrong in let, require, index, body and grad. Notes the orders of its recurrences.
void check_body(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics);

/// Checks the op's tests against its declarations.
void check_tests(const OpDef& op, Diagnostics& diagnostics);

}  // namespace tenon
