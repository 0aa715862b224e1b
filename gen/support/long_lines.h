// Breaks long lines of C.
#pragma once

#include <cstddef>
#include <string>

namespace tenon {

/// What a line of generated C stays within where a blank or a call allows a break.
inline constexpr size_t kCodeColumns = 120;

/// Appends `line` (without its newline), broken where needed; continuation lines are indented by four more columns than
/// `indent`.
void append_broken_line(std::string& out, std::string line, size_t indent);

/// C text whose lines are broken; lines of comments go on below themselves. Directives stay as they are.
std::string with_broken_lines(std::string text);

/// The same for what a template made, if its name says that it is C: `x.c.in`, `x.h.in`.
std::string broken_if_code(const std::string& name, std::string text);

}  // namespace tenon
