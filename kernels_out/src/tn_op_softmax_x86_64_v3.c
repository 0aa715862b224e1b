/* op_softmax: kernels for x86-64-v3. */
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

typedef int32_t tn_i32x4 __attribute__((vector_size(16)));

typedef int32_t tn_i32x8 __attribute__((vector_size(32)));

typedef uint32_t tn_u32x8 __attribute__((vector_size(32)));

static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_max_x86_64_v3(tn_f32x8 a, tn_f32x8 b) {
  const tn_f32x8 r = _mm256_max_ps(a, b);
  return _mm256_blendv_ps(r, a, (__m256)(a != a));
}

static inline TN_TARGET_X86_64_V3 int64_t tn_i64_min_x86_64_v3(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_load_first_x86_64_v3(const float *p, int64_t n) {
  return _mm256_maskload_ps((const float *)(const void *)p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

static inline TN_TARGET_X86_64_V3 tn_f32x4 tn_f32x4_max_x86_64_v3(tn_f32x4 a, tn_f32x4 b) {
  const tn_f32x4 r = _mm_max_ps(a, b);
  return _mm_blendv_ps(r, a, (__m128)(a != a));
}

static inline TN_TARGET_X86_64_V3 float tn_f32x8_fold_max_x86_64_v3(tn_f32x8 a) {
  const tn_f32x4 by_4 = tn_f32x4_max_x86_64_v3(__builtin_shufflevector(a, a, 0, 1, 2, 3),
      __builtin_shufflevector(a, a, 4, 5, 6, 7));
  const tn_f32x4 by_2 = tn_f32x4_max_x86_64_v3(by_4, __builtin_shufflevector(by_4, by_4, 2, 3, 0, 1));
  const tn_f32x4 by_1 = tn_f32x4_max_x86_64_v3(by_2, __builtin_shufflevector(by_2, by_2, 1, 2, 3, 0));
  return by_1[0];
}

/* exp_nonpositive: e^x for x <= 0; error below 1.18 ULP */
static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_exp_nonpositive_x86_64_v3(tn_f32x8 x) {
  const tn_f32x8 c = _mm256_max_ps(_mm256_set1_ps(-104.0f), x);
  const tn_f32x8 t = _mm256_fmadd_ps(c, _mm256_set1_ps(1.442695f), _mm256_set1_ps(12582912.0f));
  const tn_f32x8 n = t - 12582912.0f;
  const tn_f32x8 a = _mm256_fmadd_ps(n, _mm256_set1_ps(-0.69314575f), c);
  const tn_f32x8 r = _mm256_fmadd_ps(n, _mm256_set1_ps(-1.4286068e-06f), a);
  const tn_f32x8 q = _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_set1_ps(0.0013935808f), r,
      _mm256_set1_ps(0.008368962f)), r, _mm256_set1_ps(0.041666456f)), r, _mm256_set1_ps(0.16666518f)), r,
      _mm256_set1_ps(0.5f));
  const tn_f32x8 p = _mm256_fmadd_ps(_mm256_fmadd_ps(q, r, _mm256_set1_ps(1.0f)), r, _mm256_set1_ps(1.0f));
  return p * (tn_f32x8)((tn_u32x8)(n + 12583103.0f) << 23) * 5.421011e-20f;
}

static inline TN_TARGET_X86_64_V3 void tn_f32x8_store_first_x86_64_v3(float *p, int64_t n, tn_f32x8 v) {
  _mm256_maskstore_ps((float *)(void *)p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), v);
}

