// Which functions `let`, `require` and `index` may use: those that are computed when shapes are checked.
#pragma once

#include <string>

#include "ir/op/op_def.h"

namespace tenon {

/// The first function within a call, also within the functions that it expands to, that sizes do not have; empty if all
/// of them do.
std::string not_of_sizes(const Syntax& call, const OpLibrary& library);

/// The names of all that sizes have, for messages.
std::string size_function_names();

}  // namespace tenon
