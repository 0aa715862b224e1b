/* op_unary: kernels for x86-64-v3. */
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

typedef int32_t tn_i32x8 __attribute__((vector_size(32)));

typedef uint32_t tn_u32x8 __attribute__((vector_size(32)));

static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_abs_x86_64_v3(tn_f32x8 a) {
  return (tn_f32x8)((tn_u32x8)a & (tn_u32x8)_mm256_set1_epi32((int)2147483647u));
}

/* exp; error below 1.18 ULP */
static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_exp_x86_64_v3(tn_f32x8 x) {
  const tn_f32x8 c = _mm256_max_ps(_mm256_set1_ps(-104.0f), _mm256_min_ps(_mm256_set1_ps(89.0f), x));
  const tn_f32x8 t = _mm256_fmadd_ps(c, _mm256_set1_ps(1.442695f), _mm256_set1_ps(12582912.0f));
  const tn_f32x8 n = t - 12582912.0f;
  const tn_f32x8 a = _mm256_fmadd_ps(n, _mm256_set1_ps(-0.69314575f), c);
  const tn_f32x8 r = _mm256_fmadd_ps(n, _mm256_set1_ps(-1.4286068e-06f), a);
  const tn_f32x8 q = _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_set1_ps(0.0013935808f), r,
      _mm256_set1_ps(0.008368962f)), r, _mm256_set1_ps(0.041666456f)), r, _mm256_set1_ps(0.16666518f)), r,
      _mm256_set1_ps(0.5f));
  const tn_f32x8 p = _mm256_fmadd_ps(_mm256_fmadd_ps(q, r, _mm256_set1_ps(1.0f)), r, _mm256_set1_ps(1.0f));
  const tn_u32x8 t_2 = (tn_u32x8)(n + 12583166.0f);
  const tn_u32x8 half = (t_2 << 22) & (tn_u32x8)_mm256_set1_epi32((int)4286578688u);
  return p * (tn_f32x8)half * (tn_f32x8)((t_2 << 23) - half);
}

/* normcdf: the share of the standard normal distribution below x; the square in the exponent is exact, so that the tail is; error below 4 ULP */
static inline TN_TARGET_X86_64_V3 tn_f32x8 tn_f32x8_normcdf_x86_64_v3(tn_f32x8 x) {
  const tn_f32x8 a = _mm256_min_ps(_mm256_set1_ps(14.8f), tn_f32x8_abs_x86_64_v3(x));
  const tn_f32x8 e = tn_f32x8_exp_x86_64_v3(-(0.5f * a * a));
  const tn_f32x8 a_2 = 0.5f * a;
  const tn_f32x8 b = a * 0.70710677f;
  const tn_f32x8 t = (b - 2.0f) / (b + 2.0f);
  const tn_f32x8 q1 =
      _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_set1_ps(-0.0004038714f),
      t, _mm256_set1_ps(-0.0012365322f)), t, _mm256_set1_ps(0.0013143194f)), t, _mm256_set1_ps(0.00863915f)), t,
      _mm256_set1_ps(-0.008058441f)), t, _mm256_set1_ps(-0.054207228f));
  const tn_f32x8 q = _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(q1, t,
      _mm256_set1_ps(0.16405472f)), t, _mm256_set1_ps(-0.16603097f)), t, _mm256_set1_ps(-0.09276392f)), t,
      _mm256_set1_ps(1.2769784f));
  const tn_f32x8 y = _mm256_fmadd_ps(-_mm256_fmadd_ps(a_2, a, -(a_2 * a)), e, e) * (0.5f * (q / (1.0f + 2.0f * b)));
  return _mm256_blendv_ps(y, 1.0f - y, (__m256)(x > 0.0f));
}

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

static inline TN_TARGET_X86_64_V3 float tn_u32_f32_of_bits_x86_64_v3(uint32_t a) {
  float r;
  memcpy(&r, &a, sizeof r);
  return r;
}

static inline TN_TARGET_X86_64_V3 uint32_t tn_f32_bits_x86_64_v3(float a) {
  uint32_t r;
  memcpy(&r, &a, sizeof r);
  return r;
}

static inline TN_TARGET_X86_64_V3 float tn_f32_abs_x86_64_v3(float a) {
  return tn_u32_f32_of_bits_x86_64_v3(tn_f32_bits_x86_64_v3(a) & 0x7fffffffu);
}

static inline TN_TARGET_X86_64_V3 float tn_f32_min_of_constant_x86_64_v3(float a, float b) {
  return a < b ? a : b;
}

static inline TN_TARGET_X86_64_V3 float tn_f32_max_of_constant_x86_64_v3(float a, float b) {
  return a > b ? a : b;
}

/* exp; error below 1.18 ULP */
static inline TN_TARGET_X86_64_V3 float tn_f32_exp_x86_64_v3(float x) {
  const float c = tn_f32_max_of_constant_x86_64_v3(-104.0f, 89.0f < x ? 89.0f : x);
  const float t = __builtin_fmaf(c, 1.442695f, 12582912.0f);
  const float n = t - 12582912.0f;
  const float a = __builtin_fmaf(n, -0.69314575f, c);
  const float r = __builtin_fmaf(n, -1.4286068e-06f, a);
  const float q = __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(__builtin_fmaf(0.0013935808f, r, 0.008368962f), r,
      0.041666456f), r, 0.16666518f), r, 0.5f);
  const float p = __builtin_fmaf(__builtin_fmaf(q, r, 1.0f), r, 1.0f);
  const uint32_t t_2 = tn_f32_bits_x86_64_v3(n + 12583166.0f);
  const uint32_t half = (t_2 << 22) & 4286578688u;
  return p * tn_u32_f32_of_bits_x86_64_v3(half) * tn_u32_f32_of_bits_x86_64_v3((t_2 << 23) - half);
}

