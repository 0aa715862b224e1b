/* op_gemm: kernels for x86-64-v3. */
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

typedef int8_t tn_i8x8 __attribute__((vector_size(8)));

static inline TN_TARGET_X86_64_V3 int64_t tn_i64_max_x86_64_v3(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static inline TN_TARGET_X86_64_V3 int64_t tn_i64_min_x86_64_v3(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline TN_TARGET_X86_64_V3 int64_t tn_i64_floordiv_x86_64_v3(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return (int64_t)(0u - (uint64_t)a);
  const int64_t q = (int64_t)(a / b);
  return (int64_t)(q - (a % b != 0 && (a < 0) != (b < 0)));
}

/* 6 rows of the left side times 2 vectors of the right, summed over the depth. */
static TN_TARGET_X86_64_V3 __attribute__((noinline)) void tn_tile_6x2_f32_steps_x86_64_v3(const float *restrict a0,
    const float *restrict a1, const float *restrict a2, const float *restrict a3, const float *restrict a4,
    const float *restrict a5, const float *restrict b, float *restrict tile, int64_t depth, int64_t right_step,
    int64_t left_step) {
  tn_f32x8 c0_0 = (tn_f32x8){0};
  tn_f32x8 c0_1 = (tn_f32x8){0};
  tn_f32x8 c1_0 = (tn_f32x8){0};
  tn_f32x8 c1_1 = (tn_f32x8){0};
  tn_f32x8 c2_0 = (tn_f32x8){0};
  tn_f32x8 c2_1 = (tn_f32x8){0};
  tn_f32x8 c3_0 = (tn_f32x8){0};
  tn_f32x8 c3_1 = (tn_f32x8){0};
  tn_f32x8 c4_0 = (tn_f32x8){0};
  tn_f32x8 c4_1 = (tn_f32x8){0};
  tn_f32x8 c5_0 = (tn_f32x8){0};
  tn_f32x8 c5_1 = (tn_f32x8){0};
  for (int64_t d = 0; d < depth; ++d) {
    const tn_f32x8 b0 = *(const tn_f32x8_at *)&b[d * right_step];
    const tn_f32x8 b1 = *(const tn_f32x8_at *)&b[d * right_step + 8];
    const tn_f32x8 x0 = _mm256_set1_ps(a0[d * left_step]);
    c0_0 = _mm256_fmadd_ps(x0, b0, c0_0);
    c0_1 = _mm256_fmadd_ps(x0, b1, c0_1);
    const tn_f32x8 x1 = _mm256_set1_ps(a1[d * left_step]);
    c1_0 = _mm256_fmadd_ps(x1, b0, c1_0);
    c1_1 = _mm256_fmadd_ps(x1, b1, c1_1);
    const tn_f32x8 x2 = _mm256_set1_ps(a2[d * left_step]);
    c2_0 = _mm256_fmadd_ps(x2, b0, c2_0);
    c2_1 = _mm256_fmadd_ps(x2, b1, c2_1);
    const tn_f32x8 x3 = _mm256_set1_ps(a3[d * left_step]);
    c3_0 = _mm256_fmadd_ps(x3, b0, c3_0);
    c3_1 = _mm256_fmadd_ps(x3, b1, c3_1);
    const tn_f32x8 x4 = _mm256_set1_ps(a4[d * left_step]);
    c4_0 = _mm256_fmadd_ps(x4, b0, c4_0);
    c4_1 = _mm256_fmadd_ps(x4, b1, c4_1);
    const tn_f32x8 x5 = _mm256_set1_ps(a5[d * left_step]);
    c5_0 = _mm256_fmadd_ps(x5, b0, c5_0);
    c5_1 = _mm256_fmadd_ps(x5, b1, c5_1);
  }
  *(tn_f32x8_at *)&tile[0] = c0_0;
  *(tn_f32x8_at *)&tile[8] = c0_1;
  *(tn_f32x8_at *)&tile[16] = c1_0;
  *(tn_f32x8_at *)&tile[24] = c1_1;
  *(tn_f32x8_at *)&tile[32] = c2_0;
  *(tn_f32x8_at *)&tile[40] = c2_1;
  *(tn_f32x8_at *)&tile[48] = c3_0;
  *(tn_f32x8_at *)&tile[56] = c3_1;
  *(tn_f32x8_at *)&tile[64] = c4_0;
  *(tn_f32x8_at *)&tile[72] = c4_1;
  *(tn_f32x8_at *)&tile[80] = c5_0;
  *(tn_f32x8_at *)&tile[88] = c5_1;
}

/* 6 rows of the left side times one vector of the right, summed over the depth. */
static TN_TARGET_X86_64_V3 __attribute__((noinline)) void tn_tile_6x1of2_f32_steps_x86_64_v3(const float *restrict a0,
    const float *restrict a1, const float *restrict a2, const float *restrict a3, const float *restrict a4,
    const float *restrict a5, const float *restrict b, float *restrict tile, int64_t depth, int64_t right_step,
    int64_t left_step) {
  tn_f32x8 c0_0 = (tn_f32x8){0};
  tn_f32x8 c1_0 = (tn_f32x8){0};
  tn_f32x8 c2_0 = (tn_f32x8){0};
  tn_f32x8 c3_0 = (tn_f32x8){0};
  tn_f32x8 c4_0 = (tn_f32x8){0};
  tn_f32x8 c5_0 = (tn_f32x8){0};
  for (int64_t d = 0; d < depth; ++d) {
    const tn_f32x8 b0 = *(const tn_f32x8_at *)&b[d * right_step];
    const tn_f32x8 x0 = _mm256_set1_ps(a0[d * left_step]);
    c0_0 = _mm256_fmadd_ps(x0, b0, c0_0);
    const tn_f32x8 x1 = _mm256_set1_ps(a1[d * left_step]);
    c1_0 = _mm256_fmadd_ps(x1, b0, c1_0);
    const tn_f32x8 x2 = _mm256_set1_ps(a2[d * left_step]);
    c2_0 = _mm256_fmadd_ps(x2, b0, c2_0);
    const tn_f32x8 x3 = _mm256_set1_ps(a3[d * left_step]);
    c3_0 = _mm256_fmadd_ps(x3, b0, c3_0);
    const tn_f32x8 x4 = _mm256_set1_ps(a4[d * left_step]);
    c4_0 = _mm256_fmadd_ps(x4, b0, c4_0);
    const tn_f32x8 x5 = _mm256_set1_ps(a5[d * left_step]);
    c5_0 = _mm256_fmadd_ps(x5, b0, c5_0);
  }
  *(tn_f32x8_at *)&tile[0] = c0_0;
  *(tn_f32x8_at *)&tile[16] = c1_0;
  *(tn_f32x8_at *)&tile[32] = c2_0;
  *(tn_f32x8_at *)&tile[48] = c3_0;
  *(tn_f32x8_at *)&tile[64] = c4_0;
  *(tn_f32x8_at *)&tile[80] = c5_0;
}

/* 2 rows of the left side times 2 vectors of the right, summed over the depth. */
static TN_TARGET_X86_64_V3 __attribute__((noinline)) void tn_tile_2x2_f32_steps_x86_64_v3(const float *restrict a0,
    const float *restrict a1, const float *restrict b, float *restrict tile, int64_t depth, int64_t right_step,
    int64_t left_step) {
  tn_f32x8 c0_0 = (tn_f32x8){0};
  tn_f32x8 c0_1 = (tn_f32x8){0};
  tn_f32x8 c1_0 = (tn_f32x8){0};
  tn_f32x8 c1_1 = (tn_f32x8){0};
  for (int64_t d = 0; d < depth; ++d) {
    const tn_f32x8 b0 = *(const tn_f32x8_at *)&b[d * right_step];
    const tn_f32x8 b1 = *(const tn_f32x8_at *)&b[d * right_step + 8];
    const tn_f32x8 x0 = _mm256_set1_ps(a0[d * left_step]);
    c0_0 = _mm256_fmadd_ps(x0, b0, c0_0);
    c0_1 = _mm256_fmadd_ps(x0, b1, c0_1);
    const tn_f32x8 x1 = _mm256_set1_ps(a1[d * left_step]);
    c1_0 = _mm256_fmadd_ps(x1, b0, c1_0);
    c1_1 = _mm256_fmadd_ps(x1, b1, c1_1);
  }
  *(tn_f32x8_at *)&tile[0] = c0_0;
  *(tn_f32x8_at *)&tile[8] = c0_1;
  *(tn_f32x8_at *)&tile[16] = c1_0;
  *(tn_f32x8_at *)&tile[24] = c1_1;
}

/* 2 rows of the left side times one vector of the right, summed over the depth. */
static TN_TARGET_X86_64_V3 __attribute__((noinline)) void tn_tile_2x1of2_f32_steps_x86_64_v3(const float *restrict a0,
    const float *restrict a1, const float *restrict b, float *restrict tile, int64_t depth, int64_t right_step,
    int64_t left_step) {
  tn_f32x8 c0_0 = (tn_f32x8){0};
  tn_f32x8 c1_0 = (tn_f32x8){0};
  for (int64_t d = 0; d < depth; ++d) {
    const tn_f32x8 b0 = *(const tn_f32x8_at *)&b[d * right_step];
    const tn_f32x8 x0 = _mm256_set1_ps(a0[d * left_step]);
    c0_0 = _mm256_fmadd_ps(x0, b0, c0_0);
    const tn_f32x8 x1 = _mm256_set1_ps(a1[d * left_step]);
    c1_0 = _mm256_fmadd_ps(x1, b0, c1_0);
  }
  *(tn_f32x8_at *)&tile[0] = c0_0;
  *(tn_f32x8_at *)&tile[16] = c1_0;
}

static inline TN_TARGET_X86_64_V3 tn_i8x8 tn_m8x8_splat_x86_64_v3(int a) {
  const int8_t m = a ? -1 : 0;
  return (tn_i8x8){m, m, m, m, m, m, m, m};
}

/*
 * Y[m,n] = select(alpha == 0, 0, alpha*sum[k](A[m,k]*B[k,n])) + select(beta == 0, 0, beta*opt(C[m,n], 0))
 * tensors: A f32[M, K], B f32[K, N], C f32[M, N], Y f32[M, N]
 * computes in f32, accumulates in f32; blueprint contraction/x86-64-v3
 * cost: 2*K*M*N + 3*M*N operations, 4*K*M + 4*K*N + 8*M*N bytes
 */
static TN_TARGET_X86_64_V3 int tn_gemm_f32_x86_64_v3(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
  const int64_t M = size[0];
  const int64_t K = size[1];
  const int64_t N = size[2];
  const int64_t A_s0 = size[3];
  const int64_t A_s1 = size[4];
  const int64_t B_s0 = size[5];
  const int64_t B_s1 = size[6];
  const int64_t C_s0 = size[7];
  const int64_t C_s1 = size[8];
  const float alpha = (float)attr[0].f;
  const float beta = (float)attr[1].f;
  const float *restrict A = (const float *)in[0];
  const float *restrict B = (const float *)in[1];
  const float *restrict C = (const float *)in[2];
  float *restrict Y = (float *)out[0];
  float tile[96] __attribute__((aligned(64)));
  unsigned char *free_memory = (unsigned char *)workspace + (-(uintptr_t)workspace & 63u);
  float *restrict rows_copied = (float *)(void *)free_memory;
  free_memory += (tn_i64_min_x86_64_v3(M, tn_i64_max_x86_64_v3(8533 / (K > 1 ? K : 1), 1) * 6) * (K + 16) * 4 + 63) /
      64 * 64;
  float *restrict packed = (float *)(void *)free_memory;
  const int64_t rows = M;
  const int64_t columns = N;
  const int64_t depth = K;
  const int64_t rows_cached = tn_i64_max_x86_64_v3(8533 / (depth > 1 ? depth : 1), 1) * 6;
  const int64_t columns_packed = tn_i64_min_x86_64_v3(N, tn_i64_max_x86_64_v3(32768 / (K > 1 ? K : 1), 1) * 16);
  const int pack_all = rows > 6 || B_s1 != 1;
  for (int64_t column_block = 0; column_block < tn_i64_floordiv_x86_64_v3(columns + columns_packed - 1,
      columns_packed > 1 ? columns_packed : 1); ++column_block) {
    const int64_t first_column = column_block * columns_packed;
    const int64_t block_columns = tn_i64_min_x86_64_v3(columns_packed, columns - first_column);
    for (int64_t panel = 0; panel < (block_columns + 15) / 16; ++panel) {
      const int64_t column = first_column + panel * 16;
      const int64_t width = tn_i64_min_x86_64_v3(block_columns - panel * 16, 16);
      if (pack_all || width < 16) {
        if (width == 16 && B_s1 == 1) {
          for (int64_t k = 0; k < K; ++k) {
            *(tn_f32x8_at *)&packed[panel * K * 16 + k * 16] = *(const tn_f32x8_at *)&B[k * B_s0 + column];
            *(tn_f32x8_at *)&packed[panel * K * 16 + k * 16 + 8] = *(const tn_f32x8_at *)&B[k * B_s0 + (column + 8)];
          }
        } else {
          for (int64_t lane = 0; lane < width; ++lane) {
            for (int64_t k = 0; k < K; ++k) {
              packed[panel * K * 16 + k * 16 + lane] = B[k * B_s0 + (column + lane) * B_s1];
            }
          }
          for (int64_t lane = width; lane < 16; ++lane) {
            for (int64_t k = 0; k < K; ++k) {
              packed[panel * K * 16 + k * 16 + lane] = 0.0f;
            }
          }
        }
      }
    }
    for (int64_t row_block = 0; row_block < tn_i64_floordiv_x86_64_v3(rows + rows_cached - 1, rows_cached);
        ++row_block) {
      const int64_t row_pitch = depth + 16;
      const int64_t first_row = row_block * rows_cached;
      const int64_t block_rows = tn_i64_min_x86_64_v3(rows_cached, rows - first_row);
      if (A_s1 != 1) {
        for (int64_t strip = 0; strip < (block_rows + 5) / 6; ++strip) {
          for (int64_t copied_depth = 0; copied_depth < depth; ++copied_depth) {
            for (int64_t copied_row = 0; copied_row < tn_i64_min_x86_64_v3(6, block_rows - strip * 6); ++copied_row) {
              rows_copied[(strip * 6 + copied_row) * row_pitch + copied_depth] =
                  A[(first_row + (strip * 6 + copied_row)) * A_s0 + copied_depth * A_s1];
            }
          }
        }
      }
      for (int64_t tile_column = 0; tile_column < (block_columns + 15) / 16; ++tile_column) {
        const int64_t column_at = first_column + tile_column * 16;
        const int64_t tile_width = tn_i64_min_x86_64_v3(block_columns - tile_column * 16, 16);
        const int64_t whole_tiles = block_rows / 6;
        for (int64_t tile_row = 0; tile_row < whole_tiles + tn_i64_floordiv_x86_64_v3(block_rows - whole_tiles * 6 + 1,
            2); ++tile_row) {
          const int64_t row = first_row + (tile_row < whole_tiles ? tile_row : whole_tiles) * 6 +
              (tile_row - (tile_row < whole_tiles ? tile_row : whole_tiles)) * 2;
          const int64_t height = tn_i64_min_x86_64_v3(tile_row < whole_tiles ? 6 : 2, first_row + block_rows - row);
          if (tile_row < whole_tiles) {
            if (pack_all || tile_width < 16) {
              if (tile_width > 8) {
                if (A_s1 != 1) {
                  tn_tile_6x2_f32_steps_x86_64_v3(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, rows_copied + (row + 4 - first_row) * row_pitch,
                      rows_copied + (row + 5 - first_row) * row_pitch, packed + tile_column * depth * 16, tile, depth,
                      16, 1);
                } else {
                  tn_tile_6x2_f32_steps_x86_64_v3(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, A + (row + 4) * A_s0, A + (row + 5) * A_s0,
                      packed + tile_column * depth * 16, tile, depth, 16, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_6x1of2_f32_steps_x86_64_v3(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, rows_copied + (row + 4 - first_row) * row_pitch,
                      rows_copied + (row + 5 - first_row) * row_pitch, packed + tile_column * depth * 16, tile, depth,
                      16, 1);
                } else {
                  tn_tile_6x1of2_f32_steps_x86_64_v3(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, A + (row + 4) * A_s0, A + (row + 5) * A_s0,
                      packed + tile_column * depth * 16, tile, depth, 16, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_6x2_f32_steps_x86_64_v3(rows_copied + (row - first_row) * row_pitch,
                    rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                    rows_copied + (row + 3 - first_row) * row_pitch, rows_copied + (row + 4 - first_row) * row_pitch,
                    rows_copied + (row + 5 - first_row) * row_pitch, B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_6x2_f32_steps_x86_64_v3(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                    A + (row + 3) * A_s0, A + (row + 4) * A_s0, A + (row + 5) * A_s0, B + column_at, tile, depth, B_s0,
                    A_s1);
              }
            }
          } else {
            if (pack_all || tile_width < 16) {
              if (tile_width > 8) {
                if (A_s1 != 1) {
                  tn_tile_2x2_f32_steps_x86_64_v3(rows_copied + (tn_i64_min_x86_64_v3(row, rows - 1) - first_row) *
                      row_pitch, rows_copied + (tn_i64_min_x86_64_v3(row + 1, rows - 1) - first_row) * row_pitch,
                      packed + tile_column * depth * 16, tile, depth, 16, 1);
                } else {
                  tn_tile_2x2_f32_steps_x86_64_v3(A + tn_i64_min_x86_64_v3(row, rows - 1) * A_s0,
                      A + tn_i64_min_x86_64_v3(row + 1, rows - 1) * A_s0, packed + tile_column * depth * 16, tile,
                      depth, 16, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_2x1of2_f32_steps_x86_64_v3(rows_copied + (tn_i64_min_x86_64_v3(row, rows - 1) - first_row) *
                      row_pitch, rows_copied + (tn_i64_min_x86_64_v3(row + 1, rows - 1) - first_row) * row_pitch,
                      packed + tile_column * depth * 16, tile, depth, 16, 1);
                } else {
                  tn_tile_2x1of2_f32_steps_x86_64_v3(A + tn_i64_min_x86_64_v3(row, rows - 1) * A_s0,
                      A + tn_i64_min_x86_64_v3(row + 1, rows - 1) * A_s0, packed + tile_column * depth * 16, tile,
                      depth, 16, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_2x2_f32_steps_x86_64_v3(rows_copied + (tn_i64_min_x86_64_v3(row, rows - 1) - first_row) *
                    row_pitch, rows_copied + (tn_i64_min_x86_64_v3(row + 1, rows - 1) - first_row) * row_pitch,
                    B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_2x2_f32_steps_x86_64_v3(A + tn_i64_min_x86_64_v3(row, rows - 1) * A_s0,
                    A + tn_i64_min_x86_64_v3(row + 1, rows - 1) * A_s0, B + column_at, tile, depth, B_s0, A_s1);
              }
            }
          }
          if (tile_width == 16 && C_s1 == 1) {
            for (int64_t r = 0; r < height; ++r) {
              *(tn_f32x8_at *)&Y[(row + r) * N + column_at] =
                  _mm256_blendv_ps(alpha * *(const tn_f32x8_at *)&tile[r * 16], (tn_f32x8){0},
                  (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)tn_m8x8_splat_x86_64_v3(alpha ==
                  0.0f))))) + _mm256_blendv_ps(beta * *(const tn_f32x8_at *)&C[(row + r) * C_s0 + column_at],
                  (tn_f32x8){0}, (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long
                  long)tn_m8x8_splat_x86_64_v3(beta == 0.0f)))));
              *(tn_f32x8_at *)&Y[(row + r) * N + (column_at + 8)] =
                  _mm256_blendv_ps(alpha * *(const tn_f32x8_at *)&tile[r * 16 + 8], (tn_f32x8){0},
                  (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)tn_m8x8_splat_x86_64_v3(alpha ==
                  0.0f))))) + _mm256_blendv_ps(beta * *(const tn_f32x8_at *)&C[(row + r) * C_s0 + (column_at + 8)],
                  (tn_f32x8){0}, (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long
                  long)tn_m8x8_splat_x86_64_v3(beta == 0.0f)))));
            }
          } else {
            for (int64_t r = 0; r < height; ++r) {
              const int64_t whole = C_s1 == 1 ? tile_width / 8 * 8 : 0;
              for (int64_t q = 0; q < whole; q += 8) {
                *(tn_f32x8_at *)&Y[(row + r) * N + (column_at + q)] =
                    _mm256_blendv_ps(alpha * *(const tn_f32x8_at *)&tile[r * 16 + q], (tn_f32x8){0},
                    (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)tn_m8x8_splat_x86_64_v3(alpha
                    == 0.0f))))) + _mm256_blendv_ps(beta * *(const tn_f32x8_at *)&C[(row + r) * C_s0 +
                    (column_at + q)], (tn_f32x8){0}, (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long
                    long)tn_m8x8_splat_x86_64_v3(beta == 0.0f)))));
              }
              for (int64_t q = whole; q < tile_width; ++q) {
                Y[(row + r) * N + (column_at + q)] = (alpha == 0.0f ? 0.0f : alpha * tile[r * 16 + q]) +
                    (beta == 0.0f ? 0.0f : beta * C[(row + r) * C_s0 + (column_at + q) * C_s1]);
              }
            }
          }
        }
      }
    }
  }
  return 0;
}

