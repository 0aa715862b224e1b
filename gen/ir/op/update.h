// How a statement stores its value: in place of the element, or combined with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon {

enum class Update : std::uint8_t { Assign, Add, Mul, Max, Min, Last, BitXor, BitOr, BitAnd };

/// "=", "+=", "*=", "max=", "min=", "last=", "bit_xor=", "bit_or=", "bit_and="
std::string_view symbol_of(Update update);
std::optional<Update> update_from_symbol(std::string_view symbol);

}  // namespace tenon
