/* op_layernorm: kernels for portable. */
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

static inline float tn_f32_sq_portable(float a) {
  return a * a;
}

static inline uint32_t tn_f32_bits_portable(float a) {
  uint32_t r;
  memcpy(&r, &a, sizeof r);
  return r;
}

static inline float tn_u32_f32_of_bits_portable(uint32_t a) {
  float r;
  memcpy(&r, &a, sizeof r);
  return r;
}

/* sqrt: square root, correctly rounded, where there is no instruction for it; error below 0.5 ULP */
static inline float tn_f32_sqrt_portable(float x) {
  const int tiny = x < 1e-20f;
  const int huge = x > 1e+30f;
  const float v = x * (tiny ? 1.8446744e+19f : (huge ? 5.421011e-20f : 1.0f));
  const float h = 0.5f * v;
  const float y0 = tn_u32_f32_of_bits_portable(1597463007u - (tn_f32_bits_portable(v) >> 1));
  const float y1 = y0 * (1.5f - h * y0 * y0);
  const float y2 = y1 * (1.5f - h * y1 * y1);
  const float y3 = y2 * (1.5f - h * y2 * y2);
  const float s = v * y3;
  const float sa = s * 4097.0f;
  const float sb = s * 4097.0f;
  const float ah = sa - (sa - s);
  const float bh = sb - (sb - s);
  const float al = s - ah;
  const float bl = s - bh;
  const float d = v - s * s - (ah * bh - s * s + ah * bl + al * bh + al * bl);
  const float root = s + d * (0.5f * y3);
  const float above = tn_u32_f32_of_bits_portable(tn_f32_bits_portable(root) + 1u);
  const float below = tn_u32_f32_of_bits_portable(tn_f32_bits_portable(root) - 1u);
  const float e = v - root * root;
  const float sa_2 = root * 4097.0f;
  const float sb_2 = root * 4097.0f;
  const float ah_2 = sa_2 - (sa_2 - root);
  const float bh_2 = sb_2 - (sb_2 - root);
  const float al_2 = root - ah_2;
  const float bl_2 = root - bh_2;
  const float t = ah_2 * bh_2 - root * root + ah_2 * bl_2 + al_2 * bh_2 + al_2 * bl_2;
  const int more = e - root * (above - root) - t > 0.0f;
  const int less = e + root * (root - below) - t <= 0.0f;
  const float exact = (more ? above : (less ? below : root)) * (tiny ? 2.3283064e-10f : (huge ? 4294967300.0f : 1.0f));
  const float ends = (x == 0.0f || x == tn_u32_f32_of_bits_portable(0x7f800000u)) ? x : exact;
  return x < 0.0f ? tn_u32_f32_of_bits_portable(0x7fc00000u) : ends;
}

/*
 * mean[*p] = sum[*q](X[*p,*q])/Nq
 * var[*p]  = sum[*q](sq(X[*p,*q] - mean[*p]))/Nq
 * rstd[*p] = 1/sqrt(var[*p] + eps)
 * Y[*p,*q] = (X[*p,*q] - mean[*p])*rstd[*p]*G[*q] + opt(B[*q], 0)
 * tensors: X f32[P, Q], G f32[Q], B f32[Q], Y f32[P, Q]
 * computes in f32, accumulates in f32; blueprint loops
 * cost: 8*P*Q + 5*P operations, 8*P*Q + 8*Q bytes
 */
static int tn_layernorm_f32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
  (void)workspace;
  const int64_t P = size[0];
  const int64_t Q = size[1];
  const int64_t Nq = size[2];
  const float eps = (float)attr[0].f;
  const float *restrict X = (const float *)in[0];
  const float *restrict G = (const float *)in[1];
  const float *restrict B = (const float *)in[2];
  float *restrict Y = (float *)out[0];
  for (int64_t p = 0; p < P; ++p) {
    float mean_sum0 = 0.0f;
    float mean_sum1 = 0.0f;
    float mean_sum2 = 0.0f;
    float mean_sum3 = 0.0f;
    const int64_t q_groups = Q & (-4);
    for (int64_t q = 0; q < q_groups; q += 4) {
      mean_sum0 = mean_sum0 + X[p * Q + q];
      mean_sum1 = mean_sum1 + X[p * Q + (q + 1)];
      mean_sum2 = mean_sum2 + X[p * Q + (q + 2)];
      mean_sum3 = mean_sum3 + X[p * Q + (q + 3)];
    }
    for (int64_t q = q_groups; q < Q; ++q) {
      mean_sum0 = mean_sum0 + X[p * Q + q];
    }
    const float mean_sum_all = mean_sum0 + mean_sum1 + (mean_sum2 + mean_sum3);
    const float mean = mean_sum_all / (float)Nq;
    float var_sum0 = 0.0f;
    float var_sum1 = 0.0f;
    float var_sum2 = 0.0f;
    float var_sum3 = 0.0f;
    const int64_t q_1_groups = Q & (-4);
    for (int64_t q_1 = 0; q_1 < q_1_groups; q_1 += 4) {
      var_sum0 = var_sum0 + tn_f32_sq_portable(X[p * Q + q_1] - mean);
      var_sum1 = var_sum1 + tn_f32_sq_portable(X[p * Q + (q_1 + 1)] - mean);
      var_sum2 = var_sum2 + tn_f32_sq_portable(X[p * Q + (q_1 + 2)] - mean);
      var_sum3 = var_sum3 + tn_f32_sq_portable(X[p * Q + (q_1 + 3)] - mean);
    }
    for (int64_t q_1 = q_1_groups; q_1 < Q; ++q_1) {
      var_sum0 = var_sum0 + tn_f32_sq_portable(X[p * Q + q_1] - mean);
    }
    const float var_sum_all = var_sum0 + var_sum1 + (var_sum2 + var_sum3);
    const float rstd = 1.0f / tn_f32_sqrt_portable(var_sum_all / (float)Nq + eps);
    for (int64_t q = 0; q < Q; ++q) {
      Y[p * Q + q] = (X[p * Q + q] - mean) * rstd * G[q] + B[q];
    }
  }
  return 0;
}