/* Bytes of workspace that tn_gemm_f32_x86_64_v3 takes. */
static int64_t tn_gemm_f32_x86_64_v3_workspace(const int64_t *size, const tn_scalar *attr) {
  (void)attr;
  const int64_t M = size[0];
  const int64_t K = size[1];
  const int64_t N = size[2];
  return (tn_i64_min_x86_64_v3(M, tn_i64_max_x86_64_v3(8533 / (K > 1 ? K : 1), 1) * 6) * (K + 16) * 4 + 63) / 64 * 64 +
      ((tn_i64_min_x86_64_v3(N, tn_i64_max_x86_64_v3(32768 / (K > 1 ? K : 1), 1) * 16) + 15) / 16 * 16 * K * 4 + 63) /
      64 * 64 + 63;
}

/*
 * Y[m,n] = select(alpha == 0, 0, alpha*sum[k](A[m,k]*B[k,n])) + select(beta == 0, 0, beta*opt(C[m,n], 0))
 * tensors: A f32[M, K], B f32[K, N], Y f32[M, N]
 * computes in f32, accumulates in f32; blueprint contraction/x86-64-v3
 * cost: 2*K*M*N + 3*M*N operations, 4*K*M + 4*K*N + 4*M*N bytes
 */
static TN_TARGET_X86_64_V3 int tn_gemm_f32_noC_x86_64_v3(const int64_t *size, const tn_scalar *attr,
    const void *const *in, void *const *out, void *workspace) {
  const int64_t M = size[0];
  const int64_t K = size[1];
  const int64_t N = size[2];
  const int64_t A_s0 = size[3];
  const int64_t A_s1 = size[4];
  const int64_t B_s0 = size[5];
  const int64_t B_s1 = size[6];
  const float alpha = (float)attr[0].f;
  const float beta = (float)attr[1].f;
  const float *restrict A = (const float *)in[0];
  const float *restrict B = (const float *)in[1];
  float *restrict Y = (float *)out[0];
  float tile[96] __attribute__((aligned(64)));
  unsigned char *free_memory = (unsigned char *)workspace + (-(uintptr_t)workspace & 63u);
  float *restrict rows_copied = (float *)(void *)free_memory;
  free_memory += (tn_i64_min_x86_64_v3(M, tn_i64_max_x86_64_v3(8533 / (K > 1 ? K : 1), 1) * 6) * (K + 16) * 4 + 63) /
      64 * 64;
  float *restrict packed = (float *)(void *)free_memory;
  const int64_t rows = M;
  const int64_t columns = N;
  const int64_t depth = K;
  const int64_t rows_cached = tn_i64_max_x86_64_v3(8533 / (depth > 1 ? depth : 1), 1) * 6;
  const int64_t columns_packed = tn_i64_min_x86_64_v3(N, tn_i64_max_x86_64_v3(32768 / (K > 1 ? K : 1), 1) * 16);
  const int pack_all = rows > 6 || B_s1 != 1;
  for (int64_t column_block = 0; column_block < tn_i64_floordiv_x86_64_v3(columns + columns_packed - 1,
      columns_packed > 1 ? columns_packed : 1); ++column_block) {
    const int64_t first_column = column_block * columns_packed;
    const int64_t block_columns = tn_i64_min_x86_64_v3(columns_packed, columns - first_column);
    for (int64_t panel = 0; panel < (block_columns + 15) / 16; ++panel) {
      const int64_t column = first_column + panel * 16;
      const int64_t width = tn_i64_min_x86_64_v3(block_columns - panel * 16, 16);
      if (pack_all || width < 16) {
        if (width == 16 && B_s1 == 1) {
          for (int64_t k = 0; k < K; ++k) {
            *(tn_f32x8_at *)&packed[panel * K * 16 + k * 16] = *(const tn_f32x8_at *)&B[k * B_s0 + column];
            *(tn_f32x8_at *)&packed[panel * K * 16 + k * 16 + 8] = *(const tn_f32x8_at *)&B[k * B_s0 + (column + 8)];
          }
        } else {
          for (int64_t lane = 0; lane < width; ++lane) {
            for (int64_t k = 0; k < K; ++k) {
              packed[panel * K * 16 + k * 16 + lane] = B[k * B_s0 + (column + lane) * B_s1];
            }
          }
          for (int64_t lane = width; lane < 16; ++lane) {
            for (int64_t k = 0; k < K; ++k) {
              packed[panel * K * 16 + k * 16 + lane] = 0.0f;
            }
          }
        }
      }
    }
    for (int64_t row_block = 0; row_block < tn_i64_floordiv_x86_64_v3(rows + rows_cached - 1, rows_cached);
        ++row_block) {
      const int64_t row_pitch = depth + 16;
      const int64_t first_row = row_block * rows_cached;
      const int64_t block_rows = tn_i64_min_x86_64_v3(rows_cached, rows - first_row);
      if (A_s1 != 1) {
        for (int64_t strip = 0; strip < (block_rows + 5) / 6; ++strip) {
          for (int64_t copied_depth = 0; copied_depth < depth; ++copied_depth) {
            for (int64_t copied_row = 0; copied_row < tn_i64_min_x86_64_v3(6, block_rows - strip * 6); ++copied_row) {
              rows_copied[(strip * 6 + copied_row) * row_pitch + copied_depth] =
                  A[(first_row + (strip * 6 + copied_row)) * A_s0 + copied_depth * A_s1];
            }
          }
        }
      }
      for (int64_t tile_column = 0; tile_column < (block_columns + 15) / 16; ++tile_column) {
        const int64_t column_at = first_column + tile_column * 16;
        const int64_t tile_width = tn_i64_min_x86_64_v3(block_columns - tile_column * 16, 16);
        const int64_t whole_tiles = block_rows / 6;
        for (int64_t tile_row = 0; tile_row < whole_tiles + tn_i64_floordiv_x86_64_v3(block_rows - whole_tiles * 6 + 1,
            2); ++tile_row) {
          const int64_t row = first_row + (tile_row < whole_tiles ? tile_row : whole_tiles) * 6 +
              (tile_row - (tile_row < whole_tiles ? tile_row : whole_tiles)) * 2;
          const int64_t height = tn_i64_min_x86_64_v3(tile_row < whole_tiles ? 6 : 2, first_row + block_rows - row);
          if (tile_row < whole_tiles) {
            if (pack_all || tile_width < 16) {
              if (tile_width > 8) {
                if (A_s1 != 1) {
                  tn_tile_6x2_f32_steps_x86_64_v3(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, rows_copied + (row + 4 - first_row) * row_pitch,
                      rows_copied + (row + 5 - first_row) * row_pitch, packed + tile_column * depth * 16, tile, depth,
                      16, 1);
                } else {
                  tn_tile_6x2_f32_steps_x86_64_v3(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, A + (row + 4) * A_s0, A + (row + 5) * A_s0,
                      packed + tile_column * depth * 16, tile, depth, 16, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_6x1of2_f32_steps_x86_64_v3(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, rows_copied + (row + 4 - first_row) * row_pitch,
                      rows_copied + (row + 5 - first_row) * row_pitch, packed + tile_column * depth * 16, tile, depth,
                      16, 1);
                } else {
                  tn_tile_6x1of2_f32_steps_x86_64_v3(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, A + (row + 4) * A_s0, A + (row + 5) * A_s0,
                      packed + tile_column * depth * 16, tile, depth, 16, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_6x2_f32_steps_x86_64_v3(rows_copied + (row - first_row) * row_pitch,
                    rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                    rows_copied + (row + 3 - first_row) * row_pitch, rows_copied + (row + 4 - first_row) * row_pitch,
                    rows_copied + (row + 5 - first_row) * row_pitch, B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_6x2_f32_steps_x86_64_v3(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                    A + (row + 3) * A_s0, A + (row + 4) * A_s0, A + (row + 5) * A_s0, B + column_at, tile, depth, B_s0,
                    A_s1);
              }
            }
          } else {
            if (pack_all || tile_width < 16) {
              if (tile_width > 8) {
                if (A_s1 != 1) {
                  tn_tile_2x2_f32_steps_x86_64_v3(rows_copied + (tn_i64_min_x86_64_v3(row, rows - 1) - first_row) *
                      row_pitch, rows_copied + (tn_i64_min_x86_64_v3(row + 1, rows - 1) - first_row) * row_pitch,
                      packed + tile_column * depth * 16, tile, depth, 16, 1);
                } else {
                  tn_tile_2x2_f32_steps_x86_64_v3(A + tn_i64_min_x86_64_v3(row, rows - 1) * A_s0,
                      A + tn_i64_min_x86_64_v3(row + 1, rows - 1) * A_s0, packed + tile_column * depth * 16, tile,
                      depth, 16, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_2x1of2_f32_steps_x86_64_v3(rows_copied + (tn_i64_min_x86_64_v3(row, rows - 1) - first_row) *
                      row_pitch, rows_copied + (tn_i64_min_x86_64_v3(row + 1, rows - 1) - first_row) * row_pitch,
                      packed + tile_column * depth * 16, tile, depth, 16, 1);
                } else {
                  tn_tile_2x1of2_f32_steps_x86_64_v3(A + tn_i64_min_x86_64_v3(row, rows - 1) * A_s0,
                      A + tn_i64_min_x86_64_v3(row + 1, rows - 1) * A_s0, packed + tile_column * depth * 16, tile,
                      depth, 16, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_2x2_f32_steps_x86_64_v3(rows_copied + (tn_i64_min_x86_64_v3(row, rows - 1) - first_row) *
                    row_pitch, rows_copied + (tn_i64_min_x86_64_v3(row + 1, rows - 1) - first_row) * row_pitch,
                    B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_2x2_f32_steps_x86_64_v3(A + tn_i64_min_x86_64_v3(row, rows - 1) * A_s0,
                    A + tn_i64_min_x86_64_v3(row + 1, rows - 1) * A_s0, B + column_at, tile, depth, B_s0, A_s1);
              }
            }
          }
          if (tile_width == 16) {
            for (int64_t r = 0; r < height; ++r) {
              *(tn_f32x8_at *)&Y[(row + r) * N + column_at] =
                  _mm256_blendv_ps(alpha * *(const tn_f32x8_at *)&tile[r * 16], (tn_f32x8){0},
                  (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)tn_m8x8_splat_x86_64_v3(alpha ==
                  0.0f))))) + (beta == 0.0f ? 0.0f : beta * 0.0f);
              *(tn_f32x8_at *)&Y[(row + r) * N + (column_at + 8)] =
                  _mm256_blendv_ps(alpha * *(const tn_f32x8_at *)&tile[r * 16 + 8], (tn_f32x8){0},
                  (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)tn_m8x8_splat_x86_64_v3(alpha ==
                  0.0f))))) + (beta == 0.0f ? 0.0f : beta * 0.0f);
            }
          } else {
            for (int64_t r = 0; r < height; ++r) {
              const int64_t whole = tile_width / 8 * 8;
              for (int64_t q = 0; q < whole; q += 8) {
                *(tn_f32x8_at *)&Y[(row + r) * N + (column_at + q)] =
                    _mm256_blendv_ps(alpha * *(const tn_f32x8_at *)&tile[r * 16 + q], (tn_f32x8){0},
                    (__m256)((tn_i32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)tn_m8x8_splat_x86_64_v3(alpha
                    == 0.0f))))) + (beta == 0.0f ? 0.0f : beta * 0.0f);
              }
              for (int64_t q = whole; q < tile_width; ++q) {
                Y[(row + r) * N + (column_at + q)] = (alpha == 0.0f ? 0.0f : alpha * tile[r * 16 + q]) +
                    (beta == 0.0f ? 0.0f : beta * 0.0f);
              }
            }
          }
        }
      }
    }
  }
  return 0;
}

/* Bytes of workspace that tn_gemm_f32_noC_x86_64_v3 takes. */
static int64_t tn_gemm_f32_noC_x86_64_v3_workspace(const int64_t *size, const tn_scalar *attr) {
  (void)attr;
  const int64_t M = size[0];
  const int64_t K = size[1];
  const int64_t N = size[2];
  return (tn_i64_min_x86_64_v3(M, tn_i64_max_x86_64_v3(8533 / (K > 1 ? K : 1), 1) * 6) * (K + 16) * 4 + 63) / 64 * 64 +
      ((tn_i64_min_x86_64_v3(N, tn_i64_max_x86_64_v3(32768 / (K > 1 ? K : 1), 1) * 16) + 15) / 16 * 16 * K * 4 + 63) /
      64 * 64 + 63;
}

extern const tn_core tn_cores_gemm_x86_64_v3[];
const tn_core tn_cores_gemm_x86_64_v3[] = {
    {tn_gemm_f32_x86_64_v3, tn_gemm_f32_x86_64_v3_workspace},
    {tn_gemm_f32_noC_x86_64_v3, tn_gemm_f32_noC_x86_64_v3_workspace},
};
#endif
