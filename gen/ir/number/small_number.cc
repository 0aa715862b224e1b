// Codes of small types by their layout; numbers to codes by looking through all codes for the nearest.
#include "ir/number/small_number.h"

#include <cmath>
#include <limits>

#include "support/check.h"

namespace tenon {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Sign, exponent and fraction of a floating type; `unsigned_zero`: the code of -0 is NaN, and there is no infinity.
struct Layout {
  DType dtype;
  int exponent_bits, fraction_bits, bias;
  int maximum;  ///< code of the maximum finite number
  int beyond;   ///< code without sign of numbers that are too large
  int nan;
  bool unsigned_zero;
};
constexpr Layout kLayouts[] = {
    {DType::F8E4M3FN, 4, 3, 7, 0x7e, 0x7f, 0x7f, false}, {DType::F8E4M3FNUZ, 4, 3, 8, 0x7f, 0x80, 0x80, true},
    {DType::F8E5M2, 5, 2, 15, 0x7b, 0x7c, 0x7f, false},  {DType::F8E5M2FNUZ, 5, 2, 16, 0x7f, 0x80, 0x80, true},
    {DType::F4E2M1, 2, 1, 1, 0x7, 0x7, 0x8, false},
};

const Layout* layout_of(DType d) {
  for (const Layout& l : kLayouts)
    if (l.dtype == d) return &l;
  return nullptr;
}

int sign_bit(const Layout& l) { return 1 << (l.exponent_bits + l.fraction_bits); }

double magnitude(const Layout& l, int code) {
  const int exponent = code >> l.fraction_bits, fraction = code & ((1 << l.fraction_bits) - 1);
  return exponent == 0 ? std::ldexp(fraction, 1 - l.bias - l.fraction_bits)
                       : std::ldexp((1 << l.fraction_bits) + fraction, exponent - l.bias - l.fraction_bits);
}

double float_value(const Layout& l, int code) {
  const int sign = sign_bit(l), m = code & (sign - 1);
  if (l.unsigned_zero && code == sign) return kNaN;
  if (m > l.maximum)
    return l.beyond != l.nan && m == l.beyond ? (code & sign ? -1.0 : 1.0) * std::numeric_limits<double>::infinity()
                                              : kNaN;
  return code & sign ? -magnitude(l, m) : magnitude(l, m);
}

uint8_t float_code(const Layout& l, double v) {
  if (std::isnan(v)) return static_cast<uint8_t>(l.nan);
  const double a = std::fabs(v), top = magnitude(l, l.maximum), next = magnitude(l, l.maximum + 1);
  const double middle = top + (next - top) / 2;
  int best = 0;
  if (a > middle || (a == middle && (l.maximum & 1) != 0)) {
    best = l.beyond;
    if (l.unsigned_zero) return static_cast<uint8_t>(best);
  } else {
    for (int code = 1; code <= l.maximum; ++code) {
      const double here = std::fabs(a - magnitude(l, code)), there = std::fabs(a - magnitude(l, best));
      if (here < there || (here == there && (code & 1) == 0)) best = code;
    }
  }
  if (l.unsigned_zero && best == 0) return 0;
  return static_cast<uint8_t>(best | (std::signbit(v) ? sign_bit(l) : 0));
}

uint8_t power_code(double v) {
  if (std::isnan(v) || v < 0 || v > 0x1p127) return 0xff;
  int code = 0;
  while (std::ldexp(1.0, code - 127) < v) ++code;
  return static_cast<uint8_t>(code);
}

}  // namespace

int code_bits(DType d) { return dtype_row(d).key & 0xff; }

double small_value(DType d, uint8_t code) {
  TENON_CHECK(is_small(d), "{} is not a small type", name_of(d));
  const int bits = code_bits(d), c = code & ((1 << bits) - 1);
  if (const Layout* l = layout_of(d)) return float_value(*l, c);
  if (d == DType::F8E8M0) return c == 0xff ? kNaN : std::ldexp(1.0, c - 127);
  const bool negative = dtype_row(d).compute == DType::I8 && (c >> (bits - 1)) != 0;
  return negative ? c - (1 << bits) : c;
}

uint8_t small_code(DType d, double value) {
  TENON_CHECK(is_small(d), "{} is not a small type", name_of(d));
  if (const Layout* l = layout_of(d)) return float_code(*l, value);
  if (d == DType::F8E8M0) return power_code(value);
  return static_cast<uint8_t>(static_cast<unsigned>(static_cast<int>(value)) & ((1u << code_bits(d)) - 1u));
}

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
