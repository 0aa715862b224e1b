// Line breaks into blanks.
#include "support/one_line.h"

namespace tenon {

std::string one_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      out += text[at];
      continue;
    }
    out.erase(out.find_last_not_of(kBlanks) + 1);
    const bool opened = out.empty() || std::string_view("([{").find(out.back()) != std::string_view::npos;
    if (!opened) out += ' ';
    const size_t next = text.find_first_not_of(kBlanks, at);
    at = (next == std::string_view::npos ? text.size() : next) - 1;
  }
  return out;
}

}  // namespace tenon
