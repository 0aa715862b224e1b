// one_line: text that a file has on several lines, for a place that has one.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// The text with each line break and the blanks around it as one blank; as none behind an opening bracket.
std::string one_line(std::string_view text);

}  // namespace tenon
