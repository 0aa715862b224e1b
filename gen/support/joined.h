// joined: words with a separator between them. fmt::join would compile the formatting of strings again in every file.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// The elements of a range of strings with `separator` between them.
template <class Range>
std::string joined(const Range& parts, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    out += std::string_view(part);
    first = false;
  }
  return out;
}

}  // namespace tenon
