// Checks of definitions that were read: names, arities, ranges, shapes, reads in bounds. All errors of an op at once.
#pragma once

#include <optional>

#include "ir/number/interval.h"
#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Checks one op against the library that it will be part of. Marks its pack-valued lets, and the orders
/// of its recurrences.
void check_op(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics);

/// Checks a function's or scalar row's expression: names and calls, and that it does not reach itself.
void check_functions(const OpLibrary& library, Diagnostics& diagnostics);

/// Checks that no op reaches itself through calls.
void check_recursion(const OpLibrary& library, Diagnostics& diagnostics);

/// Reports everything that is wrong in let, require, index, body and grad. Notes the orders of its recurrences.
void check_body(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics);

/// Checks the op's tests against its declarations.
void check_tests(const OpDef& op, Diagnostics& diagnostics);

/// Reports everything that is wrong with the op's declarations, apart from shapes and expressions. False if a name has
/// two meanings: whatever reads it could only repeat that.
bool check_declarations(const OpDef& op, Diagnostics& diagnostics);

/// True if a literal fits the attribute (an element of it, when the attribute is a list).
bool value_fits(const AttrDef& attr, const Syntax& value);
/// Whether an integer of the notation, with its sign, is one of the type.
bool holds(DType type, const Syntax& value);

/// Reports everything that is wrong with the op's shapes.
void check_shapes(const OpDef& op, Diagnostics& diagnostics);

/// Keeps the order of a formula that reads its own table in it.
void check_tables(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics);

/// The minimum and maximum of a table of integers that is written as a list; nothing for others.
std::optional<Interval> values_of(const TableDef& table);

}  // namespace tenon
