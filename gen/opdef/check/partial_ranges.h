// Index variables that silently run over a part of what a statement reads.
#pragma once

#include "opdef/check/body_scope.h"

namespace tenon {

/// Warns of a variable that has its range from other statements and indexes larger dims alone in this one:
/// `sum[i](A[i])` of all but the last elements of A, because R[i] elsewhere has fewer.
void warn_of_partial_ranges(const OpDef& op, BodyScope& scope, Diagnostics& diagnostics);

}  // namespace tenon
