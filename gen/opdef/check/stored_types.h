// Types of integer values that have no declared one, for the proofs that indices are in range.
#pragma once

#include "algebra/index_bounds.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Adds the range of its type to each value that is surely stored in 32 bits or less: outputs by their declaration,
/// intermediates by what they are computed from. Types of inputs and ranges that expressions give are known already.
void add_stored_types(const OpDef& op, BoundsContext& context);

}  // namespace tenon
