// The values of the codes of small types and of 16-bit floats.
#pragma once

#include <cstdint>

#include "ir/number/dtype.h"

namespace tenon {

/// Bits of a code of a small type: 2, 4 or 8; the bits of a byte above them are ignored.
int code_bits(DType small);
/// The value of the code; NaN and infinity if the type has them.
double small_value(DType small, uint8_t code);
/// The code of a number: integer types truncate and wrap; f8e8m0 rounds up; the others round to nearest, ties to even;
/// numbers out of range become infinity or NaN, in types without both the maximum magnitude.
uint8_t small_code(DType small, double value);

/// Value of the bits of an f16 or bf16.
double half_value(DType dtype, uint16_t bits);
/// Nearest f16 or bf16; ties go to the even one, overflow to infinity, NaN stays NaN.
uint16_t half_bits(DType dtype, long double value);

}  // namespace tenon
