// Small functions that convert between element types: half floats by their bits, floats to integers with saturation.
#include "emit/scalar_piece_rows.h"

namespace tenon::emit {
namespace {

constexpr ScalarPieceRow kConversionRows[] = {
    {"f32_of_f16", "u", "float", {"uint16_t a"}, R"(  const uint32_t sign = (uint32_t)(a & 0x8000u) << 16;
  const uint32_t magnitude = a & 0x7fffu;
  if (magnitude < 0x400u) {
    const float small = (float)magnitude * 5.9604644775390625e-08f;
    return sign != 0 ? -small : small;
  }
  if (magnitude >= 0x7c00u) {
    const uint32_t quiet = magnitude > 0x7c00u ? 0x400000u : 0u;
    return $(f32_of_bits:u32)(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13 | quiet);
  }
  return $(f32_of_bits:u32)(sign | ((magnitude << 13) + 0x38000000u));
)"},
    // Rounds to nearest, ties to even.
    {"f16_of_f32", "f", "uint16_t", {"float a"}, R"(  const uint32_t u = $(bits)(a);
  const uint32_t sign = u >> 16 & 0x8000u;
  const uint32_t m = u & 0x7fffffffu;
  if (m > 0x7f800000u) {
    return (uint16_t)(sign | 0x7e00u | (m >> 13 & 0x3ffu));
  }
  if (m >= 0x477ff000u) {
    return (uint16_t)(sign | 0x7c00u);
  }
  if (m >= 0x38800000u) {
    return (uint16_t)(sign | ((m + 0xc8000fffu + (m >> 13 & 1u)) >> 13));
  }
  if (m < 0x33000000u) {
    return (uint16_t)sign;
  }
  const uint32_t shift = 126u - (m >> 23);
  const uint32_t full = (m & 0x7fffffu) | 0x800000u;
  const uint32_t rest = full & ((1u << shift) - 1u);
  const uint32_t kept = full >> shift;
  const uint32_t half = 1u << (shift - 1u);
  return (uint16_t)(sign | (kept + (rest > half || (rest == half && (kept & 1u) != 0))));
)"},
    {"f32_of_bf16", "u", "float", {"uint16_t a"}, R"(  return $(f32_of_bits:u32)((uint32_t)a << 16);
)"},
    {"bf16_of_f32", "f", "uint16_t", {"float a"}, R"(  const uint32_t u = $(bits)(a);
  if (a != a) {
    return (uint16_t)(u >> 16 | 0x40u);
  }
  return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
)"},
    // Rounds to odd first, so that the rounding to 16 bits that follows is the only one.
    {"f32_odd_of_f64", "d", "float", {"double a"}, R"(  const float f = (float)a;
  const double back = (double)f;
  if (a != a || back == a || $(isinf:f32)(f)) {
    return f;
  }
  uint32_t u = $(bits:f32)(f);
  const int away = (back > a) == (a > 0);
  if (away) {
    u -= 1u;
  }
  return $(f32_of_bits:u32)(u | 1u);
)"},
    // The same of 64-bit integers: what an f64 does not hold of them becomes one bit that it holds.
    {"f32_odd_of_int", "su", "float", {"$T a"}, R"(  const $T held = (a & ~($T)4095) | ($T)((a & 4095) != 0 ? 2048 : 0);
  return $(f32_odd_of_f64:f64)((double)(a / ($T)4503599627370496 == 0 ? a : held));
)"},
    // A power of two near 1/a, which is not below 0.
    {"one_over", "d", "double", {"double a"}, R"(  const uint64_t e = $(bits)(a) >> 52;
  return $(f64_of_bits:u64)((2046u - (e < 1u ? 1u : e > 2045u ? 2045u : e)) << 52);
)"},
    {"i8_of_float", "fd", "int8_t", {"$T a"}, R"(  if (a != a) {
    return 0;
  }
  return a <= -128 ? INT8_MIN : a >= 127 ? INT8_MAX : (int8_t)a;
)"},
    {"i16_of_float", "fd", "int16_t", {"$T a"}, R"(  if (a != a) {
    return 0;
  }
  return a <= -32768 ? INT16_MIN : a >= 32767 ? INT16_MAX : (int16_t)a;
)"},
    {"i32_of_float", "fd", "int32_t", {"$T a"}, R"(  if (a != a) {
    return 0;
  }
  return a <= -2147483648.0$S ? INT32_MIN : a >= 2147483648.0$S ? INT32_MAX : (int32_t)a;
)"},
    {"i64_of_float", "fd", "int64_t", {"$T a"}, R"(  if (a != a) {
    return 0;
  }
  return a <= -9223372036854775808.0$S ? INT64_MIN : a >= 9223372036854775808.0$S ? INT64_MAX : (int64_t)a;
)"},
    {"u8_of_float", "fd", "uint8_t", {"$T a"}, R"(  if (!(a > 0)) {
    return 0;
  }
  return a >= 255 ? UINT8_MAX : (uint8_t)a;
)"},
    {"u16_of_float", "fd", "uint16_t", {"$T a"}, R"(  if (!(a > 0)) {
    return 0;
  }
  return a >= 65535 ? UINT16_MAX : (uint16_t)a;
)"},
    {"u32_of_float", "fd", "uint32_t", {"$T a"}, R"(  if (!(a > 0)) {
    return 0;
  }
  return a >= 4294967296.0$S ? UINT32_MAX : (uint32_t)a;
)"},
    {"u64_of_float", "fd", "uint64_t", {"$T a"}, R"(  if (!(a > 0)) {
    return 0;
  }
  return a >= 18446744073709551616.0$S ? UINT64_MAX : (uint64_t)a;
)"},
};

}  // namespace

std::span<const ScalarPieceRow> conversion_piece_rows() { return kConversionRows; }

}  // namespace tenon::emit
