// A table that a formula gives, as an op of its own: what checks and evaluates bodies does the same for the formula.
#pragma once

#include "ir/op/op_def.h"

namespace tenon {

/// The op without inputs whose output is the table and whose statement is the formula. It has the types of `op`, the
/// tables before it that the formula needs, and the ranges of `index` that these and the formula name.
OpDef table_op(const OpDef& op, const TableDef& table);

}  // namespace tenon
