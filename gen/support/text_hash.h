// A short hash that detects changes of a text.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// 64 bits as 16 hexadecimal digits, the same on every machine. It detects edits, not attacks.
std::string hash_of(std::string_view text);

}  // namespace tenon
