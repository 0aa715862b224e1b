// The constants of an op: numbers that fit their type, formulas over the variables that they name.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Keeps the order of a formula that reads its own table in it.
void check_tables(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics);

/// The least and the largest value of a table of integers that is written as a list; nothing for others.
std::optional<std::pair<std::int64_t, std::int64_t>> values_of(const TableDef& table);

}  // namespace tenon
