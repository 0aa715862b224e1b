// Bits of f16 and bf16 to numbers and back, rounding half to even.
#pragma once

#include <cstdint>

#include "ir/number/dtype.h"

namespace tenon {

/// Value of the bits of an f16 or bf16.
double half_value(DType dtype, uint16_t bits);
/// Nearest f16 or bf16; ties go to the even one, overflow to infinity, NaN stays NaN.
uint16_t half_bits(DType dtype, long double value);

}  // namespace tenon
