// one_line: joins text of several lines into one line.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// The text with each line break and the blanks around it as one blank; as none after an opening bracket.
std::string one_line(std::string_view text);

}  // namespace tenon
