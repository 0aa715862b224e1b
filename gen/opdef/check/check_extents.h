// Extents that the data decide: each is told once, in a place where it can be, before anything is along it.
#pragma once

#include "opdef/check/body_scope.h"

namespace tenon {

/// Checks the lets `M: upto(D)` of an op with a body: what names them, and the order of its statements.
void check_extents(const OpDef& op, const BodyScope& scope, Diagnostics& diagnostics);

}  // namespace tenon
