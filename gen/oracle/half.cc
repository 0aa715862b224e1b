// Bits of f16 and bf16 to numbers and back.
#include "oracle/half.h"

#include <cmath>
#include <limits>

namespace tenon {
namespace {

struct Format {
  int exponent_bits;
  int fraction_bits;
};

Format format_of(DType d) { return d == DType::F16 ? Format{5, 10} : Format{8, 7}; }

}  // namespace

double half_value(DType dtype, uint16_t bits) {
  const Format f = format_of(dtype);
  const int exponent = (bits >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
  const int fraction = bits & ((1 << f.fraction_bits) - 1);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  double v;
  if (exponent == (1 << f.exponent_bits) - 1)
    v = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0) v = std::ldexp(fraction, 1 - bias - f.fraction_bits);
  else v = std::ldexp((1 << f.fraction_bits) + fraction, exponent - bias - f.fraction_bits);
  return bits & 0x8000 ? -v : v;
}

uint16_t half_bits(DType dtype, long double value) {
  const Format f = format_of(dtype);
  const int bias = (1 << (f.exponent_bits - 1)) - 1, top = (1 << f.exponent_bits) - 1;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const auto infinity = static_cast<uint16_t>(top << f.fraction_bits);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | (1 << (f.fraction_bits - 1)));
  const long double a = std::fabs(value);
  if (std::isinf(a)) return sign | infinity;
  if (a == 0) return sign;
  int e = std::ilogb(a);
  if (e < 1 - bias) e = 1 - bias;
  const long double units =
      std::nearbyint(std::ldexp(a, f.fraction_bits - e));  // exact scaling, then one rounding to even
  auto n = static_cast<int64_t>(units) + (static_cast<int64_t>(e + bias - 1) << f.fraction_bits);
  if (n >= infinity) n = infinity;
  return static_cast<uint16_t>(sign | n);
}

}  // namespace tenon
