/* op_unary: kernels for portable. */
#include "tn_internal.h"

#if defined(__FAST_MATH__)
#error "these functions need IEEE arithmetic: compile without -ffast-math"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#if __GNUC__ == 12 && __GNUC_MINOR__ < 3 && defined(__FMA__)
/* This compiler's vectoriser fuses multiplications into alternating additions and subtractions all the same. */
#pragma GCC optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize")
#endif
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float tn_u32_f32_of_bits_portable(uint32_t a) {
  float r;
  memcpy(&r, &a, sizeof r);
  return r;
}

static inline uint32_t tn_f32_bits_portable(float a) {
  uint32_t r;
  memcpy(&r, &a, sizeof r);
  return r;
}

static inline float tn_f32_abs_portable(float a) {
  return tn_u32_f32_of_bits_portable(tn_f32_bits_portable(a) & 0x7fffffffu);
}

static inline float tn_f32_min_of_constant_portable(float a, float b) {
  return a < b ? a : b;
}

static inline float tn_f32_max_of_constant_portable(float a, float b) {
  return a > b ? a : b;
}

/* exp; error below 1.18 ULP */
static inline float tn_f32_exp_portable(float x) {
  const float c = tn_f32_max_of_constant_portable(-104.0f, 89.0f < x ? 89.0f : x);
  const float t = c * 1.442695f + 12582912.0f;
  const float n = t - 12582912.0f;
  const float a = n * (-0.69314575f) + c;
  const float r = n * (-1.4286068e-06f) + a;
  const float q = (((0.0013935808f * r + 0.008368962f) * r + 0.041666456f) * r + 0.16666518f) * r + 0.5f;
  const float p = (q * r + 1.0f) * r + 1.0f;
  const uint32_t t_2 = tn_f32_bits_portable(n + 12583166.0f);
  const uint32_t half = (t_2 << 22) & 4286578688u;
  return p * tn_u32_f32_of_bits_portable(half) * tn_u32_f32_of_bits_portable((t_2 << 23) - half);
}

/* normcdf: the share of the standard normal distribution below x; the square in the exponent is exact, so that the tail is; error below 4 ULP */
static inline float tn_f32_normcdf_portable(float x) {
  const float a = tn_f32_min_of_constant_portable(14.8f, tn_f32_abs_portable(x));
  const float e = tn_f32_exp_portable(-(0.5f * a * a));
  const float a_2 = 0.5f * a;
  const float sa = a_2 * 4097.0f;
  const float sb = a * 4097.0f;
  const float ah = sa - (sa - a_2);
  const float bh = sb - (sb - a);
  const float al = a_2 - ah;
  const float bl = a - bh;
  const float b = a * 0.70710677f;
  const float t = (b - 2.0f) / (b + 2.0f);
  const float q1 = ((((-0.0004038714f * t + -0.0012365322f) * t + 0.0013143194f) * t + 0.00863915f) * t +
      -0.008058441f) * t + -0.054207228f;
  const float q = (((q1 * t + 0.16405472f) * t + -0.16603097f) * t + -0.09276392f) * t + 1.2769784f;
  const float y = (-(ah * bh - a_2 * a + ah * bl + al * bh + al * bl) * e + e) * (0.5f * (q / (1.0f + 2.0f * b)));
  return x > 0.0f ? 1.0f - y : y;
}

/*
 * Y[*s] = gelu(X[*s])
 * tensors: X f32[S], Y f32[S]
 * computes in f32; blueprint loops
 * cost: 3*S operations, 8*S bytes
 */
static int tn_gelu_f32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out,
    void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t S = size[0];
  const int64_t X_s0 = size[1];
  const float *restrict X = (const float *)in[0];
  float *restrict Y = (float *)out[0];
  for (int64_t s = 0; s < S; ++s) {
    const float x = X[s * X_s0];
    Y[s] = (-1000.0f > x ? -1000.0f : x) * tn_f32_normcdf_portable(x);
  }
  return 0;
}

/*
 * Y[*s] = max(X[*s], 0)
 * tensors: X f32[S], Y f32[S]
 * computes in f32; blueprint loops
 * cost: S operations, 8*S bytes
 */
static int tn_relu_f32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out,
    void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t S = size[0];
  const int64_t X_s0 = size[1];
  const float *restrict X = (const float *)in[0];
  float *restrict Y = (float *)out[0];
  for (int64_t s = 0; s < S; ++s) {
    Y[s] = tn_f32_max_of_constant_portable(0.0f, X[s * X_s0]);
  }
  return 0;
}

extern const tn_core tn_cores_gelu_portable[];
const tn_core tn_cores_gelu_portable[] = {
    {tn_gelu_f32_portable, NULL},
};
extern const tn_core tn_cores_relu_portable[];
const tn_core tn_cores_relu_portable[] = {
    {tn_relu_f32_portable, NULL},
};
