// The AVX-512 intrinsics that generated C uses, lane by lane, for processors with AVX2: `cc` in this folder compiles
// kernels of the AVX-512 levels with them. For gcc; its own definitions are left out by their include guards. Not
// formatted: clang-format takes consecutive macros for one expression.
// clang-format off
#ifndef TENON_EMULATED_AVX512
#define TENON_EMULATED_AVX512
#define _AVX512FINTRIN_H_INCLUDED
#define _AVX512BWINTRIN_H_INCLUDED
#define _AVX512DQINTRIN_H_INCLUDED
#define _AVX512VLINTRIN_H_INCLUDED
#define _AVX512VLBWINTRIN_H_INCLUDED
#define _AVX512VLDQINTRIN_H_INCLUDED
#define _AVX512CDINTRIN_H_INCLUDED
#define __AVX512VNNIINTRIN_H_INCLUDED
#define _AVX512ERINTRIN_H_INCLUDED
#define _AVX512PFINTRIN_H_INCLUDED
#define _AVX512IFMAINTRIN_H_INCLUDED
#define _AVX512IFMAVLINTRIN_H_INCLUDED
#define _AVX512VBMIINTRIN_H_INCLUDED
#define _AVX512VBMIVLINTRIN_H_INCLUDED
#define _AVX5124FMAPSINTRIN_H_INCLUDED
#define _AVX5124VNNIWINTRIN_H_INCLUDED
#define _AVX512VPOPCNTDQINTRIN_H_INCLUDED
#define _AVX512VPOPCNTDQVLINTRIN_H_INCLUDED
#define __AVX512VBMI2INTRIN_H_INCLUDED
#define _AVX512VBMI2VLINTRIN_H_INCLUDED
#define _AVX512VNNIVLINTRIN_H_INCLUDED
#define _AVX512BITALGINTRIN_H_INCLUDED
#define _AVX512VP2INTERSECTINTRIN_H_INCLUDED
#define _AVX512VP2INTERSECTVLINTRIN_H_INCLUDED
#define _AVX512BF16INTRIN_H_INCLUDED
#define _AVX512BF16VLINTRIN_H_INCLUDED
#define __AVX512FP16INTRIN_H_INCLUDED
#define __AVX512FP16VLINTRIN_H_INCLUDED
#define _GFNIINTRIN_H_INCLUDED
#define __VAESINTRIN_H_INCLUDED
#define _VPCLMULQDQINTRIN_H_INCLUDED
#include_next <immintrin.h>
#include <stdint.h>

typedef float __m512 __attribute__((vector_size(64), may_alias));
typedef double __m512d __attribute__((vector_size(64), may_alias));
typedef long long __m512i __attribute__((vector_size(64), may_alias));
typedef uint8_t __mmask8;
typedef uint16_t __mmask16;
typedef uint32_t __mmask32;
typedef uint64_t __mmask64;

#pragma GCC diagnostic ignored "-Wpsabi"
#define EMU static inline __attribute__((unused, target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))

// Element types by the suffixes of intrinsics, and vectors of them: epi32_64 has 64 bytes.
typedef int8_t emu_epi8;
typedef uint8_t emu_epu8;
typedef int16_t emu_epi16;
typedef uint16_t emu_epu16;
typedef int32_t emu_epi32;
typedef uint32_t emu_epu32;
typedef int64_t emu_epi64;
typedef uint64_t emu_epu64;
typedef float emu_ps;
typedef double emu_pd;
#define EMU_VECTOR(S, BYTES) typedef emu_##S S##_##BYTES __attribute__((vector_size(BYTES)));
#define EMU_EACH_SUFFIX(F, ...) \
  F(epi8, __VA_ARGS__)          \
  F(epu8, __VA_ARGS__)          \
  F(epi16, __VA_ARGS__)         \
  F(epu16, __VA_ARGS__) F(epi32, __VA_ARGS__) F(epu32, __VA_ARGS__) F(epi64, __VA_ARGS__) F(epu64, __VA_ARGS__)
