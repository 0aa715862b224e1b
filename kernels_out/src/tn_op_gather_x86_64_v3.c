/* op_gather: kernels for x86-64-v3. */
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

typedef uint32_t tn_u32x8 __attribute__((vector_size(32)));

typedef uint32_t tn_u32x8_at __attribute__((vector_size(32), aligned(4), may_alias));

static inline TN_TARGET_X86_64_V3 int64_t tn_i64_min_x86_64_v3(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline TN_TARGET_X86_64_V3 tn_u32x8 tn_u32x8_load_first_x86_64_v3(const uint32_t *p, int64_t n) {
  return (tn_u32x8)_mm256_maskload_epi32((const int *)(const void *)p,
      _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

static inline TN_TARGET_X86_64_V3 void tn_u32x8_store_first_x86_64_v3(uint32_t *p, int64_t n, tn_u32x8 v) {
  _mm256_maskstore_epi32((int *)(void *)p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), (__m256i)v);
}

/*
 * Y[*p,*j,*q] = X[*p, wrap(Ix[*j], D), *q]
 * tensors: X u32[P, D, Q], Ix i32[J], Y u32[P, J, Q]
 * computes in i32, u32; blueprint loops
 * cost: 0 operations, 4*D*P*Q + 4*J*P*Q + 4*J bytes
 */
static TN_TARGET_X86_64_V3 int tn_gather_u32_i32_x86_64_v3(const int64_t *size, const tn_scalar *attr,
    const void *const *in, void *const *out, void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t P = size[0];
  const int64_t D = size[1];
  const int64_t Q = size[2];
  const int64_t J = size[3];
  const uint32_t *restrict X = (const uint32_t *)in[0];
  const int32_t *restrict Ix = (const int32_t *)in[1];
  uint32_t *restrict Y = (uint32_t *)out[0];
  /* wrap(Ix[*j], D) */
  for (int64_t j = 0; j < J; ++j) {
    const int64_t ix = (int64_t)Ix[j];
    if (ix < -D || ix >= D) {
      return TN_E_RANGE;
    }
  }
  for (int64_t p = 0; p < P; ++p) {
    const int64_t X_at = p * (Q * D);
    for (int64_t j = 0; j < J; ++j) {
      const int64_t q_groups = Q & (-32);
      const int64_t Y_at = p * (Q * J) + j * Q;
      for (int64_t q = 0; q < q_groups; q += 32) {
        const int64_t ix = (int64_t)Ix[j];
        *(tn_u32x8_at *)&Y[Y_at + q] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + q];
        *(tn_u32x8_at *)&Y[Y_at + (q + 8)] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + (q + 8)];
        *(tn_u32x8_at *)&Y[Y_at + (q + 16)] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + (q + 16)];
        *(tn_u32x8_at *)&Y[Y_at + (q + 24)] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + (q + 24)];
      }
      for (int64_t q = q_groups; q < Q; q += 8) {
        const int64_t active = tn_i64_min_x86_64_v3(8, Q - q);
        const int64_t ix = (int64_t)Ix[j];
        tn_u32x8_store_first_x86_64_v3(&Y[Y_at + q], active,
            tn_u32x8_load_first_x86_64_v3(&X[X_at + (ix < 0 ? ix + D : ix) * Q + q], active));
      }
    }
  }
  return 0;
}

/*
 * Y[*p,*j,*q] = X[*p, wrap(Ix[*j], D), *q]
 * tensors: X u32[P, D, Q], Ix i64[J], Y u32[P, J, Q]
 * computes in i64, u32; blueprint loops
 * cost: 0 operations, 4*D*P*Q + 4*J*P*Q + 8*J bytes
 */
static TN_TARGET_X86_64_V3 int tn_gather_u32_i64_x86_64_v3(const int64_t *size, const tn_scalar *attr,
    const void *const *in, void *const *out, void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t P = size[0];
  const int64_t D = size[1];
  const int64_t Q = size[2];
  const int64_t J = size[3];
  const uint32_t *restrict X = (const uint32_t *)in[0];
  const int64_t *restrict Ix = (const int64_t *)in[1];
  uint32_t *restrict Y = (uint32_t *)out[0];
  /* wrap(Ix[*j], D) */
  for (int64_t j = 0; j < J; ++j) {
    const int64_t ix = Ix[j];
    if (ix < -D || ix >= D) {
      return TN_E_RANGE;
    }
  }
  for (int64_t p = 0; p < P; ++p) {
    const int64_t X_at = p * (Q * D);
    for (int64_t j = 0; j < J; ++j) {
      const int64_t q_groups = Q & (-32);
      const int64_t Y_at = p * (Q * J) + j * Q;
      for (int64_t q = 0; q < q_groups; q += 32) {
        const int64_t ix = Ix[j];
        *(tn_u32x8_at *)&Y[Y_at + q] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + q];
        *(tn_u32x8_at *)&Y[Y_at + (q + 8)] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + (q + 8)];
        *(tn_u32x8_at *)&Y[Y_at + (q + 16)] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + (q + 16)];
        *(tn_u32x8_at *)&Y[Y_at + (q + 24)] = *(const tn_u32x8_at *)&X[X_at + (ix < 0 ? ix + D : ix) * Q + (q + 24)];
      }
      for (int64_t q = q_groups; q < Q; q += 8) {
        const int64_t active = tn_i64_min_x86_64_v3(8, Q - q);
        const int64_t ix = Ix[j];
        tn_u32x8_store_first_x86_64_v3(&Y[Y_at + q], active,
            tn_u32x8_load_first_x86_64_v3(&X[X_at + (ix < 0 ? ix + D : ix) * Q + q], active));
      }
    }
  }
  return 0;
}

extern const tn_core tn_cores_gather_x86_64_v3[];
const tn_core tn_cores_gather_x86_64_v3[] = {
    {tn_gather_u32_i32_x86_64_v3, NULL},
    {tn_gather_u32_i64_x86_64_v3, NULL},
};
#endif
