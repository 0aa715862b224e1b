// Small functions over float and double, without libm. NaN passes through where the operation says so; signs of zeros
// are kept.
#include "emit/scalar_piece_rows.h"

namespace tenon::emit {
namespace {

constexpr ScalarPieceRow kFloatRows[] = {
    {"f32_of_bits", "u", "float", {"uint32_t a"}, R"(  float r;
  memcpy(&r, &a, sizeof r);
  return r;
)"},
    {"f64_of_bits", "u", "double", {"uint64_t a"}, R"(  double r;
  memcpy(&r, &a, sizeof r);
  return r;
)"},
    {"bits", "fd", "$U", {"$T a"}, R"(  $U r;
  memcpy(&r, &a, sizeof r);
  return r;
)"},
    {"abs", "f", "float", {"float a"}, R"(  return $(f32_of_bits:u32)($(bits)(a) & 0x7fffffffu);
)"},
    {"abs", "d", "double", {"double a"}, R"(  return $(f64_of_bits:u64)($(bits)(a) & UINT64_C(0x7fffffffffffffff));
)"},
    {"copysign",
     "f",
     "float",
     {"float a", "float b"},
     R"(  return $(f32_of_bits:u32)(($(bits)(a) & 0x7fffffffu) | ($(bits)(b) & 0x80000000u));
)"},
    {"copysign", "d", "double", {"double a", "double b"}, R"(  const uint64_t sign = UINT64_C(0x8000000000000000);
  return $(f64_of_bits:u64)(($(bits)(a) & ~sign) | ($(bits)(b) & sign));
)"},
    {"sign", "fd", "$T", {"$T a"}, R"(  return a > 0 ? 1 : a < 0 ? -1 : a;
)"},
    {"sq", "fd", "$T", {"$T a"}, R"(  return a * a;
)"},
    {"max", "fd", "$T", {"$T a", "$T b"}, R"(  return a > b || a != a ? a : b;
)"},
    {"min", "fd", "$T", {"$T a", "$T b"}, R"(  return a < b || a != a ? a : b;
)"},
    {"max_of_constant", "fd", "$T", {"$T a", "$T b"}, R"(  return a > b ? a : b;
)"},
    {"min_of_constant", "fd", "$T", {"$T a", "$T b"}, R"(  return a < b ? a : b;
)"},
    // The third argument is fmod(a, b).
    {"mod", "fd", "$T", {"$T a", "$T b", "$T r"}, R"(  (void)a;
  if (r == 0) {
    return $(copysign)(r, b);
  }
  return (r < 0) != (b < 0) ? r + b : r;
)"},
    {"isnan", "fd", "int", {"$T a"}, R"(  return a != a;
)"},
    {"isinf", "f", "int", {"float a"}, R"(  return ($(bits)(a) & 0x7fffffffu) == 0x7f800000u;
)"},
    {"isinf",
     "d",
     "int",
     {"double a"},
     R"(  return ($(bits)(a) & UINT64_C(0x7fffffffffffffff)) == UINT64_C(0x7ff0000000000000);
)"},
    {"isfinite", "f", "int", {"float a"}, R"(  return ($(bits)(a) & 0x7f800000u) != 0x7f800000u;
)"},
    {"isfinite",
     "d",
     "int",
     {"double a"},
     R"(  return ($(bits)(a) & UINT64_C(0x7ff0000000000000)) != UINT64_C(0x7ff0000000000000);
)"},
    {"trunc", "f", "float", {"float a"}, R"(  if (!(a > -8388608.0f && a < 8388608.0f)) {
    return a;
  }
  return $(copysign)((float)(int32_t)a, a);
)"},
    {"trunc", "d", "double", {"double a"}, R"(  if (!(a > -4503599627370496.0 && a < 4503599627370496.0)) {
    return a;
  }
  return $(copysign)((double)(int64_t)a, a);
)"},
    {"floor", "fd", "$T", {"$T a"}, R"(  const $T t = $(trunc)(a);
  return t > a ? t - 1 : t;
)"},
    {"ceil", "fd", "$T", {"$T a"}, R"(  const $T t = $(trunc)(a);
  return t < a ? $(copysign)(t + 1, a) : t;
)"},
    // Adding and taking away 2^23 (2^52) rounds to an integer, ties to even.
    {"round", "f", "float", {"float a"}, R"(  if (!(a > -8388608.0f && a < 8388608.0f)) {
    return a;
  }
  const float shift = a < 0 ? -8388608.0f : 8388608.0f;
  const float up = a + shift;
  return $(copysign)(up - shift, a);
)"},
    {"round", "d", "double", {"double a"}, R"(  if (!(a > -4503599627370496.0 && a < 4503599627370496.0)) {
    return a;
  }
  const double shift = a < 0 ? -4503599627370496.0 : 4503599627370496.0;
  const double up = a + shift;
  return $(copysign)(up - shift, a);
)"},
    // The root of the significand, bit by bit: exact, rounded to nearest.
    {"sqrt", "f", "float", {"float a"}, R"(  uint32_t u = $(bits)(a);
  if (u == 0x80000000u || a != a || u == 0x7f800000u) {
    return a;
  }
  if (u >> 31 != 0) {
    return $(f32_of_bits:u32)(0x7fc00000u);
  }
  int e = (int)(u >> 23);
  u &= 0x7fffffu;
  if (e == 0) {
    if (u == 0) {
      return a;
    }
    e = 1;
    for (; u >> 23 == 0; u <<= 1) {
      --e;
    }
  }
  u |= 0x800000u;
  e -= 127;
  if ((e & 1) != 0) {
    u <<= 1;
  }
  uint32_t root = 0, rest = u << 1, sum = 0;
  for (uint32_t bit = 0x1000000u; bit != 0; bit >>= 1) {
    const uint32_t t = sum + bit;
    if (t <= rest) {
      sum = t + bit;
      rest -= t;
      root += bit;
    }
    rest <<= 1;
  }
  if (rest != 0) {
    root += root & 1u;
  }
  const int half = (e & 1) != 0 ? (e - 1) / 2 : e / 2;
  return $(f32_of_bits:u32)((root >> 1) + ((uint32_t)(half + 126) << 23));
)"},
    {"sqrt", "d", "double", {"double a"}, R"(  uint64_t u = $(bits)(a);
  if (u == UINT64_C(0x8000000000000000) || a != a || u == UINT64_C(0x7ff0000000000000)) {
    return a;
  }
  if (u >> 63 != 0) {
    return $(f64_of_bits:u64)(UINT64_C(0x7ff8000000000000));
  }
  int e = (int)(u >> 52);
  u &= UINT64_C(0xfffffffffffff);
  if (e == 0) {
    if (u == 0) {
      return a;
    }
    e = 1;
    for (; u >> 52 == 0; u <<= 1) {
      --e;
    }
  }
  u |= UINT64_C(0x10000000000000);
  e -= 1023;
  if ((e & 1) != 0) {
    u <<= 1;
  }
  uint64_t root = 0, rest = u << 1, sum = 0;
  for (uint64_t bit = UINT64_C(0x20000000000000); bit != 0; bit >>= 1) {
    const uint64_t t = sum + bit;
    if (t <= rest) {
      sum = t + bit;
      rest -= t;
      root += bit;
    }
    rest <<= 1;
  }
  if (rest != 0) {
    root += root & 1u;
  }
  const int half = (e & 1) != 0 ? (e - 1) / 2 : e / 2;
  return $(f64_of_bits:u64)((root >> 1) + ((uint64_t)(half + 1022) << 52));
)"},
};

}  // namespace

std::span<const ScalarPieceRow> float_piece_rows() { return kFloatRows; }

}  // namespace tenon::emit
