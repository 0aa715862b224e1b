// Validation of UTF-8.
#include <cstdint>

#include "support/quoted.h"

namespace tenon {

namespace {

/// Length of the valid sequence at `at`, or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  std::uint32_t point = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0u) != 0x80u) return 0;
    point = point << 6 | (byte(at + i) & 0x3Fu);
  }
  const std::uint32_t least = length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u;
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point < least || point > 0x10FFFF || surrogate ? 0 : length;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

}  // namespace tenon
