// neon: AArch64's base level, vectors of 128 bits, fused multiply-add.
#include "isa/levels.h"

namespace tenon {
namespace {

#define NEON_FLOATS(KEY, NAME, ARGS) \
  {KEY, DType::F32, 4, NAME "q_f32(" ARGS ")"}, { KEY, DType::F64, 2, NAME "q_f64(" ARGS ")" }
#define NEON_SCALARS(KEY, NAME)                                             \
  {KEY, DType::F32, 1, "vget_lane_f32(" NAME "_f32(vdup_n_f32($0)), 0)"}, { \
    KEY, DType::F64, 1, "vget_lane_f64(" NAME "_f64(vdup_n_f64($0)), 0)"    \
  }
#define NEON_INT(KEY, NAME, TYPE, LANES, S, R) \
  { KEY, DType::TYPE, LANES, NAME "q_" S "((" R ")$0, (" R ")$1)" }
#define NEON_MIN_MAX(TYPE, LANES, S, R) \
  NEON_INT("min", "vmin", TYPE, LANES, S, R), NEON_INT("max", "vmax", TYPE, LANES, S, R)

std::vector<IsaRow> neon_rows() {
  return {
      NEON_FLOATS("sqrt", "vsqrt", "$0"),
      NEON_FLOATS("floor", "vrndm", "$0"),
      NEON_FLOATS("ceil", "vrndp", "$0"),
      NEON_FLOATS("round", "vrndn", "$0"),
      NEON_FLOATS("trunc", "vrnd", "$0"),
      NEON_FLOATS("max", "vmax", "$0, $1"),
      NEON_FLOATS("min", "vmin", "$0, $1"),
      NEON_FLOATS("abs", "vabs", "$0"),
      {"abs", DType::I8, 16, "vabsq_s8((int8x16_t)$0)"},
      {"abs", DType::I16, 8, "vabsq_s16((int16x8_t)$0)"},
      {"abs", DType::I32, 4, "vabsq_s32((int32x4_t)$0)"},
      {"mul_low", DType::U64, 2, "vmull_u32(vmovn_u64($0), vmovn_u64($1))"},
      NEON_FLOATS("fma", "vfma", "$2, $0, $1"),
      NEON_SCALARS("sqrt", "vsqrt"),
      NEON_SCALARS("floor", "vrndm"),
      NEON_SCALARS("ceil", "vrndp"),
      NEON_SCALARS("round", "vrndn"),
      NEON_SCALARS("trunc", "vrnd"),
      {"fma", DType::F32, 1, "__builtin_fmaf($0, $1, $2)"},
      {"fma", DType::F64, 1, "__builtin_fma($0, $1, $2)"},
      {"splat", DType::F32, 4, "vdupq_n_f32($0)"},
      {"splat", DType::F64, 2, "vdupq_n_f64($0)"},
      {"splat", DType::I8, 16, "vdupq_n_s8($0)"},
      {"splat", DType::U8, 16, "vdupq_n_u8($0)"},
      {"splat", DType::I16, 8, "vdupq_n_s16($0)"},
      {"splat", DType::U16, 8, "vdupq_n_u16($0)"},
      {"splat", DType::I32, 4, "vdupq_n_s32($0)"},
      {"splat", DType::U32, 4, "vdupq_n_u32($0)"},
      {"splat", DType::I64, 2, "vdupq_n_s64($0)"},
      {"splat", DType::U64, 2, "vdupq_n_u64($0)"},
      NEON_MIN_MAX(I8, 16, "s8", "int8x16_t"),
      NEON_MIN_MAX(U8, 16, "u8", "uint8x16_t"),
      NEON_MIN_MAX(I16, 8, "s16", "int16x8_t"),
      NEON_MIN_MAX(U16, 8, "u16", "uint16x8_t"),
      NEON_MIN_MAX(I32, 4, "s32", "int32x4_t"),
      NEON_MIN_MAX(U32, 4, "u32", "uint32x4_t"),
      {"select", DType::F32, 4, "vbslq_f32((uint32x4_t)$0, $1, $2)"},
      {"select", DType::F64, 2, "vbslq_f64((uint64x2_t)$0, $1, $2)"},
      {"cvt_f16_f32", DType::F16, 4, "vcvt_f32_f16((float16x4_t)$0)"},
      {"cvt_f32_f16", DType::F32, 4, "vcvt_f16_f32($0)"},
  };
}

}  // namespace

Isa neon_isa() {
  Isa isa;
  isa.name = "neon";
  isa.suffix = "neon";
  isa.architecture = "aarch64";
  isa.guard = "defined(__aarch64__) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12))";
  isa.header = "arm_neon.h";
  isa.vector_bits = 128;
  isa.vector_registers = 32;
  isa.fma = true;
  isa.masked_memory = false;
  isa.rows = extend_rows({}, neon_rows());
  return isa;
}

}  // namespace tenon
