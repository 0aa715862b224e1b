// `tenon try`: one op generated, compiled, run on this machine's levels, compared with the oracle, and timed.
#pragma once

#include "ir/op/math_function.h"
#include "ir/op/op_def.h"
#include "pipeline/session.h"

namespace tenon {

/// Prints a row a test, dtype and level. Status 3 when the compiler fails or an answer is wrong.
int try_op(Session& session, const OpLibrary& defs, const MathLibrary& math, const TryOptions& options);

}  // namespace tenon
