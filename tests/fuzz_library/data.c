/* Elements of any type: stored as they are drawn, and read as numbers for comparisons. */
#include <math.h>
#include <string.h>

#include "fuzz.h"

static float f16_of(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits >> 15 != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VALF : NAN;
  return sign * (exponent == 0 ? ldexpf((float)fraction, -24) : ldexpf((float)(fraction + 1024), exponent - 25));
}

/* A small integer as a half: what its bits are is found by search, this is not the place to be fast. */
static uint16_t f16_bits(float value) {
  for (uint32_t bits = 0; bits < 65536; ++bits)
    if (f16_of((uint16_t)bits) == value) return (uint16_t)bits;
  return 0;
}

static void store_small(unsigned char* at, int32_t dtype, int64_t value) {
  static uint16_t halves[17];
  const float f = (float)value;
  const double d = (double)value;
  uint32_t bits;
  uint16_t half;
  memset(at, 0, (size_t)bytes_of_dtype(dtype));
  switch (dtype) {
    case TN_F32:
    case TN_C64: memcpy(at, &f, sizeof f); break;
    case TN_F64:
    case TN_C128: memcpy(at, &d, sizeof d); break;
    case TN_F16:
      if (halves[16] == 0)
        for (int k = 0; k < 17; ++k) halves[k] = f16_bits((float)(k - 8));
      memcpy(at, &halves[value + 8], 2);
      break;
    case TN_BF16:
      memcpy(&bits, &f, sizeof bits);
      half = (uint16_t)(bits >> 16);
      memcpy(at, &half, 2);
      break;
    default: memcpy(at, &value, (size_t)bytes_of_dtype(dtype)); break; /* little-endian */
  }
}

/* Between -2 and 2: floats of f64 and f32, small integers of other types. */
static void store_real(unsigned char* at, int32_t dtype) {
  const double d = (double)(below(4000001) - 2000000) / 1000000;
  const float f = (float)d;
  if (dtype == TN_F64) memcpy(at, &d, sizeof d);
  else if (dtype == TN_F32) memcpy(at, &f, sizeof f);
  else store_small(at, dtype, below(3));
}

void store(unsigned char* at, int32_t dtype, data_kind kind) {
  static const unsigned char ends[4][2] = {{0x00, 0x80}, {0xff, 0x7f}, {0xff, 0xff}, {0x00, 0x00}};
  const int n = bytes_of_dtype(dtype);
  const unsigned char* end = ends[below(4)];
  if (dtype == TN_BOOL) *at = (unsigned char)below(2);
  else if (kind == DATA_INDICES) store_small(at, dtype, below(3));
  else if (kind == DATA_SMALL) store_small(at, dtype, dtype >> 8 == 1 ? below(8) : below(13) - 6);
  else if (kind == DATA_REAL) store_real(at, dtype);
  else
    for (int k = 0; k < n; ++k)
      at[k] = kind == DATA_BITS  ? (unsigned char)below(256)
              : k == n - 1       ? end[1]
              : end[0] == end[1] ? end[0]
                                 : (unsigned char)~end[1] & end[0];
}

double value_of(const unsigned char* at, int32_t dtype, int part) {
  const int bytes = bytes_of_dtype(dtype);
  float f;
  double d;
  uint32_t bits;
  uint16_t half;
  uint64_t u = 0;
  if (dtype == TN_F32 || dtype == TN_C64) return memcpy(&f, at + part * 4, 4), f;
  if (dtype == TN_F64 || dtype == TN_C128) return memcpy(&d, at + part * 8, 8), d;
  memcpy(&half, at, bytes < 2 ? 1 : 2);
  if (dtype == TN_F16) return f16_of(half);
  if (dtype == TN_BF16) return bits = (uint32_t)half << 16, memcpy(&f, &bits, 4), f;
  memcpy(&u, at, (size_t)bytes);
  return (double)u;
}

double slack_of(int32_t dtype) {
  switch (dtype) {
    case TN_F16: return 1e-2;
    case TN_BF16: return 6e-2;
    case TN_F32:
    case TN_C64: return 2e-4;
    case TN_F64:
    case TN_C128: return 1e-9;
    default: return 0;
  }
}
