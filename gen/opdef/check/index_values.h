// Known ranges of data that index other data: types that bound their values, and intermediates that hold integers.
#pragma once

#include "algebra/index_bounds.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Adds the values of `op` that its indices may be proved by: inputs of a narrow whole type, intermediates that are
/// computed in i64 from one statement, and the attributes and lets that are no integers. `context.extents` must be
/// there already.
void add_index_values(const OpDef& op, BoundsContext& context);

}  // namespace tenon
