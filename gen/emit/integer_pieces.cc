// Small functions over integers. All wrap; none divides by zero or shifts out of range.
#include "emit/scalar_piece_rows.h"

namespace tenon::emit {
namespace {

constexpr ScalarPieceRow kIntegerRows[] = {
    {"floordiv", "s", "$T", {"$T a", "$T b"}, R"(  if (b == 0) {
    return 0;
  }
  if (b == -1) {
    return ($T)(0u - ($W)a);
  }
  const $T q = ($T)(a / b);
  return ($T)(q - (a % b != 0 && (a < 0) != (b < 0)));
)"},
    {"floordiv", "u", "$T", {"$T a", "$T b"}, R"(  if (b == 0) {
    return 0;
  }
  return ($T)(a / b);
)"},
    {"mod", "s", "$T", {"$T a", "$T b"}, R"(  if (b == 0 || b == -1) {
    return 0;
  }
  const $T r = ($T)(a % b);
  return r != 0 && (r < 0) != (b < 0) ? ($T)(r + b) : r;
)"},
    {"mod", "u", "$T", {"$T a", "$T b"}, R"(  if (b == 0) {
    return 0;
  }
  return ($T)(a % b);
)"},
    {"shl", "s", "$T", {"$T a", "$T b"}, R"(  if (b < 0 || b >= $B) {
    return 0;
  }
  return ($T)(($W)a << b);
)"},
    {"shl", "u", "$T", {"$T a", "$T b"}, R"(  if (b >= $B) {
    return 0;
  }
  return ($T)(($W)a << b);
)"},
    {"shr", "s", "$T", {"$T a", "$T b"}, R"(  if (b < 0 || b >= $B) {
    return a < 0 ? -1 : 0;
  }
  return ($T)(a >> b);
)"},
    {"shr", "u", "$T", {"$T a", "$T b"}, R"(  if (b >= $B) {
    return 0;
  }
  return ($T)(a >> b);
)"},
    {"abs", "s", "$T", {"$T a"}, R"(  return a < 0 ? ($T)(0u - ($W)a) : a;
)"},
    {"abs", "u", "$T", {"$T a"}, R"(  return a;
)"},
    {"sign", "s", "$T", {"$T a"}, R"(  return ($T)((a > 0) - (a < 0));
)"},
    {"sign", "u", "$T", {"$T a"}, R"(  return ($T)(a > 0);
)"},
    {"sq", "su", "$T", {"$T a"}, R"(  return ($T)(($W)a * ($W)a);
)"},
    {"min", "su", "$T", {"$T a", "$T b"}, R"(  return a < b ? a : b;
)"},
    {"max", "su", "$T", {"$T a", "$T b"}, R"(  return a > b ? a : b;
)"},
    {"pow", "s", "$T", {"$T a", "$T b"}, R"(  if (b < 0) {
    if (a == -1) {
      return (b & 1) != 0 ? -1 : 1;
    }
    return a == 1;
  }
  $W power = ($W)a;
  $W r = 1;
  for ($T n = b; n != 0; n = ($T)(n >> 1)) {
    if ((n & 1) != 0) {
      r *= power;
    }
    power *= power;
  }
  return ($T)r;
)"},
    {"pow", "u", "$T", {"$T a", "$T b"}, R"(  $W power = a;
  $W r = 1;
  for ($T n = b; n != 0; n = ($T)(n >> 1)) {
    if ((n & 1) != 0) {
      r *= power;
    }
    power *= power;
  }
  return ($T)r;
)"},
    {"popcount", "su", "$T", {"$T a"}, R"(  const $U all = ($U)~($U)0;
  $U x = ($U)a;
  x = ($U)(x - ((x >> 1) & (all / 3)));
  x = ($U)((x & (all / 5)) + ((x >> 2) & (all / 5)));
  x = ($U)((x + (x >> 4)) & (all / 17));
  return ($T)(($U)(x * (all / 255u)) >> ($B - 8));
)"},
    {"clz", "su", "$T", {"$T a"}, R"(  int n = $B;
  $U x = ($U)a;
  for (int half = $B / 2; half > 0; half /= 2) {
    if (x >> half != 0) {
      x = ($U)(x >> half);
      n -= half;
    }
  }
  return ($T)(n - (x != 0));
)"},
    {"half_of",
     "su",
     "int64_t",
     {"$T a", "int high"},
     R"(  const uint64_t u = high ? (uint64_t)a >> ($B / 2) : (uint64_t)a;
  return (int64_t)(u << (64 - $B / 2)) >> (64 - $B / 2);
)"},
    {"dot2", "su", "$T", {"$T a", "$T b", "$T c"}, R"(  const int64_t low = $(half_of)(a, 0) * $(half_of)(b, 0);
  const int64_t high = $(half_of)(a, 1) * $(half_of)(b, 1);
  return ($T)((uint64_t)low + (uint64_t)high + (uint64_t)c);
)"},
    {"quarter_of", "su", "int64_t", {"$T a", "int k"}, R"(  const uint64_t u = (uint64_t)a >> (k * ($B / 4));
  return (int64_t)(u << (64 - $B / 4)) >> (64 - $B / 4);
)"},
    {"dot4", "su", "$T", {"$T a", "$T b", "$T c"}, R"(  uint64_t sum = (uint64_t)c;
  for (int k = 0; k < 4; ++k) {
    sum += (uint64_t)($(quarter_of)(a, k) * $(quarter_of)(b, k));
  }
  return ($T)sum;
)"},
    {"dot4_unsigned", "su", "$T", {"$T a", "$T b", "$T c"}, R"(  uint64_t sum = (uint64_t)c;
  for (int k = 0; k < 4; ++k) {
    const uint64_t first = (uint64_t)$(quarter_of)(a, k) << (64 - $B / 4) >> (64 - $B / 4);
    sum += first * (uint64_t)$(quarter_of)(b, k);
  }
  return ($T)sum;
)"},
    {"u01", "u", "$R", {"$T a"}, R"(  return $01;
)"},
    // Philox 4x32-10: key = seed, counter = (counter, 0); words 0 to 3 of the result.
    {"philox_block_u32", "u", "void", {"uint32_t *p", "uint64_t a", "uint64_t b"}, R"(  uint32_t x0 = (uint32_t)b;
  uint32_t x1 = (uint32_t)(b >> 32);
  uint32_t x2 = 0;
  uint32_t x3 = 0;
  uint32_t k0 = (uint32_t)a;
  uint32_t k1 = (uint32_t)(a >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = (uint64_t)x0 * 0xd2511f53u;
    const uint64_t p1 = (uint64_t)x2 * 0xcd9e8d57u;
    x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
    x1 = (uint32_t)p1;
    x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
    x3 = (uint32_t)p0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  p[0] = x0;
  p[1] = x1;
  p[2] = x2;
  p[3] = x3;
)"},
    {"philox_u32", "u", "uint32_t", {"uint64_t a", "uint64_t b", "uint64_t c"}, R"(  uint32_t x[4];
  $(philox_block_u32)(x, a, b);
  return x[c & 3];
)"},
    {"philox_u64", "u", "uint64_t", {"uint64_t a", "uint64_t b", "uint64_t c"}, R"(  uint32_t x[4];
  $(philox_block_u32)(x, a, b);
  return (uint64_t)x[c & 3] | (uint64_t)x[(c + 1) & 3] << 32;
)"},
    {"philox_block_u64", "u", "void", {"uint64_t *p", "uint64_t a", "uint64_t b"}, R"(  uint32_t x[4];
  $(philox_block_u32)(x, a, b);
  for (int k = 0; k < 4; ++k) {
    p[k] = (uint64_t)x[k] | (uint64_t)x[(k + 1) & 3] << 32;
  }
)"},
};

}  // namespace

std::span<const ScalarPieceRow> integer_piece_rows() { return kIntegerRows; }

}  // namespace tenon::emit