#define EMU_EACH_VECTOR(BYTES) EMU_EACH_SUFFIX(EMU_VECTOR, BYTES) EMU_VECTOR(ps, BYTES) EMU_VECTOR(pd, BYTES)
EMU_EACH_VECTOR(16)
EMU_EACH_VECTOR(32)
EMU_EACH_VECTOR(64)
#define EMU_LANES(V) for (int l = 0; l < (int)(sizeof(V) / sizeof((V)[0])); ++l)

// Two halves of 256 bits, by the intrinsic of AVX2 that has the same name.
#define EMU_HALVES(NAME, T, H, PARAMETERS, A, B, C) \
  EMU T _mm512_##NAME PARAMETERS {                  \
    T r;                                            \
    for (int k = 0; k < 2; ++k) {                   \
      ((H*)&r)[k] = _mm256_##NAME(A B C);           \
    }                                               \
    return r;                                       \
  }
#define EMU_HALVES1(NAME, T, H) EMU_HALVES(NAME, T, H, (T a), ((H*)&a)[k], , )
#define EMU_COMMA ,
#define EMU_HALVES2(NAME, T, H) EMU_HALVES(NAME, T, H, (T a, T b), ((H*)&a)[k] EMU_COMMA, ((H*)&b)[k], )
#define EMU_HALVES3(NAME, T, H) \
  EMU_HALVES(NAME, T, H, (T a, T b, T c), ((H*)&a)[k] EMU_COMMA, ((H*)&b)[k] EMU_COMMA, ((H*)&c)[k])
EMU_HALVES1(sqrt_ps, __m512, __m256)
EMU_HALVES1(sqrt_pd, __m512d, __m256d)
EMU_HALVES2(max_ps, __m512, __m256)
EMU_HALVES2(min_ps, __m512, __m256)
EMU_HALVES2(max_pd, __m512d, __m256d)
EMU_HALVES2(min_pd, __m512d, __m256d)
EMU_HALVES2(madd_epi16, __m512i, __m256i)
EMU_HALVES2(mul_epu32, __m512i, __m256i)
EMU_HALVES2(add_epi32, __m512i, __m256i)
EMU_HALVES3(fmadd_ps, __m512, __m256)
EMU_HALVES3(fmadd_pd, __m512d, __m256d)
// `mode` is 8 + the rounding mode, a constant for the intrinsics of AVX.
#define EMU_ROUND(S, T, H)                                     \
  EMU T _mm512_roundscale_##S(T a, int mode) {                 \
    T r;                                                       \
    for (int k = 0; k < 2; ++k) {                              \
      const H half = ((H*)&a)[k];                              \
      ((H*)&r)[k] = mode == 8    ? _mm256_round_##S(half, 8)   \
                    : mode == 9  ? _mm256_round_##S(half, 9)   \
                    : mode == 10 ? _mm256_round_##S(half, 10)  \
                                 : _mm256_round_##S(half, 11); \
    }                                                          \
    return r;                                                  \
  }
EMU_ROUND(ps, __m512, __m256)
EMU_ROUND(pd, __m512d, __m256d)

// a * 2^floor(b), rounded once: the product is exact in a wider type.
EMU float emu_scale_ps(float a, float b) {
  if (b != b) return b;
  int n = b > 600.0f ? 600 : b < -600.0f ? -600 : (int)b;
  n -= (float)n > b;
  const uint64_t bits = (uint64_t)(1023 + n) << 52;
  double power;
  __builtin_memcpy(&power, &bits, sizeof power);
  return (float)((double)a * power);
}
EMU double emu_scale_pd(double a, double b) {
  if (b != b) return b;
  int n = b > 4400.0 ? 4400 : b < -4400.0 ? -4400 : (int)b;
  n -= (double)n > b;
  const struct {
    uint64_t mantissa;
    uint64_t exponent;
  } bits = {UINT64_C(1) << 63, (uint64_t)(16383 + n)};
  long double power = 0;
  __builtin_memcpy(&power, &bits, 10);
  return (double)((long double)a * power);
}
#define EMU_SCALE(MM, S, T)                        \
  EMU T MM##_scalef_##S(T a, T b) {                \
    EMU_LANES(a) a[l] = emu_scale_##S(a[l], b[l]); \
    return a;                                      \
  }
