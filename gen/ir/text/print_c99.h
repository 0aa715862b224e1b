// Spells C: parentheses, indentation, line breaks. The one place that knows how C99 looks.
#pragma once

#include <cstdint>
#include <string>

#include "ir/nest/c_ast.h"

namespace tenon {

/// How functions are laid out: as kernels, or as the functions of templates/runtime, which generated ones stand next
/// to: four columns a level, the braces of functions on lines of their own, none around one simple statement.
enum class CStyle : uint8_t { Kernel, Runtime };

/// The expression with the fewest parentheses that keep its meaning and compile without warnings.
std::string print_c99(const CExpr&);
void append_c99(std::string& out, const CExpr&);
/// The definition with its comment, ending in a newline; lines stay within 120 columns where a blank allows a break.
std::string print_c99(const CFunction&, CStyle style = CStyle::Kernel);
/// All items, a blank line between any two that are not objects.
std::string print_c99(const CFile&, CStyle style = CStyle::Kernel);
/// `typedef struct { … } name;`, a field to a line.
std::string print_c99(const CStruct&);
/// `static int f(params);` — or without `static`, as the function's specifiers say.
std::string print_prototype(const CFunction&);

}  // namespace tenon
