// Extents from data: each is determined once, where that is possible, before it is used.
#pragma once

#include "opdef/check/body_scope.h"

namespace tenon {

/// Checks the lets `M: upto(D)` of an op with a body: what names them, and the order of its statements.
void check_extents(const OpDef& op, const BodyScope& scope, Diagnostics& diagnostics);

}  // namespace tenon