EMU_SCALE(_mm512, ps, __m512)
EMU_SCALE(_mm512, pd, __m512d)
EMU_SCALE(_mm256, ps, __m256)
EMU_SCALE(_mm256, pd, __m256d)
EMU_SCALE(_mm, ps, __m128)
EMU_SCALE(_mm, pd, __m128d)
EMU __m128 _mm_scalef_ss(__m128 a, __m128 b) {
  a[0] = emu_scale_ps(a[0], b[0]);
  return a;
}
EMU __m128d _mm_scalef_sd(__m128d a, __m128d b) {
  a[0] = emu_scale_pd(a[0], b[0]);
  return a;
}

#define EMU_SET1(S, T) \
  EMU T _mm512_set1_##S(emu_##S x) { return (T)((S##_64){0} + x); }
EMU_SET1(epi8, __m512i)
EMU_SET1(epi16, __m512i)
EMU_SET1(epi32, __m512i)
EMU_SET1(epi64, __m512i)
#define EMU_SET1_FLOAT(S, T)         \
  EMU T _mm512_set1_##S(emu_##S x) { \
    T r;                             \
    EMU_LANES(r) r[l] = x;           \
    return r;                        \
  }
EMU_SET1_FLOAT(ps, __m512)
EMU_SET1_FLOAT(pd, __m512d)

// Integers: minima, maxima, absolute values, and comparisons whose bit l is lane l.
#define EMU_SELECT(S, NAME, OP)                           \
  EMU __m512i _mm512_##NAME##_##S(__m512i x, __m512i y) { \
    S##_64 a = (S##_64)x;                                 \
    const S##_64 b = (S##_64)y;                           \
    EMU_LANES(a) a[l] = a[l] OP b[l] ? a[l] : b[l];       \
    return (__m512i)a;                                    \
  }
EMU_EACH_SUFFIX(EMU_SELECT, min, <)
EMU_EACH_SUFFIX(EMU_SELECT, max, >)
#define EMU_COMPARE(S, NAME, OP)                                     \
  EMU uint64_t _mm512_cmp##NAME##_##S##_mask(__m512i x, __m512i y) { \
    const S##_64 a = (S##_64)x, b = (S##_64)y;                       \
    uint64_t m = 0;                                                  \
    EMU_LANES(a) m |= (uint64_t)(a[l] OP b[l]) << l;                 \
    return m;                                                        \
  }
EMU_EACH_SUFFIX(EMU_COMPARE, lt, <)
EMU_EACH_SUFFIX(EMU_COMPARE, le, <=)
EMU_EACH_SUFFIX(EMU_COMPARE, gt, >)
EMU_EACH_SUFFIX(EMU_COMPARE, ge, >=)
EMU_EACH_SUFFIX(EMU_COMPARE, eq, ==)
EMU_EACH_SUFFIX(EMU_COMPARE, neq, !=)
#define EMU_SIGNED(BITS)                                                   \
  EMU __m512i _mm512_abs_epi##BITS(__m512i x) {                            \
    epu##BITS##_64 a = (epu##BITS##_64)x;                                  \
    const epi##BITS##_64 sign = (epi##BITS##_64)x;                         \
    EMU_LANES(a) if (sign[l] < 0) a[l] = (uint##BITS##_t)(0u - a[l]);      \
    return (__m512i)a;                                                     \
  }                                                                        \
  EMU uint64_t _mm512_movepi##BITS##_mask(__m512i x) {                     \
    return _mm512_cmplt_epi##BITS##_mask(x, (__m512i)(epi##BITS##_64){0}); \
  }
