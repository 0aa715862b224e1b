// The typed functions of an op: their declarations in the header, and their bodies, which share the checks of uniform
// calls.
#pragma once

#include "harness/library/library_signature.h"
#include "support/text_writer.h"

namespace tenon {

/// Structs and prototypes with their documentation. `note`: which calls with a context workers share; empty: there are
/// none.
void write_typed_declarations(const LibraryOp& op, const std::string& note, TextWriter& out);
/// The function that returns the shapes of inputs in a typed call; empty for an op without inputs.
void write_typed_shapes(const LibraryOp& op, TextWriter& out);
void write_typed_functions(const LibraryOp& op, bool threads, TextWriter& out);

}  // namespace tenon
