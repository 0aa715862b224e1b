// The stack usage of a call of an op.
#pragma once

#include "harness/library/library_signature.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// Lengths of the arrays of a frame.
struct FrameArrays {
  size_t operands = 0, packs = 0, words = 0, scalars = 0, kernel_in = 0, kernel_out = 0;
  size_t loops = 0;  ///< around the kernel
};
/// Dimensions that a tensor of the op has at most as its definition writes it.
size_t largest_view(const LibraryOp& op);
FrameArrays frame_arrays(const LibraryOp& op, const BindSignature& signature);

/// `NAME_with_arrays`: runs a step of a call with the frame's arrays on the stack.
CFunction frame_arrays_function(const LibraryOp& op, const BindSignature& signature);

}  // namespace tenon
