// The integer that an expression of the notation is, where its names are numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ir/number/interval.h"
#include "ir/op/syntax.h"

namespace tenon {

/// Numbers by the names of sizes, lets, packs and attributes.
using KnownIntegers = std::map<std::string, std::int64_t>;

/// What + - * // ** min max and ceildiv make of literals and known names; nothing for any other expression, and for
/// divisions by 0. A value that 64 bits do not hold, signed or unsigned, stands for all such, whatever is computed from
/// it.
std::optional<WideInteger> integer_value(const Syntax& s, const KnownIntegers& known = {});

/// Whether 64 bits hold it, signed or unsigned.
bool fits_64_bits(WideInteger value);

}  // namespace tenon
