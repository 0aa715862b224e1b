// Ranges of integer values that their own expressions bound, whatever the data are.
#pragma once

#include "algebra/index_bounds.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Adds the ranges of intermediates and integer outputs such as `s[n] = X[n] % 4` to the known ranges of data.
/// Definitions and types of inputs are known already.
void add_value_ranges(const OpDef& op, BoundsContext& context);

}  // namespace tenon
