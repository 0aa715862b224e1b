/* op_gather: kernels for portable. */
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

/*
 * Y[*p,*j,*q] = X[*p, wrap(Ix[*j], D), *q]
 * tensors: X u32[P, D, Q], Ix i32[J], Y u32[P, J, Q]
 * computes in i32, u32; blueprint loops
 * cost: 0 operations, 4*D*P*Q + 4*J*P*Q + 4*J bytes
 */
static int tn_gather_u32_i32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
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
    for (int64_t j = 0; j < J; ++j) {
      for (int64_t q = 0; q < Q; ++q) {
        const int64_t ix = (int64_t)Ix[j];
        Y[p * (Q * J) + j * Q + q] = X[p * (Q * D) + (ix < 0 ? ix + D : ix) * Q + q];
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
static int tn_gather_u32_i64_portable(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
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
    for (int64_t j = 0; j < J; ++j) {
      for (int64_t q = 0; q < Q; ++q) {
        const int64_t ix = Ix[j];
        Y[p * (Q * J) + j * Q + q] = X[p * (Q * D) + (ix < 0 ? ix + D : ix) * Q + q];
      }
    }
  }
  return 0;
}

extern const tn_core tn_cores_gather_portable[];
const tn_core tn_cores_gather_portable[] = {
    {tn_gather_u32_i32_portable, NULL},
    {tn_gather_u32_i64_portable, NULL},
};
