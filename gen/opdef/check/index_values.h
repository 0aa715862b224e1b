// Known ranges of data that index other data: types that bound their values, and intermediates that hold integers.
#pragma once

#include "algebra/index_bounds.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Whether a single statement gives a value its elements.
bool defined_once(const OpDef& op, const std::string& value);

/// Adds the values of `op` that its indices may be proved by: inputs of a narrow whole type, intermediates that are
/// computed in i64 from one statement, and the attributes and lets that are no integers. `context.extents` must be
/// there already, the results of calls that are integers in `context.whole_data`, and ranges of tables that formulas
/// give.
void add_index_values(const OpDef& op, BoundsContext& context);

/// What the value that a statement defines is between, as it is stored; nothing if its type may not hold it.
std::optional<Interval> stored_range(const OpDef& op, const BoundsContext& context, const Statement& s);

/// What the accumulator of a fold is between, if that follows from its start and its step.
std::optional<Interval> accumulated_range(const OpDef& op, const BoundsContext& context, const Syntax& fold);

/// Whether a tensor of `op` surely is of integers.
bool holds_whole_numbers(const TensorDef& tensor, const OpDef& op);

/// Adds the ranges of intermediates and integer outputs such as `s[n] = X[n] % 4` to the known ranges of data.
/// Definitions and types of inputs are known already.
void add_value_ranges(const OpDef& op, BoundsContext& context);

/// Adds the range of its type to each value that is known to be stored in 32 bits or less: outputs by their
/// declaration, intermediates by what they are computed from. Types of inputs and ranges that expressions give are
/// known already.
void add_stored_types(const OpDef& op, BoundsContext& context);

}  // namespace tenon
