// x86-64-v4: AVX-512 F, BW, DQ, VL and CD, vectors of 512 bits, masked memory.
#include "isa/levels.h"
#include "isa/x86_rows.h"

namespace tenon {
namespace {

// A mask of the first $1 lanes of a register with this many lanes.
#define FIRST_8 "(__mmask8)_bzhi_u32(0xffu, (unsigned)$1)"
#define FIRST_16 "(__mmask16)_bzhi_u32(0xffffu, (unsigned)$1)"
#define FIRST_32 "_bzhi_u32(0xffffffffu, (unsigned)$1)"
#define FIRST_64 "_bzhi_u64(0xffffffffffffffffu, (unsigned)$1)"
#define MASKED_BY_K(TYPE, LANES, MASK, MM, SUFFIX, CAST)                                                          \
  {"load_masked", DType::TYPE, LANES, MM "_maskz_loadu_" SUFFIX "(" FIRST_##MASK ", $0)"},                        \
      {"load_masked_last", DType::TYPE, LANES,                                                                    \
       MM "_maskz_loadu_" SUFFIX "((__mmask" #MASK ")(0xffffffffffffffffu << (" #LANES " - (unsigned)$1)), $0)"}, \
  {                                                                                                               \
    "store_masked", DType::TYPE, LANES, MM "_mask_storeu_" SUFFIX "($0, " FIRST_##MASK ", " CAST "$2)"            \
  }
#define MASKED_INTS(BITS, LANES, MASK, MM, SI)                    \
  MASKED_BY_K(I##BITS, LANES, MASK, MM, "epi" #BITS, "(" SI ")"), \
      MASKED_BY_K(U##BITS, LANES, MASK, MM, "epi" #BITS, "(" SI ")")

// A select by a mask vector, a select by a mask register, and the conversion of a mask vector to a mask register.
#define SELECT(TYPE, LANES, MM, SUFFIX, MASKBITS, SI, CAST)                                          \
  {"select", DType::TYPE, LANES,                                                                     \
   MM "_mask_blend_" SUFFIX "(" MM "_movepi" MASKBITS "_mask((" SI ")$0), " CAST "$2, " CAST "$1)"}, \
  {                                                                                                  \
    "select_by", DType::TYPE, LANES, MM "_mask_blend_" SUFFIX "($0, " CAST "$2, " CAST "$1)"         \
  }
// Comparisons into a mask register, and their negations (which differ if a number is NaN).
#define COMPARE_FLOAT(KEY, TYPE, LANES, SUFFIX, PRED) \
  { KEY, DType::TYPE, LANES, "_mm512_cmp_" SUFFIX "_mask($0, $1, " PRED ")" }
#define COMPARE_FLOATS(TYPE, LANES, SUFFIX)                            \
  COMPARE_FLOAT("mask_lt", TYPE, LANES, SUFFIX, "_CMP_LT_OS"),         \
      COMPARE_FLOAT("mask_le", TYPE, LANES, SUFFIX, "_CMP_LE_OS"),     \
      COMPARE_FLOAT("mask_gt", TYPE, LANES, SUFFIX, "_CMP_GT_OS"),     \
      COMPARE_FLOAT("mask_ge", TYPE, LANES, SUFFIX, "_CMP_GE_OS"),     \
      COMPARE_FLOAT("mask_eq", TYPE, LANES, SUFFIX, "_CMP_EQ_OQ"),     \
      COMPARE_FLOAT("mask_ne", TYPE, LANES, SUFFIX, "_CMP_NEQ_UQ"),    \
      COMPARE_FLOAT("mask_no_lt", TYPE, LANES, SUFFIX, "_CMP_NLT_US"), \
      COMPARE_FLOAT("mask_no_le", TYPE, LANES, SUFFIX, "_CMP_NLE_US"), \
      COMPARE_FLOAT("mask_no_gt", TYPE, LANES, SUFFIX, "_CMP_NGT_US"), \
      COMPARE_FLOAT("mask_no_ge", TYPE, LANES, SUFFIX, "_CMP_NGE_US")
#define COMPARE_INT(KEY, TYPE, LANES, NAME, SUFFIX) \
  { KEY, DType::TYPE, LANES, "_mm512_cmp" NAME "_" SUFFIX "_mask((__m512i)$0, (__m512i)$1)" }
#define COMPARE_INTS(TYPE, LANES, SUFFIX)                                                                   \
  COMPARE_INT("mask_lt", TYPE, LANES, "lt", SUFFIX), COMPARE_INT("mask_le", TYPE, LANES, "le", SUFFIX),     \
      COMPARE_INT("mask_gt", TYPE, LANES, "gt", SUFFIX), COMPARE_INT("mask_ge", TYPE, LANES, "ge", SUFFIX), \
      COMPARE_INT("mask_eq", TYPE, LANES, "eq", SUFFIX), COMPARE_INT("mask_ne", TYPE, LANES, "neq", SUFFIX)
#define MASKS(BITS, LANES)                                                        \
  {"mask", DType::I##BITS, LANES, "_mm512_movepi" #BITS "_mask((__m512i)$0)"},    \
      {"any", DType::I##BITS, LANES, "_mm512_movepi" #BITS "_mask((__m512i)$0)"}, \
      {"mask_and", DType::I##BITS, LANES, "_kand_mask" #LANES "($0, $1)"}, {      \
    "mask_or", DType::I##BITS, LANES, "_kor_mask" #LANES "($0, $1)"               \
  }

#define LOOKUP_ROW(SUFFIX, TYPE, LANES, BEGIN, INDEX, END) \
  { "lookup", DType::TYPE, LANES, BEGIN "_mm512_permutex2var_" SUFFIX "($1, " INDEX ", $2)" END }
#define LOOKUP(SUFFIX, TYPE, LANES, ONE, INDEX)                                                                        \
  LOOKUP_ROW(SUFFIX, TYPE, LANES, "", "(__m512i)$0", ""),                                                              \
      LOOKUP_ROW(SUFFIX, TYPE, (LANES) / 2, "_mm512_cast" SUFFIX "512_" SUFFIX "256(",                                 \
                 "_mm512_castsi256_si512((__m256i)$0)", ")"),                                                          \
      LOOKUP_ROW(SUFFIX, TYPE, (LANES) / 4, "_mm512_cast" SUFFIX "512_" SUFFIX "128(",                                 \
                 "_mm512_castsi128_si512((__m128i)$0)", ")"),                                                          \
      LOOKUP_ROW(SUFFIX, TYPE, 1, ONE "(_mm512_cast" SUFFIX "512_" SUFFIX "128(", "_mm512_castsi128_si512(" INDEX ")", \
                 "))")

#define SCALE(KEY)                                                                                                     \
  X86_BOTH_FLOATS(KEY, "_mm512", "scalef", "$0, $1", 16, 8), X86_BOTH_FLOATS(KEY, "_mm256", "scalef", "$0, $1", 8, 4), \
      X86_BOTH_FLOATS(KEY, "_mm", "scalef", "$0, $1", 4, 2),                                                           \
      {KEY, DType::F32, 1, "_mm_cvtss_f32(_mm_scalef_ss(_mm_set_ss($0), _mm_set_ss($1)))"}, {                          \
    KEY, DType::F64, 1, "_mm_cvtsd_f64(_mm_scalef_sd(_mm_set_sd($0), _mm_set_sd($1)))"                                 \
  }

// $1 is n plus a number that the definition of KEY states. There is none of scale2_down_sum, whose definition is as
// fast: scalef takes a hundred cycles where the result rounds to 0.
#define SCALE_SUM(KEY, MM, LANES, SINGLE, DOUBLE)                            \
  {KEY, DType::F32, LANES, MM "_scalef_ps($0 + 1.0f, $1 - " SINGLE "f)"}, {  \
    KEY, DType::F64, (LANES) / 2, MM "_scalef_pd($0 + 1.0, $1 - " DOUBLE ")" \
  }
#define SCALE_SUMS(KEY, SINGLE, DOUBLE)                                                      \
  SCALE_SUM(KEY, "_mm512", 16, SINGLE, DOUBLE), SCALE_SUM(KEY, "_mm256", 8, SINGLE, DOUBLE), \
      SCALE_SUM(KEY, "_mm", 4, SINGLE, DOUBLE)

std::vector<IsaRow> avx512_rows() {
  return {
      X86_BOTH_FLOATS("fma", "_mm512", "fmadd", "$0, $1, $2", 16, 8),
      X86_BOTH_FLOATS("sqrt", "_mm512", "sqrt", "$0", 16, 8),
      LOOKUP("ps", F32, 16, "_mm_cvtss_f32", "_mm_cvtsi32_si128((int)$0)"),
      LOOKUP("pd", F64, 8, "_mm_cvtsd_f64", "_mm_cvtsi64_si128((long long)$0)"),
      SCALE("scale2"),
      SCALE("scale2_down"),
      SCALE_SUMS("scale2_sum", "12583166.0", "6755399441057790.0"),
      X86_BOTH_FLOATS("floor", "_mm512", "roundscale", "$0, 9", 16, 8),
      X86_BOTH_FLOATS("ceil", "_mm512", "roundscale", "$0, 10", 16, 8),
      X86_BOTH_FLOATS("round", "_mm512", "roundscale", "$0, 8", 16, 8),
      X86_BOTH_FLOATS("trunc", "_mm512", "roundscale", "$0, 11", 16, 8),
      X86_BOTH_FLOATS("max_raw", "_mm512", "max", "$0, $1", 16, 8),
      X86_BOTH_FLOATS("min_raw", "_mm512", "min", "$0, $1", 16, 8),
      X86_SPLAT("_mm512", "_set1_epi64", 64),
      X86_INT_MIN_MAX("_mm512", "__m512i", 64),
      X86_INT("min", "_mm512", "min", "epi64", "__m512i", I64, 8),
      X86_INT("max", "_mm512", "max", "epi64", "__m512i", I64, 8),
      X86_INT("min", "_mm512", "min", "epu64", "__m512i", U64, 8),
      X86_INT("max", "_mm512", "max", "epu64", "__m512i", U64, 8),
      X86_INT_ABS("_mm512", "__m512i", 64),
      {"dot2", DType::I32, 16, "_mm512_add_epi32((__m512i)$2, _mm512_madd_epi16((__m512i)$0, (__m512i)$1))"},
      {"mul_low", DType::U64, 8, "_mm512_mul_epu32((__m512i)$0, (__m512i)$1)"},
      {"abs", DType::I64, 8, "_mm512_abs_epi64((__m512i)$0)"},
      {"mul", DType::I64, 8, "_mm512_mullo_epi64((__m512i)$0, (__m512i)$1)"},
      {"mul", DType::U64, 8, "_mm512_mullo_epi64((__m512i)$0, (__m512i)$1)"},
      X86_WIDEN("_mm512", 32, X86_FROM_32_BYTES, 8, 16),
      X86_WIDEN("_mm512", 16, X86_FROM_16_BYTES, 8, 32),
      X86_WIDEN("_mm512", 8, X86_BROADCAST_8_BYTES, 8, 64),
      X86_WIDEN("_mm512", 16, X86_FROM_32_BYTES, 16, 32),
      X86_WIDEN("_mm512", 8, X86_FROM_16_BYTES, 16, 64),
      X86_WIDEN("_mm512", 8, X86_FROM_32_BYTES, 32, 64),
      X86_NARROW("_mm512", "__m512i", 32, 16, 8),
      X86_NARROW("_mm512", "__m512i", 16, 32, 8),
      X86_NARROW("_mm512", "__m512i", 16, 32, 16),
      X86_NARROW("_mm512", "__m512i", 8, 64, 16),
      X86_NARROW("_mm512", "__m512i", 8, 64, 32),
      SELECT(F32, 16, "_mm512", "ps", "32", "__m512i", ""),
      SELECT(F64, 8, "_mm512", "pd", "64", "__m512i", ""),
      SELECT(I32, 16, "_mm512", "epi32", "32", "__m512i", "(__m512i)"),
      SELECT(U32, 16, "_mm512", "epi32", "32", "__m512i", "(__m512i)"),
      SELECT(I64, 8, "_mm512", "epi64", "64", "__m512i", "(__m512i)"),
      SELECT(U64, 8, "_mm512", "epi64", "64", "__m512i", "(__m512i)"),
      SELECT(I16, 32, "_mm512", "epi16", "16", "__m512i", "(__m512i)"),
      SELECT(U16, 32, "_mm512", "epi16", "16", "__m512i", "(__m512i)"),
      SELECT(I8, 64, "_mm512", "epi8", "8", "__m512i", "(__m512i)"),
      SELECT(U8, 64, "_mm512", "epi8", "8", "__m512i", "(__m512i)"),
      COMPARE_FLOATS(F32, 16, "ps"),
      COMPARE_FLOATS(F64, 8, "pd"),
      COMPARE_INTS(I32, 16, "epi32"),
      COMPARE_INTS(U32, 16, "epu32"),
      COMPARE_INTS(I64, 8, "epi64"),
      COMPARE_INTS(U64, 8, "epu64"),
      COMPARE_INTS(I16, 32, "epi16"),
      COMPARE_INTS(U16, 32, "epu16"),
      COMPARE_INTS(I8, 64, "epi8"),
      COMPARE_INTS(U8, 64, "epu8"),
      MASKS(32, 16),
      MASKS(64, 8),
      MASKS(16, 32),
      MASKS(8, 64),
      {"truncate_eq", DType::F32, 16, "_mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask($0, $1, _CMP_EQ_OQ), $2)"},
      {"truncate_eq", DType::F32, 8, "_mm256_maskz_cvttps_epi32(_mm256_cmp_ps_mask($0, $1, _CMP_EQ_OQ), $2)"},
      {"cvt_f16_f32", DType::F16, 16, "_mm512_cvtph_ps((__m256i)$0)"},
      {"cvt_f32_f16", DType::F32, 16, "_mm512_cvtps_ph($0, 0)"},
      MASKED_BY_K(F32, 16, 16, "_mm512", "ps", ""),
      MASKED_BY_K(F64, 8, 8, "_mm512", "pd", ""),
      MASKED_BY_K(F32, 8, 8, "_mm256", "ps", ""),
      MASKED_BY_K(F64, 4, 8, "_mm256", "pd", ""),
      MASKED_BY_K(F32, 4, 8, "_mm", "ps", ""),
      MASKED_BY_K(F64, 2, 8, "_mm", "pd", ""),
      MASKED_INTS(8, 64, 64, "_mm512", "__m512i"),
      MASKED_INTS(16, 32, 32, "_mm512", "__m512i"),
      MASKED_INTS(32, 16, 16, "_mm512", "__m512i"),
      MASKED_INTS(64, 8, 8, "_mm512", "__m512i"),
      MASKED_INTS(8, 32, 32, "_mm256", "__m256i"),
      MASKED_INTS(16, 16, 16, "_mm256", "__m256i"),
      MASKED_INTS(32, 8, 8, "_mm256", "__m256i"),
      MASKED_INTS(64, 4, 8, "_mm256", "__m256i"),
      MASKED_INTS(8, 16, 16, "_mm", "__m128i"),
      MASKED_INTS(16, 8, 8, "_mm", "__m128i"),
      MASKED_INTS(32, 4, 8, "_mm", "__m128i"),
      MASKED_INTS(64, 2, 8, "_mm", "__m128i"),
  };
}

}  // namespace

Isa x86_64_v4_isa() {
  Isa isa = x86_64_v3_isa();
  isa.name = "x86-64-v4";
  isa.suffix = "x86_64_v4";
  isa.target = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt";
  isa.vector_bits = 512;
  isa.vector_registers = 32;
  isa.masked_memory = true;
  isa.needs.insert(isa.needs.end(), {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"});
  isa.rows = extend_rows(std::move(isa.rows), avx512_rows());
  return isa;
}

}  // namespace tenon
