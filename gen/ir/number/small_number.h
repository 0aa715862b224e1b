// The numbers that the codes of small types stand for.
#pragma once

#include <cstdint>

#include "ir/number/dtype.h"

namespace tenon {

/// Bits of a code of a small type: 2, 4 or 8; the bits of a byte above them are ignored.
int code_bits(DType small);
/// What the code stands for; NaN and infinity where the type has them.
double small_value(DType small, uint8_t code);
/// The code of a number: whole types take it without its fraction and wrap; f8e8m0 rounds up; the others round to
/// nearest, half to even; numbers out of range become infinity or NaN, in types without both the maximum
/// magnitude.
uint8_t small_code(DType small, double value);

}  // namespace tenon