EMU_SIGNED(8)
EMU_SIGNED(16)
EMU_SIGNED(32)
EMU_SIGNED(64)
EMU __m512i _mm512_mullo_epi64(__m512i a, __m512i b) { return (__m512i)((epu64_64)a * (epu64_64)b); }
EMU __m512i _mm512_dpbusd_epi32(__m512i c, __m512i x, __m512i y) {
  const epu8_64 a = (epu8_64)x;
  const epi8_64 b = (epi8_64)y;
  epu32_64 r = (epu32_64)c;
  EMU_LANES(a) r[l / 4] += (uint32_t)((int32_t)a[l] * (int32_t)b[l]);
  return (__m512i)r;
}

#define EMU_COMPARE_FLOATS(MM, S, T)                                \
  EMU uint64_t MM##_cmp_##S##_mask(T a, T b, int predicate) {       \
    uint64_t m = 0;                                                 \
    EMU_LANES(a) {                                                  \
      const int lt = a[l]<b[l], eq = a[l] == b[l], gt = a[l]> b[l]; \
      const int holds = predicate == _CMP_EQ_OQ    ? eq             \
                        : predicate == _CMP_NEQ_UQ ? !eq            \
                        : predicate == _CMP_LT_OS  ? lt             \
                        : predicate == _CMP_LE_OS  ? lt | eq        \
                        : predicate == _CMP_GT_OS  ? gt             \
                        : predicate == _CMP_GE_OS  ? gt | eq        \
                        : predicate == _CMP_NLT_US ? !lt            \
                        : predicate == _CMP_NLE_US ? !(lt | eq)     \
                        : predicate == _CMP_NGT_US ? !gt            \
                                                   : !(gt | eq);    \
      m |= (uint64_t)holds << l;                                    \
    }                                                               \
    return m;                                                       \
  }
EMU_COMPARE_FLOATS(_mm512, ps, __m512)
EMU_COMPARE_FLOATS(_mm512, pd, __m512d)
EMU_COMPARE_FLOATS(_mm256, ps, __m256)

#define EMU_MASKS(BITS)                                                                                   \
  EMU __mmask##BITS _kand_mask##BITS(__mmask##BITS a, __mmask##BITS b) { return (__mmask##BITS)(a & b); } \
  EMU __mmask##BITS _kor_mask##BITS(__mmask##BITS a, __mmask##BITS b) { return (__mmask##BITS)(a | b); }
EMU_MASKS(8)
EMU_MASKS(16)
EMU_MASKS(32)
EMU_MASKS(64)

// Conversions. A vector of fewer bytes is in the lower lanes of 128 bits.
#define EMU_WIDEN(FROM, BYTES, T, TO)                     \
  EMU __m512i _mm512_cvtepi##FROM##_epi##TO(T x) {        \
    const epi##FROM##_##BYTES a = (epi##FROM##_##BYTES)x; \
    epi##TO##_64 r;                                       \
    EMU_LANES(r) r[l] = a[l];                             \
    return (__m512i)r;                                    \
  }                                                       \
  EMU __m512i _mm512_cvtepu##FROM##_epi##TO(T x) {        \
    const epu##FROM##_##BYTES a = (epu##FROM##_##BYTES)x; \
    epi##TO##_64 r;                                       \
    EMU_LANES(r) r[l] = (emu_epi##TO)a[l];                \
    return (__m512i)r;                                    \
  }
#define EMU_NARROW(FROM, TO, BYTES, T)             \
  EMU T _mm512_cvtepi##FROM##_epi##TO(__m512i x) { \
    const epu##FROM##_64 a = (epu##FROM##_64)x;    \
    epu##TO##_##BYTES r = {0};                     \
    EMU_LANES(a) r[l] = (emu_epu##TO)a[l];         \
    return (T)r;                                   \
  }
