// Contractions of narrow integers over pairs of depth indices: words of two 16-bit numbers, multiplied and summed
// at once.
#pragma once

#include "algebra/contraction.h"

namespace tenon {

/// `c` with both sides as words of the numbers at two neighbouring indices of one depth variable, whose extent is
/// halved; an odd one counts a 0 on the left. Nothing where the sums are not of 32 bits or a side may leave 16 bits.
std::optional<Contraction> pair_depth(const Contraction& c);

}  // namespace tenon
