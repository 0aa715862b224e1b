// The constant tables of an op: how kernels' arguments are made, which kernel answers to which dtypes, and the tables
// of functions.
#pragma once

#include "harness/library/library_output.h"
#include "harness/library/library_signature.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// How large the runtime's arrays have to be for all ops.
struct LibraryLimits {
  int extents = 1, extent_outputs = 1, types = 1, view = kMaxRank, kernel_dims = 1, values = 1, kept = 1;
  bool gradients = false;  ///< whether some ops are gradients
  bool joins = false;      ///< whether some have dimensions that calls may join
  bool merges = false;     ///< whether some have rows of several matrices that calls may merge
  bool steps = false;      ///< whether some reduce in steps
};
void widen(LibraryLimits& limits, const LibraryOp& op, const BindSignature& signature);

/// Forms, entries, levels and the descriptor `tn_rt_op_NAME`.
void add_op_tables(const LibraryOp& op, const BindSignature& signature, const LibraryTexts& texts,
                   std::vector<CItem>& out);
/// `tn_cores_NAME_LEVEL`: name of the table of an op's functions at one level.
std::string core_table(const LibraryOp& op, const Isa& isa);
/// That table; empty if no kernel of the op has a text at the level.
std::string core_table_text(const LibraryOp& op, const LevelTexts& level);
bool has_kernels(const LibraryOp& op, const LevelTexts& level);
/// Ranks that tn_find answers to.
std::vector<int> ranks_of(const LibraryOp& op, const std::vector<int>& chosen);
/// Keys of the op, ascending.
std::vector<DType> keys_of(const LibraryOp& op);
std::string level_constant(const Isa& isa);

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
