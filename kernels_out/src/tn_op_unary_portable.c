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

static inline float tn_f32_copysign_portable(float a, float b) {
  return tn_u32_f32_of_bits_portable((tn_f32_bits_portable(a) & 0x7fffffffu) | (tn_f32_bits_portable(b) & 0x80000000u));
}

/* erf; error below 1.22 ULP */
static inline float tn_f32_erf_portable(float x) {
  const float a = tn_f32_abs_portable(x);
  const float t = 4.0f < a ? 4.0f : a;
  const float l1 = ((((-0.00019596075f * t + 0.0030434334f) * t + -0.022227729f) * t + 0.10393317f) * t + 0.63718057f)
      * t + 0.12767656f;
  const float l = l1 * t + 0.00019546333f;
  const float v = t + l;
  const float t_2 = v * (-1.442695f) + 12582912.0f;
  const float n = t_2 - 12582912.0f;
  const float r = n * (-0.6931472f) + -v;
  const float q = (((0.0013935808f * r + 0.008368962f) * r + 0.041666456f) * r + 0.16666518f) * r + 0.5f;
  const float p = (q * r + 1.0f) * r + 1.0f;
  const float large = tn_f32_copysign_portable(1.0f - tn_u32_f32_of_bits_portable(tn_f32_bits_portable(p) +
      (tn_f32_bits_portable(t_2) << 23)), x);
  const float z = x * x;
  const float s = ((((-0.0005937745f * z + 0.0049831066f) * z + -0.026760139f) * z + 0.11281657f) * z + -0.37612483f) *
      z + 0.12837915f;
  return a > 0.93f ? large : s * x + x;
}

static inline float tn_f32_max_of_constant_portable(float a, float b) {
  return a > b ? a : b;
}

/*
 * Y[*s] = gelu(X[*s])
 * tensors: X f32[S], Y f32[S]
 * computes in f32; blueprint loops
 * cost: 5*S operations, 8*S bytes
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
    Y[s] = 0.5f * x * (1.0f + tn_f32_erf_portable(x * 0.70710677f));
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
