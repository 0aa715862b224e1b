// Small functions that convert between f32 (i8, u8) and the types of 8, 4 and 2 bits, one code a byte, by their bits.
#include "emit/scalar_piece_rows.h"

namespace tenon::emit {
namespace {

constexpr ScalarPieceRow kSmallRows[] = {
    // A magnitude below infinity as a code of `fraction` bits and an exponent with this bias, rounded to nearest even;
    // it may exceed the type.
    {"narrow_code",
     "u",
     "uint32_t",
     {"uint32_t m", "uint32_t bias", "uint32_t fraction"},
     R"(  const uint32_t shift = 23u - fraction;
  if ((m >> 23) + bias > 127u) {
    const uint32_t code = m - ((127u - bias) << 23);
    return (code + (1u << (shift - 1u)) - 1u + (code >> shift & 1u)) >> shift;
  }
  const uint32_t one = (151u - bias - fraction) << 23;
  return $(bits:f32)($(f32_of_bits)(m) + $(f32_of_bits)(one)) - one;
)"},
    {"f32_of_f8e4m3fn", "u", "float", {"uint8_t a"}, R"(  const uint32_t m = a & 0x7fu;
  const float v = m == 0x7fu ? $(f32_of_bits:u32)(0x7fc00000u) : $(f32_of_bits:u32)(m << 20) * 1.329227995784916e36f;
  return a > 0x7fu ? -v : v;
)"},
    {"f8e4m3fn_of_f32", "f", "uint8_t", {"float a"}, R"(  const uint32_t u = $(bits)(a);
  const uint32_t m = u & 0x7fffffffu;
  const uint32_t code = m > 0x43f00000u ? 0x7fu : $(narrow_code:u32)(m, 7u, 3u);
  return (uint8_t)((u >> 24 & 0x80u) | (code > 0x7fu ? 0x7fu : code));
)"},
    {"f32_of_f8e4m3fnuz", "u", "float", {"uint8_t a"}, R"(  if (a == 0x80u) {
    return $(f32_of_bits:u32)(0x7fc00000u);
  }
  const float v = $(f32_of_bits:u32)((a & 0x7fu) << 20) * 6.64613997892458e35f;
  return a > 0x7fu ? -v : v;
)"},
    {"f8e4m3fnuz_of_f32", "f", "uint8_t", {"float a"}, R"(  const uint32_t u = $(bits)(a);
  const uint32_t m = u & 0x7fffffffu;
  const uint32_t code = m > 0x43800000u ? 0x80u : $(narrow_code:u32)(m, 8u, 3u);
  if (code > 0x7fu) {
    return 0x80u;
  }
  return (uint8_t)(code == 0 ? 0 : (u >> 24 & 0x80u) | code);
)"},
    {"f32_of_f8e5m2", "u", "float", {"uint8_t a"}, R"(  const uint32_t m = a & 0x7fu;
  const float v = m > 0x7bu ? $(f32_of_bits:u32)(m == 0x7cu ? 0x7f800000u : 0x7fc00000u) : $(f32_of_bits:u32)(m << 21) * 5.192296858534828e33f;
  return a > 0x7fu ? -v : v;
)"},
    {"f8e5m2_of_f32", "f", "uint8_t", {"float a"}, R"(  const uint32_t u = $(bits)(a);
  const uint32_t m = u & 0x7fffffffu;
  const uint32_t code = m > 0x7f800000u ? 0x7fu : m > 0x47800000u ? 0x7cu : $(narrow_code:u32)(m, 15u, 2u);
  return (uint8_t)((u >> 24 & 0x80u) | code);
)"},
    {"f32_of_f8e5m2fnuz", "u", "float", {"uint8_t a"}, R"(  if (a == 0x80u) {
    return $(f32_of_bits:u32)(0x7fc00000u);
  }
  const float v = $(f32_of_bits:u32)((a & 0x7fu) << 21) * 2.596148429267414e33f;
  return a > 0x7fu ? -v : v;
)"},
    {"f8e5m2fnuz_of_f32", "f", "uint8_t", {"float a"}, R"(  const uint32_t u = $(bits)(a);
  const uint32_t m = u & 0x7fffffffu;
  const uint32_t code = m > 0x47800000u ? 0x80u : $(narrow_code:u32)(m, 16u, 2u);
  if (code > 0x7fu) {
    return 0x80u;
  }
  return (uint8_t)(code == 0 ? 0 : (u >> 24 & 0x80u) | code);
)"},
    // A power of two; what is between two of them goes up, and no number below zero has a code.
    {"f32_of_f8e8m0",
     "u",
     "float",
     {"uint8_t a"},
     R"(  return $(f32_of_bits:u32)(a == 0xffu ? 0x7fc00000u : a == 0 ? 0x400000u : (uint32_t)a << 23);
)"},
    {"f8e8m0_of_f32", "f", "uint8_t", {"float a"}, R"(  const uint32_t u = $(bits)(a);
  if (u > 0x7f000000u && u != 0x80000000u) {
    return 0xffu;
  }
  return (uint8_t)((u & 0x7fffffffu) <= 0x400000u ? 0 : (u + 0x7fffffu) >> 23);
)"},
    // Without infinity and NaN: beyond 6 is 6, NaN is -0.
    {"f32_of_f4e2m1",
     "u",
     "float",
     {"uint8_t a"},
     R"(  const float v = $(f32_of_bits:u32)((a & 7u) << 22) * 8.507059173023462e37f;
  return (a & 8u) != 0 ? -v : v;
)"},
    {"f4e2m1_of_f32", "f", "uint8_t", {"float a"}, R"(  if (a != a) {
    return 8u;
  }
  const uint32_t u = $(bits)(a);
  const uint32_t m = u & 0x7fffffffu;
  const uint32_t code = m > 0x40c00000u ? 7u : $(narrow_code:u32)(m, 1u, 1u);
  return (uint8_t)((u >> 28 & 8u) | (code > 7u ? 7u : code));
)"},
    {"i8_of_i4", "u", "int8_t", {"uint8_t a"}, R"(  return (int8_t)(((a & 15) ^ 8) - 8);
)"},
    {"i4_of_i8", "s", "uint8_t", {"int8_t a"}, R"(  return (uint8_t)((unsigned)a & 15u);
)"},
    {"u8_of_u4", "u", "uint8_t", {"uint8_t a"}, R"(  return (uint8_t)(a & 15u);
)"},
    {"u4_of_u8", "u", "uint8_t", {"uint8_t a"}, R"(  return (uint8_t)(a & 15u);
)"},
    {"i8_of_i2", "u", "int8_t", {"uint8_t a"}, R"(  return (int8_t)(((a & 3) ^ 2) - 2);
)"},
    {"i2_of_i8", "s", "uint8_t", {"int8_t a"}, R"(  return (uint8_t)((unsigned)a & 3u);
)"},
    {"u8_of_u2", "u", "uint8_t", {"uint8_t a"}, R"(  return (uint8_t)(a & 3u);
)"},
    {"u2_of_u8", "u", "uint8_t", {"uint8_t a"}, R"(  return (uint8_t)(a & 3u);
)"},
};

}  // namespace

std::span<const ScalarPieceRow> small_piece_rows() { return kSmallRows; }

}  // namespace tenon::emit
