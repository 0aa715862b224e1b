// Text → number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tenon {

/// The number that the whole text spells; nothing for other texts, and for numbers that the type does not hold.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace tenon
