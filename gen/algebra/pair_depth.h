// Contractions of narrow integers over words of depth indices: two 16-bit or four 8-bit numbers, multiplied and summed
// at once.
#pragma once

#include <functional>
#include <optional>

#include "algebra/contraction.h"

namespace tenon {

/// `c` with both sides as words of the numbers at two neighbouring indices of one depth variable, whose extent is
/// halved; an odd one counts a 0 on one side. Where windows slide along a line of bytes, words of neighbouring pixels
/// overlap, unless words of another dimension, such as the channels, waste less. Nothing where the sums are not of 32
/// bits or a side may leave 16 bits.
std::optional<Contraction> pair_depth(const Kernel& kernel, const Contraction& c);

/// How a level multiplies words of four bytes: by the signs that its instruction gives the left ones. The right ones
/// are signed.
enum class LeftBytes : uint8_t { Signed, Unsigned };

/// The same with words of four 8-bit numbers. Left ones of the other sign have 128 added, or taken off, when they are
/// copied; what that adds to the sums is to be taken out again (Contraction::left_offset). Nothing where a side is not
/// made of bytes that a copy can hold.
std::optional<Contraction> quad_depth(const Kernel& kernel, const Contraction& c, LeftBytes bytes);

/// The depth variable whose neighbours make words of four bytes of the left side: one that walks a dimension alone,
/// else one by which windows slide along a line; nothing where there is none.
std::optional<size_t> quad_variable(const Kernel& kernel, const Contraction& c, const Read& left);

/// Sets what the left side's bytes of type `left` become for such words.
void take_left_bytes(Contraction& c, DType left, LeftBytes bytes);

/// The variable of `depth` whose groups of `numbers` waste least, of those that `fits` takes; nothing where it takes
/// none.
std::optional<size_t> variable_of_words(const std::vector<LoopVar>& depth, int numbers,
                                        const std::function<bool(const LoopVar&)>& fits);

/// A side that is a read of bytes of which every value arrives in the product: what it is converted to holds them all.
const Read* byte_read(const Expr& side);

/// Whether the last index of the read grows by 1 with the variable and no other index depends on it: a window along a
/// line of pixels.
bool slides_by_one(const Kernel& kernel, const Contraction& c, const Read& read, const LoopVar& v);

/// A read in which one index is the variable itself and no other index depends on it: a copy can hold its words.
bool walks_one_dimension(const Read& r, const std::string& var);

/// Rows of 64 bytes that a panel of 32 columns has where words of four follow those of two: the words of two, then for
/// 16 columns after the other a row of the sums of their numbers, times 128, and one for each word.
struct BytePanel {
  int64_t pair_rows = 0, quad_rows = 0;
  static constexpr int kColumns = 32, kHalf = 16, kRowBytes = 64;
  int64_t rows() const { return pair_rows + 2 * (quad_rows + 1); }
};

/// The number of channels below which a cache line holds too few channels of a pixel for channel-wise lines to pay off.
constexpr int64_t kFewChannels = 16;

/// The place in `c.depth` of the one variable that walks a dimension of the left side alone, where there are enough
/// channels and pixels are the rows; nothing else. Sums over it last read neighbours of a pixel one after the other.
std::optional<size_t> channel_variable(const Kernel& kernel, const Contraction& c);

}  // namespace tenon
