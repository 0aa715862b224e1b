// A short hash that says whether a text changed.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// 64 bits as 16 hexadecimal digits, the same on every machine. It tells edits, not attacks.
std::string hash_of(std::string_view text);

}  // namespace tenon