/* normcdf: the share of the standard normal distribution below x; the square in the exponent is exact, so that the tail is; error below 4 ULP */
static inline TN_TARGET_X86_64_V3 float tn_f32_normcdf_x86_64_v3(float x) {
  const float a = tn_f32_min_of_constant_x86_64_v3(14.8f, tn_f32_abs_x86_64_v3(x));
  const float e = tn_f32_exp_x86_64_v3(-(0.5f * a * a));
  const float a_2 = 0.5f * a;
  const float b = a * 0.70710677f;
  const float t = (b - 2.0f) / (b + 2.0f);
  const float q1 = __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(__builtin_fmaf(__builtin_fmaf(-0.0004038714f, t,
      -0.0012365322f), t, 0.0013143194f), t, 0.00863915f), t, -0.008058441f), t, -0.054207228f);
  const float q = __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(__builtin_fmaf(q1, t, 0.16405472f), t, -0.16603097f), t,
      -0.09276392f), t, 1.2769784f);
  const float y = __builtin_fmaf(-__builtin_fmaf(a_2, a, -(a_2 * a)), e, e) * (0.5f * (q / (1.0f + 2.0f * b)));
  return x > 0.0f ? 1.0f - y : y;
}

/*
 * Y[*s] = gelu(X[*s])
 * tensors: X f32[S], Y f32[S]
 * computes in f32; blueprint loops
 * cost: 3*S operations, 8*S bytes
 */
static TN_TARGET_X86_64_V3 int tn_gelu_f32_x86_64_v3(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t S = size[0];
  const int64_t X_s0 = size[1];
  const float *restrict X = (const float *)in[0];
  float *restrict Y = (float *)out[0];
  if (X_s0 == 1) {
    const int64_t s_groups = S & (-16);
    for (int64_t s = 0; s < s_groups; s += 16) {
      __builtin_prefetch(&X[s + 512], 0, 3);
      const tn_f32x8 x = *(const tn_f32x8_at *)&X[s];
      const tn_f32x8 x2 = *(const tn_f32x8_at *)&X[s + 8];
      __builtin_prefetch(&Y[s + 512], 0, 3);
      *(tn_f32x8_at *)&Y[s] = _mm256_max_ps(_mm256_set1_ps(-1000.0f), x) * tn_f32x8_normcdf_x86_64_v3(x);
      *(tn_f32x8_at *)&Y[s + 8] = _mm256_max_ps(_mm256_set1_ps(-1000.0f), x2) * tn_f32x8_normcdf_x86_64_v3(x2);
    }
    for (int64_t s = s_groups; s < S; s += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, S - s);
      const tn_f32x8 x = tn_f32x8_load_first_x86_64_v3(&X[s], active);
      tn_f32x8_store_first_x86_64_v3(&Y[s], active, _mm256_max_ps(_mm256_set1_ps(-1000.0f), x) *
          tn_f32x8_normcdf_x86_64_v3(x));
    }
  } else {
    for (int64_t s = 0; s < S; ++s) {
      const float x = X[s * X_s0];
      Y[s] = (-1000.0f > x ? -1000.0f : x) * tn_f32_normcdf_x86_64_v3(x);
    }
  }
  return 0;
}

/*
 * Y[*s] = max(X[*s], 0)
 * tensors: X f32[S], Y f32[S]
 * computes in f32; blueprint loops
 * cost: S operations, 8*S bytes
 */
static TN_TARGET_X86_64_V3 int tn_relu_f32_x86_64_v3(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
  (void)attr;
  (void)workspace;
  const int64_t S = size[0];
  const int64_t X_s0 = size[1];
  const float *restrict X = (const float *)in[0];
  float *restrict Y = (float *)out[0];
  if (X_s0 == 1) {
    const int64_t s_groups = S & (-32);
    for (int64_t s = 0; s < s_groups; s += 32) {
      *(tn_f32x8_at *)&Y[s] = _mm256_max_ps((tn_f32x8){0}, *(const tn_f32x8_at *)&X[s]);
      *(tn_f32x8_at *)&Y[s + 8] = _mm256_max_ps((tn_f32x8){0}, *(const tn_f32x8_at *)&X[s + 8]);
      *(tn_f32x8_at *)&Y[s + 16] = _mm256_max_ps((tn_f32x8){0}, *(const tn_f32x8_at *)&X[s + 16]);
      *(tn_f32x8_at *)&Y[s + 24] = _mm256_max_ps((tn_f32x8){0}, *(const tn_f32x8_at *)&X[s + 24]);
    }
    for (int64_t s = s_groups; s < S; s += 8) {
      const int64_t active = tn_i64_min_x86_64_v3(8, S - s);
      tn_f32x8_store_first_x86_64_v3(&Y[s], active, _mm256_max_ps((tn_f32x8){0},
          tn_f32x8_load_first_x86_64_v3(&X[s], active)));
    }
  } else {
    for (int64_t s = 0; s < S; ++s) {
      Y[s] = tn_f32_max_of_constant_x86_64_v3(0.0f, X[s * X_s0]);
    }
  }
  return 0;
}

extern const tn_core tn_cores_gelu_x86_64_v3[];
const tn_core tn_cores_gelu_x86_64_v3[] = {
    {tn_gelu_f32_x86_64_v3, NULL},
};
extern const tn_core tn_cores_relu_x86_64_v3[];
const tn_core tn_cores_relu_x86_64_v3[] = {
    {tn_relu_f32_x86_64_v3, NULL},
};
#endif
