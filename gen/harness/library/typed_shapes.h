// What typed calls say of the shapes of their inputs.
#pragma once

#include "harness/library/library_signature.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// `static void NAME_shapes(tn_frame *f, int k)`, for an op with inputs.
CFunction typed_shapes(const LibraryOp& op);

}  // namespace tenon
