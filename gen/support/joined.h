// joined: words with a separator between them. fmt::join would compile the formatting of strings again in every file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tenon {

/// The elements of a range of strings, or what `text_of` makes of its elements, with `separator` between them.
template <class Range, class Text = std::identity>
std::string joined(const Range& parts, std::string_view separator, Text text_of = {}) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    out += std::string_view(std::invoke(text_of, part));
    first = false;
  }
  return out;
}

}  // namespace tenon
