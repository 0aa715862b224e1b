// Contractions: sums of products of two operands, and how their axes fall into rows, columns, depth and outer loops.
//
//   out[outer, rows, columns] = epilogue(Σ_depth left(outer, rows, depth) · right(outer, columns, depth))
//
// Rows are broadcast one element at a time, columns fill vectors from packed panels. `transposed`: the rows, not the
// columns, are what is at unit stride in the output (a convolution's pixels), so the epilogue turns each tile.
#pragma once

#include <optional>
#include <vector>

#include "algebra/contraction_value.h"
#include "ir/kernel/kernel.h"

namespace tenon {

struct Contraction {
  const KernelStatement* statement = nullptr;
  const ExprNode* sum = nullptr;  ///< a Reduce node inside the statement's value; all others there are the same sum
  DType result = DType::F32;      ///< type of that node
  DType accumulator =
      DType::F32;    ///< type that products are summed in; narrow integers are widened, which wrapping permits
  Expr left, right;  ///< the factors, grouped by side
  std::vector<LoopVar> outer_right;  ///< outer loops that the right side depends on; they run around the packing of it
  std::vector<LoopVar> outer_left;   ///< the other outer loops
  std::vector<LoopVar> rows, columns, depth;  ///< flattened, outermost first
  bool transposed = false;
  std::string paired;    ///< set: both sides are words of `word_numbers` numbers, at neighbouring indices of this depth
                         ///< variable
  int word_numbers = 2;  ///< of 16 bits, or 4 of 8 bits
  int left_offset = 0;   ///< what the left side's numbers of 8 bits have been added; the sums have it taken out again
  bool unsigned_left = false;  ///< these are unsigned numbers then
  bool windows = false;  ///< the left side is a read of the first bytes of words, which overlap: `paired` is a window's
  bool low_halves = false;  ///< the left side is still a read of the low halves, of one dimension that `paired` walks
  Expr right_numbers;       ///< words: the numbers that the right side's are put together of, if the nest does that
  Expr pair_last;           ///< the maximum index of the numbers, where the last word may have no high half; or null

  /// No column axis: every filter sees its own pixels (a depthwise convolution).
  bool is_stencil() const { return columns.empty(); }
};

/// The number of filters up to which computing windows one filter at a time is faster than using a panel.
constexpr int64_t kFewFilters = 4;

/// The contraction that a kernel is, or nothing: one statement, one sum (used once or more), a product that separates
/// into two sides.
std::optional<Contraction> find_contraction(const Kernel& kernel);

/// The read of a right side that holds panels of words already: its last index chooses the half; or null.
const Read* paired_panels(const Expr& side, const std::string& var);

/// The read if the side is a single read, possibly converted; otherwise null.
const Read* plain_read(const Expr& side);

/// The fact that elements of the matrix, which is the last two dims, are adjacent along one of these.
Expr has_dense_dim(const Tensor& matrix);

/// True if incrementing the last of `vars` past its extent is the same as incrementing the one before it, for all of
/// them.
bool collapses(const AffineForm& form, const std::vector<LoopVar>& vars, const ValueScope& scope);

/// Whether `vars` can be walked by one flat index everywhere outside the sum.
bool flat_outside(const Kernel& kernel, const Contraction& c, const std::vector<LoopVar>& vars);

}  // namespace tenon