static inline TN_TARGET_X86_64_V3 float tn_f32x8_fold_sum_x86_64_v3(tn_f32x8 a) {
  const tn_f32x4 by_4 = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
  const tn_f32x4 by_2 = by_4 + __builtin_shufflevector(by_4, by_4, 2, 3, 0, 1);
  const tn_f32x4 by_1 = by_2 + __builtin_shufflevector(by_2, by_2, 1, 2, 3, 0);
  return by_1[0];
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
static TN_TARGET_X86_64_V3 int tn_softmax_f32_x86_64_v3(const int64_t *size, const tn_scalar *attr,
    const void *const *in, void *const *out, void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t P = size[0];
  const int64_t D = size[1];
  const int64_t Q = size[2];
  const float *restrict X = (const float *)in[0];
  float *restrict Y = (float *)out[0];
  if (Q == 1) {
    for (int64_t p = 0; p < P; ++p) {
      tn_f32x8 m0 = _mm256_set1_ps(-__builtin_inff());
      tn_f32x8 m1 = _mm256_set1_ps(-__builtin_inff());
      tn_f32x8 m2 = _mm256_set1_ps(-__builtin_inff());
      tn_f32x8 m3 = _mm256_set1_ps(-__builtin_inff());
      const int64_t k_groups = D & (-32);
      for (int64_t k = 0; k < k_groups; k += 32) {
        m0 = tn_f32x8_max_x86_64_v3(*(const tn_f32x8_at *)&X[p * D + k], m0);
        m1 = tn_f32x8_max_x86_64_v3(*(const tn_f32x8_at *)&X[p * D + (k + 8)], m1);
        m2 = tn_f32x8_max_x86_64_v3(*(const tn_f32x8_at *)&X[p * D + (k + 16)], m2);
        m3 = tn_f32x8_max_x86_64_v3(*(const tn_f32x8_at *)&X[p * D + (k + 24)], m3);
      }
      for (int64_t k = k_groups; k < D; k += 8) {
        const int64_t active = tn_i64_min_x86_64_v3(8, D - k);
        m0 = tn_f32x8_max_x86_64_v3(_mm256_blendv_ps(_mm256_set1_ps(-__builtin_inff()),
            tn_f32x8_load_first_x86_64_v3(&X[p * D + k], active),
            (__m256)((tn_i32x8){0, 1, 2, 3, 4, 5, 6, 7} < (tn_i32x8)_mm256_set1_epi32((int32_t)active))), m0);
      }
      const float m_all = tn_f32x8_fold_max_x86_64_v3(tn_f32x8_max_x86_64_v3(tn_f32x8_max_x86_64_v3(m3, m2),
          tn_f32x8_max_x86_64_v3(m1, m0)));
      tn_f32x8 z0 = (tn_f32x8){0};
      tn_f32x8 z1 = (tn_f32x8){0};
      const int64_t d_groups = D & (-16);
      for (int64_t d = 0; d < d_groups; d += 16) {
        const tn_f32x8 y = tn_f32x8_exp_nonpositive_x86_64_v3(*(const tn_f32x8_at *)&X[p * D + d] - m_all);
        const tn_f32x8 y2 = tn_f32x8_exp_nonpositive_x86_64_v3(*(const tn_f32x8_at *)&X[p * D + (d + 8)] - m_all);
        *(tn_f32x8_at *)&Y[p * D + d] = y;
        *(tn_f32x8_at *)&Y[p * D + (d + 8)] = y2;
        z0 = z0 + y;
        z1 = z1 + y2;
      }
      for (int64_t d = d_groups; d < D; d += 8) {
        const int64_t active = tn_i64_min_x86_64_v3(8, D - d);
        const tn_f32x8 y = tn_f32x8_exp_nonpositive_x86_64_v3(tn_f32x8_load_first_x86_64_v3(&X[p * D + d], active) -
            m_all);
        tn_f32x8_store_first_x86_64_v3(&Y[p * D + d], active, y);
        z0 = z0 + _mm256_blendv_ps((tn_f32x8){0}, y, (__m256)((tn_i32x8){0, 1, 2, 3, 4, 5, 6, 7} <
            (tn_i32x8)_mm256_set1_epi32((int32_t)active)));
      }
      const float z_all = tn_f32x8_fold_sum_x86_64_v3(z0 + z1);
      const float z_inverse = 1.0f / z_all;
      const int64_t d_groups2 = D & (-32);
      for (int64_t d = 0; d < d_groups2; d += 32) {
        const tn_f32x8 y = *(const tn_f32x8_at *)&Y[p * D + d] * z_inverse;
        const tn_f32x8 y2 = *(const tn_f32x8_at *)&Y[p * D + (d + 8)] * z_inverse;
        const tn_f32x8 y3 = *(const tn_f32x8_at *)&Y[p * D + (d + 16)] * z_inverse;
        const tn_f32x8 y4 = *(const tn_f32x8_at *)&Y[p * D + (d + 24)] * z_inverse;
        *(tn_f32x8_at *)&Y[p * D + d] = y;
        *(tn_f32x8_at *)&Y[p * D + (d + 8)] = y2;
        *(tn_f32x8_at *)&Y[p * D + (d + 16)] = y3;
        *(tn_f32x8_at *)&Y[p * D + (d + 24)] = y4;
      }
      for (int64_t d = d_groups2; d < D; d += 8) {
        const int64_t active = tn_i64_min_x86_64_v3(8, D - d);
        const tn_f32x8 y = tn_f32x8_load_first_x86_64_v3(&Y[p * D + d], active) * z_inverse;
        tn_f32x8_store_first_x86_64_v3(&Y[p * D + d], active, y);
      }
    }
  } else {
    for (int64_t p = 0; p < P; ++p) {
      const int64_t q_groups = Q & (-16);
      const int64_t at = p * (Q * D);
      for (int64_t q = 0; q < q_groups; q += 16) {
        tn_f32x8 m0 = _mm256_set1_ps(-__builtin_inff());
        tn_f32x8 m1 = _mm256_set1_ps(-__builtin_inff());
        for (int64_t k = 0; k < D; ++k) {
          m0 = tn_f32x8_max_x86_64_v3(*(const tn_f32x8_at *)&X[at + k * Q + q], m0);
          m1 = tn_f32x8_max_x86_64_v3(*(const tn_f32x8_at *)&X[at + k * Q + (q + 8)], m1);
        }
        tn_f32x8 z0 = (tn_f32x8){0};
        tn_f32x8 z1 = (tn_f32x8){0};
        for (int64_t d = 0; d < D; ++d) {
          const tn_f32x8 y = tn_f32x8_exp_nonpositive_x86_64_v3(*(const tn_f32x8_at *)&X[at + d * Q + q] - m0);
          const tn_f32x8 y2 = tn_f32x8_exp_nonpositive_x86_64_v3(*(const tn_f32x8_at *)&X[at + d * Q + (q + 8)] - m1);
          *(tn_f32x8_at *)&Y[at + d * Q + q] = y;
          *(tn_f32x8_at *)&Y[at + d * Q + (q + 8)] = y2;
          z0 = z0 + y;
          z1 = z1 + y2;
        }
        const tn_f32x8 z_inverse = 1.0f / z0;
        const tn_f32x8 z_inverse2 = 1.0f / z1;
        for (int64_t d = 0; d < D; ++d) {
          const tn_f32x8 y = *(const tn_f32x8_at *)&Y[at + d * Q + q] * z_inverse;
          const tn_f32x8 y2 = *(const tn_f32x8_at *)&Y[at + d * Q + (q + 8)] * z_inverse2;
          *(tn_f32x8_at *)&Y[at + d * Q + q] = y;
          *(tn_f32x8_at *)&Y[at + d * Q + (q + 8)] = y2;
        }
      }
      for (int64_t q = q_groups; q < Q; q += 8) {
        const int64_t active = tn_i64_min_x86_64_v3(8, Q - q);
        tn_f32x8 m = _mm256_set1_ps(-__builtin_inff());
        for (int64_t k = 0; k < D; ++k) {
          m = tn_f32x8_max_x86_64_v3(tn_f32x8_load_first_x86_64_v3(&X[at + k * Q + q], active), m);
        }
        tn_f32x8 z = (tn_f32x8){0};
        for (int64_t d = 0; d < D; ++d) {
          const tn_f32x8 y = tn_f32x8_exp_nonpositive_x86_64_v3(tn_f32x8_load_first_x86_64_v3(&X[at + d * Q + q],
              active) - m);
          tn_f32x8_store_first_x86_64_v3(&Y[at + d * Q + q], active, y);
          z = z + y;
        }
        const tn_f32x8 z_inverse = 1.0f / z;
        for (int64_t d = 0; d < D; ++d) {
          const tn_f32x8 y = tn_f32x8_load_first_x86_64_v3(&Y[at + d * Q + q], active) * z_inverse;
          tn_f32x8_store_first_x86_64_v3(&Y[at + d * Q + q], active, y);
        }
      }
    }
  }
  return 0;
}

extern const tn_core tn_cores_softmax_x86_64_v3[];
const tn_core tn_cores_softmax_x86_64_v3[] = {
    {tn_softmax_f32_x86_64_v3, NULL},
};
#endif