/*
 * mean[*p] = sum[*q](X[*p,*q])/Nq
 * var[*p]  = sum[*q](sq(X[*p,*q] - mean[*p]))/Nq
 * rstd[*p] = 1/sqrt(var[*p] + eps)
 * Y[*p,*q] = (X[*p,*q] - mean[*p])*rstd[*p]*G[*q] + opt(B[*q], 0)
 * tensors: X f32[P, Q], G f32[Q], Y f32[P, Q]
 * computes in f32, accumulates in f32; blueprint loops
 * cost: 8*P*Q + 5*P operations, 8*P*Q + 4*Q bytes
 */
static int tn_layernorm_f32_noB_portable(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
  (void)workspace;
  const int64_t P = size[0];
  const int64_t Q = size[1];
  const int64_t Nq = size[2];
  const float eps = (float)attr[0].f;
  const float *restrict X = (const float *)in[0];
  const float *restrict G = (const float *)in[1];
  float *restrict Y = (float *)out[0];
  for (int64_t p = 0; p < P; ++p) {
    float mean_sum0 = 0.0f;
    float mean_sum1 = 0.0f;
    float mean_sum2 = 0.0f;
    float mean_sum3 = 0.0f;
    const int64_t q_groups = Q & (-4);
    for (int64_t q = 0; q < q_groups; q += 4) {
      mean_sum0 = mean_sum0 + X[p * Q + q];
      mean_sum1 = mean_sum1 + X[p * Q + (q + 1)];
      mean_sum2 = mean_sum2 + X[p * Q + (q + 2)];
      mean_sum3 = mean_sum3 + X[p * Q + (q + 3)];
    }
    for (int64_t q = q_groups; q < Q; ++q) {
      mean_sum0 = mean_sum0 + X[p * Q + q];
    }
    const float mean_sum_all = mean_sum0 + mean_sum1 + (mean_sum2 + mean_sum3);
    const float mean = mean_sum_all / (float)Nq;
    float var_sum0 = 0.0f;
    float var_sum1 = 0.0f;
    float var_sum2 = 0.0f;
    float var_sum3 = 0.0f;
    const int64_t q_1_groups = Q & (-4);
    for (int64_t q_1 = 0; q_1 < q_1_groups; q_1 += 4) {
      var_sum0 = var_sum0 + tn_f32_sq_portable(X[p * Q + q_1] - mean);
      var_sum1 = var_sum1 + tn_f32_sq_portable(X[p * Q + (q_1 + 1)] - mean);
      var_sum2 = var_sum2 + tn_f32_sq_portable(X[p * Q + (q_1 + 2)] - mean);
      var_sum3 = var_sum3 + tn_f32_sq_portable(X[p * Q + (q_1 + 3)] - mean);
    }
    for (int64_t q_1 = q_1_groups; q_1 < Q; ++q_1) {
      var_sum0 = var_sum0 + tn_f32_sq_portable(X[p * Q + q_1] - mean);
    }
    const float var_sum_all = var_sum0 + var_sum1 + (var_sum2 + var_sum3);
    const float rstd = 1.0f / tn_f32_sqrt_portable(var_sum_all / (float)Nq + eps);
    for (int64_t q = 0; q < Q; ++q) {
      Y[p * Q + q] = (X[p * Q + q] - mean) * rstd * G[q] + 0.0f;
    }
  }
  return 0;
}

extern const tn_core tn_cores_layernorm_portable[];
const tn_core tn_cores_layernorm_portable[] = {
    {tn_layernorm_f32_portable, NULL},
    {tn_layernorm_f32_noB_portable, NULL},
};
