// The typed functions of an op: their declarations in the header, and their bodies, which share the checks of uniform
// calls.
#pragma once

#include "harness/library/library_signature.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// Structs and prototypes with their documentation. `note`: which calls with a context workers share; empty: there are
/// none.
std::string typed_declarations(const LibraryOp& op, const std::string& note);
/// Their definitions.
void add_typed_functions(const LibraryOp& op, bool threads, std::vector<CItem>& out);

}  // namespace tenon
