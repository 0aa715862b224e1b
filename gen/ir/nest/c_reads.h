// Which variables C reads.
#pragma once

#include <set>
#include <string>

#include "ir/nest/c_ast.h"

namespace tenon {

/// Identifiers whose values the statements use. An assignment `x = …` does not read x, `x += …` does.
std::set<std::string> variables_read(const CBlock&);

/// Assignments to variables that are not needed become `(void)value;`: a call may check something.
void drop_assignments(CBlock&, const std::set<std::string>& not_needed);

}  // namespace tenon
