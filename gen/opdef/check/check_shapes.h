// Checks of tensors' shapes: that sizes and packs can be told from the inputs, `@`, splits, stored orders.
#pragma once

#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Reports everything that is wrong with the op's shapes.
void check_shapes(const OpDef& op, Diagnostics& diagnostics);

}  // namespace tenon
