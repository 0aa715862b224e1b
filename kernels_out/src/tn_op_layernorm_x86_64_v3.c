/* op_layernorm: kernels for x86-64-v3. */
#include "tn_internal.h"

#if defined(__x86_64__) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12))

#if defined(__FAST_MATH__)
#error "these functions need IEEE arithmetic: compile without -ffast-math"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#if __GNUC__ == 12 && __GNUC_MINOR__ < 3
/* This compiler's vectoriser fuses multiplications into alternating additions and subtractions all the same. */
#pragma GCC optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize")
#endif
#pragma GCC optimize("no-predictive-commoning")
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Vectors wider than a register are passed between static functions only: no caller sees the calling convention. */
#pragma GCC diagnostic ignored "-Wpsabi"
#if !defined(__clang__) && !defined(__OPTIMIZE__)
/* Without optimisation the intrinsics' header has macros instead of functions, and their text converts signs. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
#include <immintrin.h>

#define TN_TARGET_X86_64_V3 __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))

typedef float tn_f32x4 __attribute__((vector_size(16)));

typedef float tn_f32x8 __attribute__((vector_size(32)));

typedef float tn_f32x8_at __attribute__((vector_size(32), aligned(4), may_alias));

typedef int32_t tn_i32x8 __attribute__((vector_size(32)));

static inline TN_TARGET_X86_64_V3 int64_t tn_i64_min_x86_64_v3(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_load_first_x86_64_v3(const float *p, int64_t n) {
  return _mm256_maskload_ps((const float *)(const void *)p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

static inline TN_TARGET_X86_64_V3 float tn_f32x8_fold_sum_x86_64_v3(tn_f32x8 a) {
  const tn_f32x4 by_4 = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
  const tn_f32x4 by_2 = by_4 + __builtin_shufflevector(by_4, by_4, 2, 3, 0, 1);
  const tn_f32x4 by_1 = by_2 + __builtin_shufflevector(by_2, by_2, 1, 2, 3, 0);
  return by_1[0];
}

static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_sq_x86_64_v3(tn_f32x8 a) {
  return a * a;
}

static inline TN_TARGET_X86_64_V3 void tn_f32x8_store_first_x86_64_v3(float *p, int64_t n, tn_f32x8 v) {
  _mm256_maskstore_ps((float *)(void *)p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), v);
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
static TN_TARGET_X86_64_V3 int tn_layernorm_f32_x86_64_v3(const int64_t *size, const tn_scalar *attr,
    const void *const *in, void *const *out, void *workspace) {
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
    tn_f32x8 mean_sum0 = (tn_f32x8){0};
    tn_f32x8 mean_sum1 = (tn_f32x8){0};
    tn_f32x8 mean_sum2 = (tn_f32x8){0};
    tn_f32x8 mean_sum3 = (tn_f32x8){0};
    const int64_t q_groups = Q & (-32);
    for (int64_t q = 0; q < q_groups; q += 32) {
      mean_sum0 = mean_sum0 + *(const tn_f32x8_at *)&X[p * Q + q];
      mean_sum1 = mean_sum1 + *(const tn_f32x8_at *)&X[p * Q + (q + 8)];
      mean_sum2 = mean_sum2 + *(const tn_f32x8_at *)&X[p * Q + (q + 16)];
      mean_sum3 = mean_sum3 + *(const tn_f32x8_at *)&X[p * Q + (q + 24)];
    }
    for (int64_t q = q_groups; q < Q; q += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, Q - q);
      mean_sum0 = mean_sum0 + tn_f32x8_load_first_x86_64_v3(&X[p * Q + q], active);
    }
    const float mean_sum_all = tn_f32x8_fold_sum_x86_64_v3(mean_sum0 + mean_sum1 + (mean_sum2 + mean_sum3));
    const float mean = mean_sum_all / (float)Nq;
    tn_f32x8 var_sum0 = (tn_f32x8){0};
    tn_f32x8 var_sum1 = (tn_f32x8){0};
    tn_f32x8 var_sum2 = (tn_f32x8){0};
    tn_f32x8 var_sum3 = (tn_f32x8){0};
    const int64_t q_1_groups = Q & (-32);
    for (int64_t q_1 = 0; q_1 < q_1_groups; q_1 += 32) {
      var_sum0 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + q_1] - mean,
          *(const tn_f32x8_at *)&X[p * Q + q_1] - mean, var_sum0);
      var_sum1 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + (q_1 + 8)] - mean,
          *(const tn_f32x8_at *)&X[p * Q + (q_1 + 8)] - mean, var_sum1);
      var_sum2 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + (q_1 + 16)] - mean,
          *(const tn_f32x8_at *)&X[p * Q + (q_1 + 16)] - mean, var_sum2);
      var_sum3 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + (q_1 + 24)] - mean,
          *(const tn_f32x8_at *)&X[p * Q + (q_1 + 24)] - mean, var_sum3);
    }
    for (int64_t q_1 = q_1_groups; q_1 < Q; q_1 += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, Q - q_1);
      var_sum0 = var_sum0 + _mm256_blendv_ps((tn_f32x8){0}, tn_f32x8_sq_x86_64_v3(tn_f32x8_load_first_x86_64_v3(&X[p *
          Q + q_1], active) - mean), (__m256)((tn_i32x8){0, 1, 2, 3, 4, 5, 6, 7} <
          (tn_i32x8)_mm256_set1_epi32((int32_t)active)));
    }
    const float var_sum_all = tn_f32x8_fold_sum_x86_64_v3(var_sum0 + var_sum1 + (var_sum2 + var_sum3));
    const float rstd = 1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(var_sum_all / (float)Nq + eps)));
    const int64_t q_groups2 = Q & (-32);
    for (int64_t q = 0; q < q_groups2; q += 32) {
      __builtin_prefetch(&X[(p + 1) * Q + q], 0, 3);
      __builtin_prefetch(&X[(p + 1) * Q + (q + 16)], 0, 3);
      __builtin_prefetch(&G[q + 512], 0, 3);
      __builtin_prefetch(&G[q + 16 + 512], 0, 3);
      __builtin_prefetch(&B[q + 512], 0, 3);
      __builtin_prefetch(&B[q + 16 + 512], 0, 3);
      __builtin_prefetch(&Y[p * Q + q + 512], 0, 3);
      *(tn_f32x8_at *)&Y[p * Q + q] = (*(const tn_f32x8_at *)&X[p * Q + q] - mean) * rstd * *(const tn_f32x8_at *)&G[q]
          + *(const tn_f32x8_at *)&B[q];
      *(tn_f32x8_at *)&Y[p * Q + (q + 8)] = (*(const tn_f32x8_at *)&X[p * Q + (q + 8)] - mean) * rstd *
          *(const tn_f32x8_at *)&G[q + 8] + *(const tn_f32x8_at *)&B[q + 8];
      __builtin_prefetch(&Y[p * Q + (q + 16) + 512], 0, 3);
      *(tn_f32x8_at *)&Y[p * Q + (q + 16)] = (*(const tn_f32x8_at *)&X[p * Q + (q + 16)] - mean) * rstd *
          *(const tn_f32x8_at *)&G[q + 16] + *(const tn_f32x8_at *)&B[q + 16];
      *(tn_f32x8_at *)&Y[p * Q + (q + 24)] = (*(const tn_f32x8_at *)&X[p * Q + (q + 24)] - mean) * rstd *
          *(const tn_f32x8_at *)&G[q + 24] + *(const tn_f32x8_at *)&B[q + 24];
    }
    for (int64_t q = q_groups2; q < Q; q += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, Q - q);
      tn_f32x8_store_first_x86_64_v3(&Y[p * Q + q], active, (tn_f32x8_load_first_x86_64_v3(&X[p * Q + q], active) -
          mean) * rstd * tn_f32x8_load_first_x86_64_v3(&G[q], active) + tn_f32x8_load_first_x86_64_v3(&B[q], active));
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
static TN_TARGET_X86_64_V3 int tn_layernorm_f32_noB_x86_64_v3(const int64_t *size, const tn_scalar *attr,
    const void *const *in, void *const *out, void *workspace) {
  (void)workspace;
  const int64_t P = size[0];
  const int64_t Q = size[1];
  const int64_t Nq = size[2];
  const float eps = (float)attr[0].f;
  const float *restrict X = (const float *)in[0];
  const float *restrict G = (const float *)in[1];
  float *restrict Y = (float *)out[0];
  for (int64_t p = 0; p < P; ++p) {
    tn_f32x8 mean_sum0 = (tn_f32x8){0};
    tn_f32x8 mean_sum1 = (tn_f32x8){0};
    tn_f32x8 mean_sum2 = (tn_f32x8){0};
    tn_f32x8 mean_sum3 = (tn_f32x8){0};
    const int64_t q_groups = Q & (-32);
    for (int64_t q = 0; q < q_groups; q += 32) {
      mean_sum0 = mean_sum0 + *(const tn_f32x8_at *)&X[p * Q + q];
      mean_sum1 = mean_sum1 + *(const tn_f32x8_at *)&X[p * Q + (q + 8)];
      mean_sum2 = mean_sum2 + *(const tn_f32x8_at *)&X[p * Q + (q + 16)];
      mean_sum3 = mean_sum3 + *(const tn_f32x8_at *)&X[p * Q + (q + 24)];
    }
    for (int64_t q = q_groups; q < Q; q += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, Q - q);
      mean_sum0 = mean_sum0 + tn_f32x8_load_first_x86_64_v3(&X[p * Q + q], active);
    }
    const float mean_sum_all = tn_f32x8_fold_sum_x86_64_v3(mean_sum0 + mean_sum1 + (mean_sum2 + mean_sum3));
    const float mean = mean_sum_all / (float)Nq;
    tn_f32x8 var_sum0 = (tn_f32x8){0};
    tn_f32x8 var_sum1 = (tn_f32x8){0};
    tn_f32x8 var_sum2 = (tn_f32x8){0};
    tn_f32x8 var_sum3 = (tn_f32x8){0};
    const int64_t q_1_groups = Q & (-32);
    for (int64_t q_1 = 0; q_1 < q_1_groups; q_1 += 32) {
      var_sum0 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + q_1] - mean,
          *(const tn_f32x8_at *)&X[p * Q + q_1] - mean, var_sum0);
      var_sum1 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + (q_1 + 8)] - mean,
          *(const tn_f32x8_at *)&X[p * Q + (q_1 + 8)] - mean, var_sum1);
      var_sum2 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + (q_1 + 16)] - mean,
          *(const tn_f32x8_at *)&X[p * Q + (q_1 + 16)] - mean, var_sum2);
      var_sum3 = _mm256_fmadd_ps(*(const tn_f32x8_at *)&X[p * Q + (q_1 + 24)] - mean,
          *(const tn_f32x8_at *)&X[p * Q + (q_1 + 24)] - mean, var_sum3);
    }
    for (int64_t q_1 = q_1_groups; q_1 < Q; q_1 += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, Q - q_1);
      var_sum0 = var_sum0 + _mm256_blendv_ps((tn_f32x8){0}, tn_f32x8_sq_x86_64_v3(tn_f32x8_load_first_x86_64_v3(&X[p *
          Q + q_1], active) - mean), (__m256)((tn_i32x8){0, 1, 2, 3, 4, 5, 6, 7} <
          (tn_i32x8)_mm256_set1_epi32((int32_t)active)));
    }
    const float var_sum_all = tn_f32x8_fold_sum_x86_64_v3(var_sum0 + var_sum1 + (var_sum2 + var_sum3));
    const float rstd = 1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(var_sum_all / (float)Nq + eps)));
    const int64_t q_groups2 = Q & (-32);
    for (int64_t q = 0; q < q_groups2; q += 32) {
      __builtin_prefetch(&X[(p + 1) * Q + q], 0, 3);
      __builtin_prefetch(&X[(p + 1) * Q + (q + 16)], 0, 3);
      __builtin_prefetch(&G[q + 512], 0, 3);
      __builtin_prefetch(&G[q + 16 + 512], 0, 3);
      __builtin_prefetch(&Y[p * Q + q + 512], 0, 3);
      *(tn_f32x8_at *)&Y[p * Q + q] = (*(const tn_f32x8_at *)&X[p * Q + q] - mean) * rstd * *(const tn_f32x8_at *)&G[q]
          + 0.0f;
      *(tn_f32x8_at *)&Y[p * Q + (q + 8)] = (*(const tn_f32x8_at *)&X[p * Q + (q + 8)] - mean) * rstd *
          *(const tn_f32x8_at *)&G[q + 8] + 0.0f;
      __builtin_prefetch(&Y[p * Q + (q + 16) + 512], 0, 3);
      *(tn_f32x8_at *)&Y[p * Q + (q + 16)] = (*(const tn_f32x8_at *)&X[p * Q + (q + 16)] - mean) * rstd *
          *(const tn_f32x8_at *)&G[q + 16] + 0.0f;
      *(tn_f32x8_at *)&Y[p * Q + (q + 24)] = (*(const tn_f32x8_at *)&X[p * Q + (q + 24)] - mean) * rstd *
          *(const tn_f32x8_at *)&G[q + 24] + 0.0f;
    }
    for (int64_t q = q_groups2; q < Q; q += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, Q - q);
      tn_f32x8_store_first_x86_64_v3(&Y[p * Q + q], active, (tn_f32x8_load_first_x86_64_v3(&X[p * Q + q], active) -
          mean) * rstd * tn_f32x8_load_first_x86_64_v3(&G[q], active) + 0.0f);
    }
  }
  return 0;
}

extern const tn_core tn_cores_layernorm_x86_64_v3[];
const tn_core tn_cores_layernorm_x86_64_v3[] = {
    {tn_layernorm_f32_x86_64_v3, NULL},
    {tn_layernorm_f32_noB_x86_64_v3, NULL},
};
#endif
