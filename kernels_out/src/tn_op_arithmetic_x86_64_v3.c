/* op_arithmetic: kernels for x86-64-v3. */
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

typedef float tn_f32x8 __attribute__((vector_size(32)));

typedef float tn_f32x8_at __attribute__((vector_size(32), aligned(4), may_alias));

static inline TN_TARGET_X86_64_V3 int64_t tn_i64_min_x86_64_v3(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_load_first_x86_64_v3(const float *p, int64_t n) {
  return _mm256_maskload_ps((const float *)(const void *)p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

static inline TN_TARGET_X86_64_V3 void tn_f32x8_store_first_x86_64_v3(float *p, int64_t n, tn_f32x8 v) {
  _mm256_maskstore_ps((float *)(void *)p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), v);
}

/*
 * Y[*s] = A[*s] + B[*s]
 * tensors: A f32[S], B f32[S], Y f32[S]
 * computes in f32; blueprint loops
 * cost: S operations, 12*S bytes
 */
static TN_TARGET_X86_64_V3 int tn_add_f32_x86_64_v3(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t S = size[0];
  const int64_t A_s0 = size[1];
  const int64_t B_s0 = size[2];
  const float *restrict A = (const float *)in[0];
  const float *restrict B = (const float *)in[1];
  float *restrict Y = (float *)out[0];
  if (A_s0 == 1 && B_s0 == 1) {
    const int64_t s_groups = S & (-32);
    for (int64_t s = 0; s < s_groups; s += 32) {
      *(tn_f32x8_at *)&Y[s] = *(const tn_f32x8_at *)&A[s] + *(const tn_f32x8_at *)&B[s];
      *(tn_f32x8_at *)&Y[s + 8] = *(const tn_f32x8_at *)&A[s + 8] + *(const tn_f32x8_at *)&B[s + 8];
      *(tn_f32x8_at *)&Y[s + 16] = *(const tn_f32x8_at *)&A[s + 16] + *(const tn_f32x8_at *)&B[s + 16];
      *(tn_f32x8_at *)&Y[s + 24] = *(const tn_f32x8_at *)&A[s + 24] + *(const tn_f32x8_at *)&B[s + 24];
    }
    for (int64_t s = s_groups; s < S; s += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, S - s);
      tn_f32x8_store_first_x86_64_v3(&Y[s], active, tn_f32x8_load_first_x86_64_v3(&A[s], active) +
          tn_f32x8_load_first_x86_64_v3(&B[s], active));
    }
  } else {
    if (A_s0 == 0 && B_s0 == 1) {
      const int64_t s_groups = S & (-32);
      for (int64_t s = 0; s < s_groups; s += 32) {
        const float a = A[0];
        *(tn_f32x8_at *)&Y[s] = a + *(const tn_f32x8_at *)&B[s];
        *(tn_f32x8_at *)&Y[s + 8] = a + *(const tn_f32x8_at *)&B[s + 8];
        *(tn_f32x8_at *)&Y[s + 16] = a + *(const tn_f32x8_at *)&B[s + 16];
        *(tn_f32x8_at *)&Y[s + 24] = a + *(const tn_f32x8_at *)&B[s + 24];
      }
      for (int64_t s = s_groups; s < S; s += 8) {
        const int64_t active = tn_i64_min_x86_64_v3(8, S - s);
        const float a = A[0];
        tn_f32x8_store_first_x86_64_v3(&Y[s], active, a + tn_f32x8_load_first_x86_64_v3(&B[s], active));
      }
    } else {
      if (A_s0 == 1 && B_s0 == 0) {
        const int64_t s_groups = S & (-32);
        for (int64_t s = 0; s < s_groups; s += 32) {
          const float b = B[0];
          *(tn_f32x8_at *)&Y[s] = *(const tn_f32x8_at *)&A[s] + b;
          *(tn_f32x8_at *)&Y[s + 8] = *(const tn_f32x8_at *)&A[s + 8] + b;
          *(tn_f32x8_at *)&Y[s + 16] = *(const tn_f32x8_at *)&A[s + 16] + b;
          *(tn_f32x8_at *)&Y[s + 24] = *(const tn_f32x8_at *)&A[s + 24] + b;
        }
        for (int64_t s = s_groups; s < S; s += 8) {
          const int64_t active = tn_i64_min_x86_64_v3(8, S - s);
          const float b = B[0];
          tn_f32x8_store_first_x86_64_v3(&Y[s], active, tn_f32x8_load_first_x86_64_v3(&A[s], active) + b);
        }
      } else {
        for (int64_t s = 0; s < S; ++s) {
          Y[s] = A[s * A_s0] + B[s * B_s0];
        }
      }
    }
  }
  return 0;
}

extern const tn_core tn_cores_add_x86_64_v3[];
const tn_core tn_cores_add_x86_64_v3[] = {
    {tn_add_f32_x86_64_v3, NULL},
};
#endif
