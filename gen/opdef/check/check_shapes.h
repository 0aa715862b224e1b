// Checks of tensors' shapes: that the inputs determine sizes and packs, `@`, splits, stored orders.
#pragma once

#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Reports everything that is wrong with the op's shapes.
void check_shapes(const OpDef& op, Diagnostics& diagnostics);

}  // namespace tenon