EMU_WIDEN(8, 32, __m256i, 16)
EMU_WIDEN(8, 16, __m128i, 32)
EMU_WIDEN(8, 16, __m128i, 64)
EMU_WIDEN(16, 32, __m256i, 32)
EMU_WIDEN(16, 16, __m128i, 64)
EMU_WIDEN(32, 32, __m256i, 64)
EMU_NARROW(16, 8, 32, __m256i)
EMU_NARROW(32, 8, 16, __m128i)
EMU_NARROW(32, 16, 32, __m256i)
EMU_NARROW(64, 8, 16, __m128i)
EMU_NARROW(64, 16, 16, __m128i)
EMU_NARROW(64, 32, 32, __m256i)
#define EMU_TRUNCATE(MM, BYTES, T, R)                                                      \
  EMU R MM##_maskz_cvttps_epi32(uint64_t m, T a) {                                         \
    epi32_##BYTES r = {0};                                                                 \
    EMU_LANES(r)                                                                           \
    if (m >> l & 1) r[l] = a[l] >= -0x1p31f && a[l] < 0x1p31f ? (int32_t)a[l] : INT32_MIN; \
    return (R)r;                                                                           \
  }
EMU_TRUNCATE(_mm512, 64, __m512, __m512i)
EMU_TRUNCATE(_mm256, 32, __m256, __m256i)
EMU __m512 _mm512_cvtph_ps(__m256i a) {
  __m512 r;
  for (int k = 0; k < 2; ++k) ((__m256*)&r)[k] = _mm256_cvtph_ps(((__m128i*)&a)[k]);
  return r;
}
EMU __m256i _mm512_cvtps_ph(__m512 a, int mode) {
  (void)mode;  // round to nearest
  __m256i r;
  for (int k = 0; k < 2; ++k) ((__m128i*)&r)[k] = _mm256_cvtps_ph(((__m256*)&a)[k], 0);
  return r;
}

// Blends, and memory of which only the lanes of the mask are touched.
#define EMU_MASKED(MM, BYTES, S, T)                          \
  EMU T MM##_mask_blend_##S(uint64_t m, T x, T y) {          \
    S##_##BYTES a = (S##_##BYTES)x;                          \
    const S##_##BYTES b = (S##_##BYTES)y;                    \
    EMU_LANES(a) if (m >> l & 1) a[l] = b[l];                \
    return (T)a;                                             \
  }                                                          \
  EMU T MM##_maskz_loadu_##S(uint64_t m, const void* p) {    \
    S##_##BYTES r = {0};                                     \
    EMU_LANES(r) if (m >> l & 1) {                           \
      emu_##S e;                                             \
      __builtin_memcpy(&e, (const emu_##S*)p + l, sizeof e); \
      r[l] = e;                                              \
    }                                                        \
    return (T)r;                                             \
  }                                                          \
  EMU void MM##_mask_storeu_##S(void* p, uint64_t m, T x) {  \
    const S##_##BYTES a = (S##_##BYTES)x;                    \
    EMU_LANES(a) if (m >> l & 1) {                           \
      const emu_##S e = a[l];                                \
      __builtin_memcpy((emu_##S*)p + l, &e, sizeof e);       \
    }                                                        \
  }
#define EMU_MASKED_WIDTH(MM, BYTES, PS, PD, SI) \
  EMU_MASKED(MM, BYTES, ps, PS)                 \
  EMU_MASKED(MM, BYTES, pd, PD)                 \
  EMU_MASKED(MM, BYTES, epi8, SI)               \
  EMU_MASKED(MM, BYTES, epi16, SI)              \
  EMU_MASKED(MM, BYTES, epi32, SI)              \
  EMU_MASKED(MM, BYTES, epi64, SI)
EMU_MASKED_WIDTH(_mm512, 64, __m512, __m512d, __m512i)
EMU_MASKED_WIDTH(_mm256, 32, __m256, __m256d, __m256i)
EMU_MASKED_WIDTH(_mm, 16, __m128, __m128d, __m128i)
#endif
