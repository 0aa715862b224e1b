/* op_softmax: kernels for portable. */
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

static inline float tn_f32_max_portable(float a, float b) {
  return a > b || a != a ? a : b;
}

static inline uint32_t tn_f32_bits_portable(float a) {
  uint32_t r;
  memcpy(&r, &a, sizeof r);
  return r;
}

/* exp_nonpositive: e^x for x <= 0; error below 1.18 ULP */
static inline float tn_f32_exp_nonpositive_portable(float x) {
  const float c = -104.0f > x ? -104.0f : x;
  const float t = c * 1.442695f + 12582912.0f;
  const float n = t - 12582912.0f;
  const float a = n * (-0.69314575f) + c;
  const float r = n * (-1.4286068e-06f) + a;
  const float q = (((0.0013935808f * r + 0.008368962f) * r + 0.041666456f) * r + 0.16666518f) * r + 0.5f;
  const float p = (q * r + 1.0f) * r + 1.0f;
  return p * tn_u32_f32_of_bits_portable(tn_f32_bits_portable(n + 12583103.0f) << 23) * 5.421011e-20f;
}

/*
 * m[*p,*q]   = max[k](X[*p,k,*q])
 * e[*p,d,*q] = exp(X[*p,d,*q] - stop(m[*p,*q]))
 * z[*p,*q]   = sum[k](e[*p,k,*q])
 * Y[*p,d,*q] = e[*p,d,*q]/z[*p,*q]
 * tensors: X f32[P, D, Q], Y f32[P, D, Q]
 * computes in f32, accumulates in f32; blueprint loops
 * cost: 5*D*P*Q operations, 8*D*P*Q bytes
 */
static int tn_softmax_f32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out,
    void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t P = size[0];
  const int64_t D = size[1];
  const int64_t Q = size[2];
  const float *restrict X = (const float *)in[0];
  float *restrict Y = (float *)out[0];
  for (int64_t p = 0; p < P; ++p) {
    const int64_t at = p * (Q * D);
    for (int64_t q = 0; q < Q; ++q) {
      float m = tn_u32_f32_of_bits_portable(0xff800000u);
      for (int64_t k = 0; k < D; ++k) {
        m = tn_f32_max_portable(X[at + k * Q + q], m);
      }
      float z = 0.0f;
      for (int64_t d = 0; d < D; ++d) {
        const float y = tn_f32_exp_nonpositive_portable(X[at + d * Q + q] - m);
        Y[at + d * Q + q] = y;
        z = z + y;
      }
      const float z_inverse = 1.0f / z;
      for (int64_t d = 0; d < D; ++d) {
        const float y = Y[at + d * Q + q] * z_inverse;
        Y[at + d * Q + q] = y;
      }
    }
  }
  return 0;
}

extern const tn_core tn_cores_softmax_portable[];
const tn_core tn_cores_softmax_portable[] = {
    {tn_softmax_f32_portable, NULL},
};
