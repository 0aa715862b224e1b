/* op_arithmetic: kernels for portable. */
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
 * Y[*s] = A[*s] + B[*s]
 * tensors: A f32[S], B f32[S], Y f32[S]
 * computes in f32; blueprint loops
 * cost: S operations, 12*S bytes
 */
static int tn_add_f32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out,
    void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t S = size[0];
  const int64_t A_s0 = size[1];
  const int64_t B_s0 = size[2];
  const float *restrict A = (const float *)in[0];
  const float *restrict B = (const float *)in[1];
  float *restrict Y = (float *)out[0];
  for (int64_t s = 0; s < S; ++s) {
    Y[s] = A[s * A_s0] + B[s * B_s0];
  }
  return 0;
}

extern const tn_core tn_cores_add_portable[];
const tn_core tn_cores_add_portable[] = {
    {tn_add_f32_portable, NULL},
};
