// x86-64-v2: SSE4.2, vectors of 128 bits, no fused multiply-add.
#include "isa/levels.h"
#include "isa/x86_rows.h"

namespace tenon {
namespace {

std::vector<IsaRow> sse_rows() {
  return {
      X86_BOTH_FLOATS("sqrt", "_mm", "sqrt", "$0", 4, 2),
      X86_BOTH_FLOATS("floor", "_mm", "floor", "$0", 4, 2),
      X86_BOTH_FLOATS("ceil", "_mm", "ceil", "$0", 4, 2),
      X86_BOTH_FLOATS("round", "_mm", "round", "$0, 8", 4, 2),
      X86_BOTH_FLOATS("trunc", "_mm", "round", "$0, 11", 4, 2),
      X86_BOTH_FLOATS("max_raw", "_mm", "max", "$0, $1", 4, 2),
      X86_BOTH_FLOATS("min_raw", "_mm", "min", "$0, $1", 4, 2),
      {"any", DType::I32, 4, "_mm_movemask_epi8((__m128i)$0)"},
      {"any", DType::I64, 2, "_mm_movemask_epi8((__m128i)$0)"},
      {"truncate_low", DType::F32, 4, "_mm_cvttps_epi32($0)"},
      {"mul_low", DType::U64, 2, "_mm_mul_epu32((__m128i)$0, (__m128i)$1)"},
      {"dot2", DType::I32, 4, "_mm_add_epi32((__m128i)$2, _mm_madd_epi16((__m128i)$0, (__m128i)$1))"},
      {"sqrt", DType::F32, 1, "_mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss($0)))"},
      {"sqrt", DType::F64, 1, "_mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd($0)))"},
      {"floor", DType::F32, 1, "_mm_cvtss_f32(_mm_floor_ps(_mm_set_ss($0)))"},
      {"floor", DType::F64, 1, "_mm_cvtsd_f64(_mm_floor_pd(_mm_set_sd($0)))"},
      {"ceil", DType::F32, 1, "_mm_cvtss_f32(_mm_ceil_ps(_mm_set_ss($0)))"},
      {"ceil", DType::F64, 1, "_mm_cvtsd_f64(_mm_ceil_pd(_mm_set_sd($0)))"},
      {"round", DType::F32, 1, "_mm_cvtss_f32(_mm_round_ps(_mm_set_ss($0), 8))"},
      {"round", DType::F64, 1, "_mm_cvtsd_f64(_mm_round_pd(_mm_set_sd($0), 8))"},
      {"trunc", DType::F32, 1, "_mm_cvtss_f32(_mm_round_ps(_mm_set_ss($0), 11))"},
      {"trunc", DType::F64, 1, "_mm_cvtsd_f64(_mm_round_pd(_mm_set_sd($0), 11))"},
      X86_SPLAT("_mm", "_set1_epi64x", 16),
      X86_INT_MIN_MAX("_mm", "__m128i", 16),
      X86_INT_ABS("_mm", "__m128i", 16),
      X86_WIDEN("_mm", 8, X86_FROM_8_BYTES, 8, 16),
      X86_WIDEN("_mm", 4, X86_FROM_4_BYTES, 8, 32),
      X86_WIDEN("_mm", 4, X86_FROM_8_BYTES, 16, 32),
      X86_WIDEN("_mm", 2, X86_FROM_4_BYTES, 16, 64),
      X86_WIDEN("_mm", 2, X86_FROM_8_BYTES, 32, 64),
      {"select", DType::F32, 4, "_mm_blendv_ps($2, $1, (__m128)$0)"},
      {"select", DType::F64, 2, "_mm_blendv_pd($2, $1, (__m128d)$0)"},
  };
}

}  // namespace

Isa x86_64_v2_isa() {
  Isa isa;
  isa.name = "x86-64-v2";
  isa.suffix = "x86_64_v2";
  isa.architecture = "x86-64";
  isa.guard = "defined(__x86_64__) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12))";
  isa.header = "nmmintrin.h";
  isa.target = "sse3,ssse3,sse4.1,sse4.2,popcnt";
  isa.vector_bits = 128;
  isa.vector_registers = 16;
  isa.fma = false;
  isa.masked_memory = false;
  isa.needs = {"sse4_2", "popcnt"};
  isa.rows = extend_rows({}, sse_rows());
  return isa;
}

}  // namespace tenon
