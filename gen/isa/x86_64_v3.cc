// x86-64-v3: AVX2, FMA and F16C, vectors of 256 bits.
#include "isa/levels.h"
#include "isa/x86_rows.h"

namespace tenon {
namespace {

// A mask of the first $1 lanes.
#define FIRST_8X32 "_mm256_cmpgt_epi32(_mm256_set1_epi32((int)$1), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))"
#define FIRST_4X64 "_mm256_cmpgt_epi64(_mm256_set1_epi64x($1), _mm256_setr_epi64x(0, 1, 2, 3))"
#define FIRST_4X32 "_mm_cmpgt_epi32(_mm_set1_epi32((int)$1), _mm_setr_epi32(0, 1, 2, 3))"
// A cast to long long would be one between types that must not alias; void converts to what the function takes.
// Stores with a mask take longer than the parts of a vector on many processors.
#define MASKED(TYPE, LANES, MM, SUFFIX, FIRST) \
  { "load_masked", DType::TYPE, LANES, MM "_maskload_" SUFFIX "((const void *)$0, " FIRST ")" }

// Instructions take the halves of both vectors alternately.
#define IN_ORDER(V) "_mm256_permute4x64_epi64(" V ", 0xd8)"
#define PACK(KEY, TYPE, LANES, NAME)                                                  \
  {KEY, DType::TYPE, LANES, IN_ORDER("_mm256_" NAME "((__m256i)$0, (__m256i)$1)")}, { \
    KEY, DType::TYPE, LANES / 2, "_mm_" NAME "((__m128i)$0, (__m128i)$1)"             \
  }

std::vector<IsaRow> avx2_rows() {
  return {
      X86_BOTH_FLOATS("fma", "_mm", "fmadd", "$0, $1, $2", 4, 2),
      X86_BOTH_FLOATS("fma", "_mm256", "fmadd", "$0, $1, $2", 8, 4),
      {"any", DType::I32, 8, "_mm256_movemask_epi8((__m256i)$0)"},
      {"any", DType::I64, 4, "_mm256_movemask_epi8((__m256i)$0)"},
      {"fma", DType::F32, 1, "__builtin_fmaf($0, $1, $2)"},
      {"fma", DType::F64, 1, "__builtin_fma($0, $1, $2)"},
      X86_BOTH_FLOATS("sqrt", "_mm256", "sqrt", "$0", 8, 4),
      X86_BOTH_FLOATS("floor", "_mm256", "floor", "$0", 8, 4),
      X86_BOTH_FLOATS("ceil", "_mm256", "ceil", "$0", 8, 4),
      X86_BOTH_FLOATS("round", "_mm256", "round", "$0, 8", 8, 4),
      X86_BOTH_FLOATS("trunc", "_mm256", "round", "$0, 11", 8, 4),
      X86_BOTH_FLOATS("max_raw", "_mm256", "max", "$0, $1", 8, 4),
      X86_BOTH_FLOATS("min_raw", "_mm256", "min", "$0, $1", 8, 4),
      X86_SPLAT("_mm256", "_set1_epi64x", 32),
      X86_INT_MIN_MAX("_mm256", "__m256i", 32),
      X86_INT_ABS("_mm256", "__m256i", 32),
      X86_WIDEN("_mm256", 16, X86_FROM_16_BYTES, 8, 16),
      X86_WIDEN("_mm256", 8, X86_FROM_8_BYTES, 8, 32),
      X86_WIDEN("_mm256", 4, X86_FROM_4_BYTES, 8, 64),
      X86_WIDEN("_mm256", 8, X86_FROM_16_BYTES, 16, 32),
      X86_WIDEN("_mm256", 4, X86_FROM_8_BYTES, 16, 64),
      X86_WIDEN("_mm256", 4, X86_FROM_16_BYTES, 32, 64),
      {"cvt_i32_f64", DType::I32, 4, "_mm256_cvtepi32_pd((__m128i)$0)"},
      {"cvt_f32_f64", DType::F32, 4, "_mm256_cvtps_pd($0)"},
      {"truncate_low", DType::F32, 8, "_mm256_cvttps_epi32($0)"},
      {"mul_low", DType::U64, 4, "_mm256_mul_epu32((__m256i)$0, (__m256i)$1)"},
      {"dot2", DType::I32, 8, "_mm256_add_epi32((__m256i)$2, _mm256_madd_epi16((__m256i)$0, (__m256i)$1))"},
      PACK("pack", I32, 8, "packs_epi32"),
      PACK("pack", I16, 16, "packs_epi16"),
      PACK("pack_unsigned", I32, 8, "packus_epi32"),
      PACK("pack_unsigned", I16, 16, "packus_epi16"),
      {"pack_words", DType::I64, 4, IN_ORDER("(__m256i)_mm256_shuffle_ps((__m256)$0, (__m256)$1, 0x88)")},
      {"select", DType::F32, 8, "_mm256_blendv_ps($2, $1, (__m256)$0)"},
      {"select", DType::F64, 4, "_mm256_blendv_pd($2, $1, (__m256d)$0)"},
      {"cvt_f16_f32", DType::F16, 1, "_cvtsh_ss($0)"},
      {"cvt_f32_f16", DType::F32, 1, "_cvtss_sh($0, 0)"},
      {"cvt_f16_f32", DType::F16, 4, "_mm_cvtph_ps(_mm_cvtsi64_si128((long long)$0))"},
      {"cvt_f16_f32", DType::F16, 8, "_mm256_cvtph_ps((__m128i)$0)"},
      {"cvt_f32_f16", DType::F32, 4, "_mm_cvtsi128_si64(_mm_cvtps_ph($0, 0))"},
      {"cvt_f32_f16", DType::F32, 8, "_mm256_cvtps_ph($0, 0)"},
      MASKED(F32, 8, "_mm256", "ps", FIRST_8X32),
      MASKED(F64, 4, "_mm256", "pd", FIRST_4X64),
      MASKED(F32, 4, "_mm", "ps", FIRST_4X32),
      MASKED(I32, 8, "_mm256", "epi32", FIRST_8X32),
      MASKED(U32, 8, "_mm256", "epi32", FIRST_8X32),
      MASKED(I64, 4, "_mm256", "epi64", FIRST_4X64),
      MASKED(U64, 4, "_mm256", "epi64", FIRST_4X64),
  };
}

}  // namespace

Isa x86_64_v3_isa() {
  Isa isa = x86_64_v2_isa();
  isa.name = "x86-64-v3";
  isa.suffix = "x86_64_v3";
  isa.header = "immintrin.h";
  isa.target = "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt";
  isa.vector_bits = 256;
  isa.fma = true;
  isa.needs = {"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "popcnt"};
  isa.rows = extend_rows(std::move(isa.rows), avx2_rows());
  return isa;
}

}  // namespace tenon
