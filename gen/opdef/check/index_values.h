// Known ranges of data that index other data: types that bound their values, and intermediates that hold integers.
#pragma once

#include "algebra/index_bounds.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Whether an expression is a comparison or made of such.
bool is_condition(const Syntax& s);

/// Adds the values of `op` that its indices may be proved by: inputs of a narrow whole type, intermediates that are
/// computed in i64 from one statement, and the attributes and lets that are no integers. `context.extents` must be
/// there already.
void add_index_values(const OpDef& op, BoundsContext& context);

/// Adds the ranges of intermediates and integer outputs such as `s[n] = X[n] % 4` to the known ranges of data.
/// Definitions and types of inputs are known already.
void add_value_ranges(const OpDef& op, BoundsContext& context);

/// Adds the range of its type to each value that is surely stored in 32 bits or less: outputs by their declaration,
/// intermediates by what they are computed from. Types of inputs and ranges that expressions give are known already.
void add_stored_types(const OpDef& op, BoundsContext& context);

}  // namespace tenon
