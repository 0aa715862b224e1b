// Spells C: parentheses, indentation, line breaks. The only place that determines the layout of the C.
#pragma once

#include <string>
#include <string_view>

#include "ir/nest/c_ast.h"

namespace tenon {

/// The expression with the fewest parentheses that keep its meaning and compile without warnings.
std::string print_c99(const CExpr&);
void append_c99(std::string& out, const CExpr&);
/// A comment of several lines as one block, with an asterisk in front of each line; nothing for an empty one.
std::string print_banner(std::string_view comment);
/// The definition with its comment, ending in a newline; lines stay within 120 columns where a blank allows a break.
std::string print_c99(const CFunction&);
/// Statements for the body of a template's function.
std::string print_c99(const CBlock&);
/// An object and its initialiser, broken as functions are.
std::string print_c99(const CObject&);
/// All items, a blank line between any two that are not objects.
std::string print_c99(const CFile&);
/// `typedef struct { … } name;`, a field to a line.
std::string print_c99(const CStruct&);
/// `static int f(params);` — or without `static`, as the function's specifiers say.
std::string print_prototype(const CFunction&);

}  // namespace tenon
