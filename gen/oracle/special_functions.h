// Real functions of the oracle in long double, and Philox 4x32-10.
#pragma once

#include "oracle/number.h"

namespace tenon {

/// A row of the scalar table on real numbers.
long double apply_real(ScalarOp op, const Number* args);
/// Word `word` (0..3) of Philox 4x32-10 for a 64-bit counter and key; u64: words w and w+1 (mod 4), the first in the
/// low half.
uint64_t philox_word(uint64_t seed, uint64_t counter, int64_t word, DType type);

}  // namespace tenon
