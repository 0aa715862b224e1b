// A copy of the neighbourhood that the left side of a contraction reads: padded, converted, words of pairs put
// together.
#pragma once

#include "lower/contraction/contraction_builder.h"

namespace tenon {

/// One dimension of the copy: index lo+i of the tensor's dimension `dim`.
struct StagedDim {
  size_t dim = 0;
  AffineForm form;
  Operand lo, extent, stride;
  bool guarded = false;
  int64_t scale = 1;  ///< above 1: one index of the copy stands for so many of the tensor
};

/// The part of a dimension of the copy that is inside the tensor.
struct Inside {
  Operand first, last;
};

struct Staging {
  ContractionBuilder& b;
  const Read& read;
  int buffer = -1;
  std::vector<StagedDim> dims;
  std::vector<Operand> fixed;  ///< index of dimensions that are not copied; null for those that are
  Operand fill;
  Operand elements = nullptr;     ///< of the copy
  int64_t slack = 0;              ///< elements after them that vectors read, whose results are not stored
  Operand pair_step = nullptr;    ///< words: elements from one number of a word to the next
  Operand pair_inside = nullptr;  ///< words of two: whether there is a high half; null: always
  Operand last_number = nullptr;  ///< words of four: which number of the word is the last there is; null: 3 or more
  bool filled_before = false;     ///< the padding is in the copy already
  bool channels_last = false;     ///< the last dimension is the channels of a pixel

  const Tensor& tensor() const { return b.kernel.tensor(read.tensor); }
  Operand stride_of(size_t d) const { return b.scalar(tensor().strides[d], b.scope); }
  Operand dim_of(size_t d) const { return b.scalar(tensor().dims[d], b.scope); }
};

/// The word of two numbers of 16 bits.
Operand word_of(const Operand& low, const Operand& high);
/// Makes a word of every number of the copy and those after it: pairs in the copy itself, which has them in 32 bits,
/// four bytes in a buffer that takes its place.
Block window_words(Staging& s);
/// Words of four bytes, the first at `at` and at each of so many steps of one element after it. Bytes past the last
/// one, which meet zeros on the right side, repeat it.
Operand load_quads(const Staging& s, const std::vector<Operand>& bytes);
/// The word of four bytes that all are `byte`, as the copy holds it.
Operand splat_quad(const Staging& s, const Operand& byte);
/// Bytes that are adjacent, four to a word.
Operand dense_quads(const Staging& s, const Operand& bytes);

/// The dimension of the left side that the copy has last: the channels of a pixel, which are planes apart in memory,
/// where the innermost depth variable walks them and the rows are not side by side already.
std::optional<size_t> channel_dim(ContractionBuilder& b, const Read& read);
/// Elements that dimension `i` of the copy has space for. Pixels of a power-of-two number of bytes would map to the
/// same cache sets, and squares of vectors run past the end of a line.
Operand room_of(const Staging& s, size_t i);
/// Fills a copy with channels last.
Block copy_channels(Staging& s);
/// Which indices of a dimension are in the tensor: all where it is not guarded.
Inside inside_line(const Staging& s, const StagedDim& d);
/// One line of dimension `d`: `from` and `to` are the offsets of its index 0 in the tensor and in the copy.
Block copy_one_line(Staging& s, const StagedDim& d, const Operand& from, const Operand& to);
/// The number of elements of the copy that are outside the tensor.
Block fill_span(Staging& s, const Operand& to, const Operand& count);

/// An index that a copy does not walk: a loop over the whole dimension, or a constant inside it.
bool stays_inside(const ContractionBuilder& b, const Expr& index, const Expr& dim);
/// Whether a dimension of the copy is that of the planes that a strip takes, all of which there are.
bool walks_planes(const ContractionBuilder& b, const StagedDim& d);

/// The rows, and a stencil's columns.
std::vector<LoopVar> pixel_vars(const ContractionBuilder& b);
/// Variables that walk the copy: those and the depth.
std::vector<LoopVar> staged_vars(const ContractionBuilder& b);

/// Finds the dimensions of the copy and makes its buffer; false where an index is not a sum of multiples of variables.
bool plan_staging(Staging& s);
/// The statements that fill the copy. Those that are the same for every outer iteration are added to `before`.
Block stage_copy(Staging& s, Block& before);

}  // namespace tenon
