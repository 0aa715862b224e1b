// The callables of expressions: the notation's own functions, the scalar rows, and the library's functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op/op_def.h"

namespace tenon {

/// A callable's number of arguments; `most` < 0 = any number from `least` on.
struct Arity {
  int least = 0;
  int most = 0;
  std::string form;  ///< "clamp(i, lo, hi)" for notes
};

/// Functions of the notation itself (builtin.def).
std::optional<Arity> notation_function(std::string_view name);

/// Those whose value is a pack.
std::optional<Arity> pack_function(std::string_view name);

/// The callable of this name in an expression: notation, scalar row or fn.
std::optional<Arity> expression_function(std::string_view name, const OpLibrary& library);

/// All names that can be called in an expression, for notes.
std::vector<std::string> callable_names(const OpLibrary& library);

}  // namespace tenon
