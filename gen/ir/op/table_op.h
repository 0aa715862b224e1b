// A table that a formula gives, as an op of its own: what checks and evaluates bodies does the same for the formula.
#pragma once

#include "ir/op/op_def.h"

namespace tenon {

/// The op without inputs whose output is the table and whose statement is the formula. It has the types of `op`, the
/// ranges of `index` that the formula names, and the tables that come before.
OpDef table_op(const OpDef& op, const TableDef& table);

}  // namespace tenon
