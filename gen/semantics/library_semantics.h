// The library of definitions as the frontends see it: signatures and result types of its ops, and values of constant
// calls.
#pragma once

#include "frontend/graph/op_semantics.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Semantics of all ops of `library`, which has to outlive it. Nothing is computed before run time but extents.
OpSemantics library_semantics(const OpLibrary& library);

/// The same with calls on constants computed by the oracle.
OpSemantics folding_semantics(const OpLibrary& library);

}  // namespace tenon
