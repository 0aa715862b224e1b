// Rows that the x86 levels write once per vector width: macros that paste the intrinsics' prefix into the spellings.
#pragma once

#include "ir/nest/isa.h"

// Both float types of one width: MM is the prefix of the intrinsics, S and D the lanes of f32 and f64.
#define X86_BOTH_FLOATS(KEY, MM, NAME, ARGS, S, D) \
  {KEY, DType::F32, S, MM "_" NAME "_ps(" ARGS ")"}, { KEY, DType::F64, D, MM "_" NAME "_pd(" ARGS ")" }

// Integer rows: SI is the register type, N the number of bytes of it.
#define X86_INT(KEY, MM, NAME, SUFFIX, SI, TYPE, LANES) \
  { KEY, DType::TYPE, LANES, MM "_" NAME "_" SUFFIX "((" SI ")$0, (" SI ")$1)" }
#define X86_INT_MIN_MAX(MM, SI, N)                                                                            \
  X86_INT("min", MM, "min", "epi8", SI, I8, N), X86_INT("max", MM, "max", "epi8", SI, I8, N),                 \
      X86_INT("min", MM, "min", "epu8", SI, U8, N), X86_INT("max", MM, "max", "epu8", SI, U8, N),             \
      X86_INT("min", MM, "min", "epi16", SI, I16, N / 2), X86_INT("max", MM, "max", "epi16", SI, I16, N / 2), \
      X86_INT("min", MM, "min", "epu16", SI, U16, N / 2), X86_INT("max", MM, "max", "epu16", SI, U16, N / 2), \
      X86_INT("min", MM, "min", "epi32", SI, I32, N / 4), X86_INT("max", MM, "max", "epi32", SI, I32, N / 4), \
      X86_INT("min", MM, "min", "epu32", SI, U32, N / 4), X86_INT("max", MM, "max", "epu32", SI, U32, N / 4)
#define X86_INT_ABS(MM, SI, N)                                                                                  \
  {"abs", DType::I8, N, MM "_abs_epi8((" SI ")$0)"}, {"abs", DType::I16, N / 2, MM "_abs_epi16((" SI ")$0)"}, { \
    "abs", DType::I32, N / 4, MM "_abs_epi32((" SI ")$0)"                                                       \
  }

// One scalar to all lanes; EPI64 is the spelling of the 64-bit one.
#define X86_SPLAT(MM, EPI64, N)                                                                                      \
  X86_BOTH_FLOATS("splat", MM, "set1", "$0", N / 4, N / 8), {"splat", DType::I8, N, MM "_set1_epi8((char)$0)"},      \
      {"splat", DType::U8, N, MM "_set1_epi8((char)$0)"}, {"splat", DType::I16, N / 2, MM "_set1_epi16($0)"},        \
      {"splat", DType::U16, N / 2, MM "_set1_epi16((short)$0)"}, {"splat", DType::I32, N / 4, MM "_set1_epi32($0)"}, \
      {"splat", DType::U32, N / 4, MM "_set1_epi32((int)$0)"}, {"splat", DType::I64, N / 8, MM EPI64 "($0)"}, {      \
    "splat", DType::U64, N / 8, MM EPI64 "((long long)$0)"                                                           \
  }

// Widening from a whole register of 128, 256 bits: FROM and TO are dtype pairs of both signednesses. ARG says how the
// argument gets there.
#define X86_WIDEN(MM, LANES, ARG, F, T)                                                  \
  {"cvt_i" #F "_i" #T, DType::I##F, LANES, MM "_cvtepi" #F "_epi" #T "(" ARG ")"},       \
      {"cvt_i" #F "_u" #T, DType::I##F, LANES, MM "_cvtepi" #F "_epi" #T "(" ARG ")"},   \
      {"cvt_u" #F "_i" #T, DType::U##F, LANES, MM "_cvtepu" #F "_epi" #T "(" ARG ")"}, { \
    "cvt_u" #F "_u" #T, DType::U##F, LANES, MM "_cvtepu" #F "_epi" #T "(" ARG ")"        \
  }
#define X86_FROM_8_BYTES "_mm_cvtsi64_si128((long long)$0)"
// The same as a load; avoids a masked widening load, which crashes gcc 12.
#define X86_BROADCAST_8_BYTES "_mm_set1_epi64x((long long)$0)"
#define X86_FROM_4_BYTES "_mm_cvtsi32_si128((int)$0)"
#define X86_FROM_16_BYTES "(__m128i)$0"
#define X86_FROM_32_BYTES "(__m256i)$0"

// Narrowing (wraps): AVX-512 only.
#define X86_NARROW(MM, SI, LANES, F, T)                                                     \
  {"cvt_i" #F "_i" #T, DType::I##F, LANES, MM "_cvtepi" #F "_epi" #T "((" SI ")$0)"},       \
      {"cvt_i" #F "_u" #T, DType::I##F, LANES, MM "_cvtepi" #F "_epi" #T "((" SI ")$0)"},   \
      {"cvt_u" #F "_i" #T, DType::U##F, LANES, MM "_cvtepi" #F "_epi" #T "((" SI ")$0)"}, { \
    "cvt_u" #F "_u" #T, DType::U##F, LANES, MM "_cvtepi" #F "_epi" #T "((" SI ")$0)"        \
  }
