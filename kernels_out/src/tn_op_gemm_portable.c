/* op_gemm: kernels for portable. */
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

static inline int64_t tn_i64_max_portable(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static inline int64_t tn_i64_min_portable(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline int64_t tn_i64_floordiv_portable(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return (int64_t)(0u - (uint64_t)a);
  const int64_t q = (int64_t)(a / b);
  return (int64_t)(q - (a % b != 0 && (a < 0) != (b < 0)));
}

/* 4 rows of the left side times 4 vectors of the right, summed over the depth. */
static void tn_tile_4x4_f32_steps_portable(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, const float *restrict a3, const float *restrict b, float *restrict tile, int64_t depth,
    int64_t right_step, int64_t left_step) {
  float c0_0 = 0.0f;
  float c0_1 = 0.0f;
  float c0_2 = 0.0f;
  float c0_3 = 0.0f;
  float c1_0 = 0.0f;
  float c1_1 = 0.0f;
  float c1_2 = 0.0f;
  float c1_3 = 0.0f;
  float c2_0 = 0.0f;
  float c2_1 = 0.0f;
  float c2_2 = 0.0f;
  float c2_3 = 0.0f;
  float c3_0 = 0.0f;
  float c3_1 = 0.0f;
  float c3_2 = 0.0f;
  float c3_3 = 0.0f;
  for (int64_t d = 0; d < depth; ++d) {
    const float b0 = b[d * right_step];
    const float b1 = b[d * right_step + 1];
    const float b2 = b[d * right_step + 2];
    const float b3 = b[d * right_step + 3];
    const float x0 = a0[d * left_step];
    c0_0 = x0 * b0 + c0_0;
    c0_1 = x0 * b1 + c0_1;
    c0_2 = x0 * b2 + c0_2;
    c0_3 = x0 * b3 + c0_3;
    const float x1 = a1[d * left_step];
    c1_0 = x1 * b0 + c1_0;
    c1_1 = x1 * b1 + c1_1;
    c1_2 = x1 * b2 + c1_2;
    c1_3 = x1 * b3 + c1_3;
    const float x2 = a2[d * left_step];
    c2_0 = x2 * b0 + c2_0;
    c2_1 = x2 * b1 + c2_1;
    c2_2 = x2 * b2 + c2_2;
    c2_3 = x2 * b3 + c2_3;
    const float x3 = a3[d * left_step];
    c3_0 = x3 * b0 + c3_0;
    c3_1 = x3 * b1 + c3_1;
    c3_2 = x3 * b2 + c3_2;
    c3_3 = x3 * b3 + c3_3;
  }
  tile[0] = c0_0;
  tile[1] = c0_1;
  tile[2] = c0_2;
  tile[3] = c0_3;
  tile[4] = c1_0;
  tile[5] = c1_1;
  tile[6] = c1_2;
  tile[7] = c1_3;
  tile[8] = c2_0;
  tile[9] = c2_1;
  tile[10] = c2_2;
  tile[11] = c2_3;
  tile[12] = c3_0;
  tile[13] = c3_1;
  tile[14] = c3_2;
  tile[15] = c3_3;
}

/* 4 rows of the left side times one vector of the right, summed over the depth. */
static void tn_tile_4x1of4_f32_steps_portable(const float *restrict a0, const float *restrict a1,
    const float *restrict a2, const float *restrict a3, const float *restrict b, float *restrict tile, int64_t depth,
    int64_t right_step, int64_t left_step) {
  float c0_0 = 0.0f;
  float c1_0 = 0.0f;
  float c2_0 = 0.0f;
  float c3_0 = 0.0f;
  for (int64_t d = 0; d < depth; ++d) {
    const float b0 = b[d * right_step];
    const float x0 = a0[d * left_step];
    c0_0 = x0 * b0 + c0_0;
    const float x1 = a1[d * left_step];
    c1_0 = x1 * b0 + c1_0;
    const float x2 = a2[d * left_step];
    c2_0 = x2 * b0 + c2_0;
    const float x3 = a3[d * left_step];
    c3_0 = x3 * b0 + c3_0;
  }
  tile[0] = c0_0;
  tile[4] = c1_0;
  tile[8] = c2_0;
  tile[12] = c3_0;
}

/* 1 rows of the left side times 4 vectors of the right, summed over the depth. */
static void tn_tile_1x4_f32_steps_portable(const float *restrict a0, const float *restrict b, float *restrict tile,
    int64_t depth, int64_t right_step, int64_t left_step) {
  float c0_0 = 0.0f;
  float c0_1 = 0.0f;
  float c0_2 = 0.0f;
  float c0_3 = 0.0f;
  for (int64_t d = 0; d < depth; ++d) {
    const float b0 = b[d * right_step];
    const float b1 = b[d * right_step + 1];
    const float b2 = b[d * right_step + 2];
    const float b3 = b[d * right_step + 3];
    const float x0 = a0[d * left_step];
    c0_0 = x0 * b0 + c0_0;
    c0_1 = x0 * b1 + c0_1;
    c0_2 = x0 * b2 + c0_2;
    c0_3 = x0 * b3 + c0_3;
  }
  tile[0] = c0_0;
  tile[1] = c0_1;
  tile[2] = c0_2;
  tile[3] = c0_3;
}

/* 1 rows of the left side times one vector of the right, summed over the depth. */
static void tn_tile_1x1of4_f32_steps_portable(const float *restrict a0, const float *restrict b, float *restrict tile,
    int64_t depth, int64_t right_step, int64_t left_step) {
  float c0_0 = 0.0f;
  for (int64_t d = 0; d < depth; ++d) {
    const float b0 = b[d * right_step];
    const float x0 = a0[d * left_step];
    c0_0 = x0 * b0 + c0_0;
  }
  tile[0] = c0_0;
}

/*
 * Y[m,n] = select(alpha == 0, 0, alpha*sum[k](A[m,k]*B[k,n])) + select(beta == 0, 0, beta*opt(C[m,n], 0))
 * tensors: A f32[M, K], B f32[K, N], C f32[M, N], Y f32[M, N]
 * computes in f32, accumulates in f32; blueprint contraction/portable
 * cost: 2*K*M*N + 3*M*N operations, 4*K*M + 4*K*N + 8*M*N bytes
 */
static int tn_gemm_f32_portable(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out,
    void *workspace) {
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
  float tile[16];
  unsigned char *free_memory = (unsigned char *)workspace + (-(uintptr_t)workspace & 63u);
  float *restrict rows_copied = (float *)(void *)free_memory;
  free_memory += (tn_i64_min_portable(M, tn_i64_max_portable(2048 / (K > 1 ? K : 1), 1) * 4) * K * 4 + 63) / 64 * 64;
  float *restrict packed = (float *)(void *)free_memory;
  const int64_t rows = M;
  const int64_t columns = N;
  const int64_t depth = K;
  const int64_t rows_cached = tn_i64_max_portable(2048 / (depth > 1 ? depth : 1), 1) * 4;
  const int64_t columns_packed = tn_i64_min_portable(N, tn_i64_max_portable(16384 / (K > 1 ? K : 1), 1) * 4);
  const int pack_all = rows > 4 || B_s1 != 1;
  for (int64_t column_block = 0; column_block < tn_i64_floordiv_portable(columns + columns_packed - 1,
      columns_packed > 1 ? columns_packed : 1); ++column_block) {
    const int64_t first_column = column_block * columns_packed;
    const int64_t block_columns = tn_i64_min_portable(columns_packed, columns - first_column);
    for (int64_t panel = 0; panel < (block_columns + 3) / 4; ++panel) {
      const int64_t column = first_column + panel * 4;
      const int64_t width = tn_i64_min_portable(block_columns - panel * 4, 4);
      if (pack_all || width < 4) {
        for (int64_t lane = 0; lane < width; ++lane) {
          for (int64_t k = 0; k < K; ++k) {
            packed[panel * K * 4 + k * 4 + lane] = B[k * B_s0 + (column + lane) * B_s1];
          }
        }
        for (int64_t lane = width; lane < 4; ++lane) {
          for (int64_t k = 0; k < K; ++k) {
            packed[panel * K * 4 + k * 4 + lane] = 0.0f;
          }
        }
      }
    }
    for (int64_t row_block = 0; row_block < tn_i64_floordiv_portable(rows + rows_cached - 1, rows_cached); ++row_block)
        {
      const int64_t row_pitch = depth;
      const int64_t first_row = row_block * rows_cached;
      const int64_t block_rows = tn_i64_min_portable(rows_cached, rows - first_row);
      if (A_s1 != 1) {
        for (int64_t strip = 0; strip < (block_rows + 3) / 4; ++strip) {
          for (int64_t copied_depth = 0; copied_depth < depth; ++copied_depth) {
            for (int64_t copied_row = 0; copied_row < tn_i64_min_portable(4, block_rows - strip * 4); ++copied_row) {
              rows_copied[(strip * 4 + copied_row) * row_pitch + copied_depth] =
                  A[(first_row + (strip * 4 + copied_row)) * A_s0 + copied_depth * A_s1];
            }
          }
        }
      }
      for (int64_t tile_column = 0; tile_column < (block_columns + 3) / 4; ++tile_column) {
        const int64_t column_at = first_column + tile_column * 4;
        const int64_t tile_width = tn_i64_min_portable(block_columns - tile_column * 4, 4);
        const int64_t whole_tiles = block_rows / 4;
        for (int64_t tile_row = 0; tile_row < whole_tiles + (block_rows - whole_tiles * 4); ++tile_row) {
          const int64_t row = first_row + (tile_row < whole_tiles ? tile_row : whole_tiles) * 4 +
              (tile_row - (tile_row < whole_tiles ? tile_row : whole_tiles));
          const int64_t height = tn_i64_min_portable(tile_row < whole_tiles ? 4 : 1, first_row + block_rows - row);
          if (tile_row < whole_tiles) {
            if (pack_all || tile_width < 4) {
              if (tile_width > 1) {
                if (A_s1 != 1) {
                  tn_tile_4x4_f32_steps_portable(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, packed + tile_column * depth * 4, tile, depth,
                      4, 1);
                } else {
                  tn_tile_4x4_f32_steps_portable(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_4x1of4_f32_steps_portable(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, packed + tile_column * depth * 4, tile, depth,
                      4, 1);
                } else {
                  tn_tile_4x1of4_f32_steps_portable(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_4x4_f32_steps_portable(rows_copied + (row - first_row) * row_pitch,
                    rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                    rows_copied + (row + 3 - first_row) * row_pitch, B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_4x4_f32_steps_portable(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                    A + (row + 3) * A_s0, B + column_at, tile, depth, B_s0, A_s1);
              }
            }
          } else {
            if (pack_all || tile_width < 4) {
              if (tile_width > 1) {
                if (A_s1 != 1) {
                  tn_tile_1x4_f32_steps_portable(rows_copied + (tn_i64_min_portable(row, rows - 1) - first_row) *
                      row_pitch, packed + tile_column * depth * 4, tile, depth, 4, 1);
                } else {
                  tn_tile_1x4_f32_steps_portable(A + tn_i64_min_portable(row, rows - 1) * A_s0,
                      packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_1x1of4_f32_steps_portable(rows_copied + (tn_i64_min_portable(row, rows - 1) - first_row) *
                      row_pitch, packed + tile_column * depth * 4, tile, depth, 4, 1);
                } else {
                  tn_tile_1x1of4_f32_steps_portable(A + tn_i64_min_portable(row, rows - 1) * A_s0,
                      packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_1x4_f32_steps_portable(rows_copied + (tn_i64_min_portable(row, rows - 1) - first_row) *
                    row_pitch, B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_1x4_f32_steps_portable(A + tn_i64_min_portable(row, rows - 1) * A_s0, B + column_at, tile,
                    depth, B_s0, A_s1);
              }
            }
          }
          for (int64_t r = 0; r < height; ++r) {
            for (int64_t q = 0; q < tile_width; ++q) {
              Y[(row + r) * N + (column_at + q)] = (alpha == 0.0f ? 0.0f : alpha * tile[r * 4 + q]) +
                  (beta == 0.0f ? 0.0f : beta * C[(row + r) * C_s0 + (column_at + q) * C_s1]);
            }
          }
        }
      }
    }
  }
  return 0;
}

/* Bytes of workspace that tn_gemm_f32_portable takes. */
static int64_t tn_gemm_f32_portable_workspace(const int64_t *size, const tn_scalar *attr) {
  (void)attr;
  const int64_t M = size[0];
  const int64_t K = size[1];
  const int64_t N = size[2];
  return (tn_i64_min_portable(M, tn_i64_max_portable(2048 / (K > 1 ? K : 1), 1) * 4) * K * 4 + 63) / 64 * 64 +
      ((tn_i64_min_portable(N, tn_i64_max_portable(16384 / (K > 1 ? K : 1), 1) * 4) + 3) / 4 * 4 * K * 4 + 63) / 64 *
      64 + 63;
}

/*
 * Y[m,n] = select(alpha == 0, 0, alpha*sum[k](A[m,k]*B[k,n])) + select(beta == 0, 0, beta*opt(C[m,n], 0))
 * tensors: A f32[M, K], B f32[K, N], Y f32[M, N]
 * computes in f32, accumulates in f32; blueprint contraction/portable
 * cost: 2*K*M*N + 3*M*N operations, 4*K*M + 4*K*N + 4*M*N bytes
 */
static int tn_gemm_f32_noC_portable(const int64_t *size, const tn_scalar *attr, const void *const *in,
    void *const *out, void *workspace) {
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
  float tile[16];
  unsigned char *free_memory = (unsigned char *)workspace + (-(uintptr_t)workspace & 63u);
  float *restrict rows_copied = (float *)(void *)free_memory;
  free_memory += (tn_i64_min_portable(M, tn_i64_max_portable(2048 / (K > 1 ? K : 1), 1) * 4) * K * 4 + 63) / 64 * 64;
  float *restrict packed = (float *)(void *)free_memory;
  const int64_t rows = M;
  const int64_t columns = N;
  const int64_t depth = K;
  const int64_t rows_cached = tn_i64_max_portable(2048 / (depth > 1 ? depth : 1), 1) * 4;
  const int64_t columns_packed = tn_i64_min_portable(N, tn_i64_max_portable(16384 / (K > 1 ? K : 1), 1) * 4);
  const int pack_all = rows > 4 || B_s1 != 1;
  for (int64_t column_block = 0; column_block < tn_i64_floordiv_portable(columns + columns_packed - 1,
      columns_packed > 1 ? columns_packed : 1); ++column_block) {
    const int64_t first_column = column_block * columns_packed;
    const int64_t block_columns = tn_i64_min_portable(columns_packed, columns - first_column);
    for (int64_t panel = 0; panel < (block_columns + 3) / 4; ++panel) {
      const int64_t column = first_column + panel * 4;
      const int64_t width = tn_i64_min_portable(block_columns - panel * 4, 4);
      if (pack_all || width < 4) {
        for (int64_t lane = 0; lane < width; ++lane) {
          for (int64_t k = 0; k < K; ++k) {
            packed[panel * K * 4 + k * 4 + lane] = B[k * B_s0 + (column + lane) * B_s1];
          }
        }
        for (int64_t lane = width; lane < 4; ++lane) {
          for (int64_t k = 0; k < K; ++k) {
            packed[panel * K * 4 + k * 4 + lane] = 0.0f;
          }
        }
      }
    }
    for (int64_t row_block = 0; row_block < tn_i64_floordiv_portable(rows + rows_cached - 1, rows_cached); ++row_block)
        {
      const int64_t row_pitch = depth;
      const int64_t first_row = row_block * rows_cached;
      const int64_t block_rows = tn_i64_min_portable(rows_cached, rows - first_row);
      if (A_s1 != 1) {
        for (int64_t strip = 0; strip < (block_rows + 3) / 4; ++strip) {
          for (int64_t copied_depth = 0; copied_depth < depth; ++copied_depth) {
            for (int64_t copied_row = 0; copied_row < tn_i64_min_portable(4, block_rows - strip * 4); ++copied_row) {
              rows_copied[(strip * 4 + copied_row) * row_pitch + copied_depth] =
                  A[(first_row + (strip * 4 + copied_row)) * A_s0 + copied_depth * A_s1];
            }
          }
        }
      }
      for (int64_t tile_column = 0; tile_column < (block_columns + 3) / 4; ++tile_column) {
        const int64_t column_at = first_column + tile_column * 4;
        const int64_t tile_width = tn_i64_min_portable(block_columns - tile_column * 4, 4);
        const int64_t whole_tiles = block_rows / 4;
        for (int64_t tile_row = 0; tile_row < whole_tiles + (block_rows - whole_tiles * 4); ++tile_row) {
          const int64_t row = first_row + (tile_row < whole_tiles ? tile_row : whole_tiles) * 4 +
              (tile_row - (tile_row < whole_tiles ? tile_row : whole_tiles));
          const int64_t height = tn_i64_min_portable(tile_row < whole_tiles ? 4 : 1, first_row + block_rows - row);
          if (tile_row < whole_tiles) {
            if (pack_all || tile_width < 4) {
              if (tile_width > 1) {
                if (A_s1 != 1) {
                  tn_tile_4x4_f32_steps_portable(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, packed + tile_column * depth * 4, tile, depth,
                      4, 1);
                } else {
                  tn_tile_4x4_f32_steps_portable(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_4x1of4_f32_steps_portable(rows_copied + (row - first_row) * row_pitch,
                      rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                      rows_copied + (row + 3 - first_row) * row_pitch, packed + tile_column * depth * 4, tile, depth,
                      4, 1);
                } else {
                  tn_tile_4x1of4_f32_steps_portable(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                      A + (row + 3) * A_s0, packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_4x4_f32_steps_portable(rows_copied + (row - first_row) * row_pitch,
                    rows_copied + (row + 1 - first_row) * row_pitch, rows_copied + (row + 2 - first_row) * row_pitch,
                    rows_copied + (row + 3 - first_row) * row_pitch, B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_4x4_f32_steps_portable(A + row * A_s0, A + (row + 1) * A_s0, A + (row + 2) * A_s0,
                    A + (row + 3) * A_s0, B + column_at, tile, depth, B_s0, A_s1);
              }
            }
          } else {
            if (pack_all || tile_width < 4) {
              if (tile_width > 1) {
                if (A_s1 != 1) {
                  tn_tile_1x4_f32_steps_portable(rows_copied + (tn_i64_min_portable(row, rows - 1) - first_row) *
                      row_pitch, packed + tile_column * depth * 4, tile, depth, 4, 1);
                } else {
                  tn_tile_1x4_f32_steps_portable(A + tn_i64_min_portable(row, rows - 1) * A_s0,
                      packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              } else {
                if (A_s1 != 1) {
                  tn_tile_1x1of4_f32_steps_portable(rows_copied + (tn_i64_min_portable(row, rows - 1) - first_row) *
                      row_pitch, packed + tile_column * depth * 4, tile, depth, 4, 1);
                } else {
                  tn_tile_1x1of4_f32_steps_portable(A + tn_i64_min_portable(row, rows - 1) * A_s0,
                      packed + tile_column * depth * 4, tile, depth, 4, A_s1);
                }
              }
            } else {
              if (A_s1 != 1) {
                tn_tile_1x4_f32_steps_portable(rows_copied + (tn_i64_min_portable(row, rows - 1) - first_row) *
                    row_pitch, B + column_at, tile, depth, B_s0, 1);
              } else {
                tn_tile_1x4_f32_steps_portable(A + tn_i64_min_portable(row, rows - 1) * A_s0, B + column_at, tile,
                    depth, B_s0, A_s1);
              }
            }
          }
          for (int64_t r = 0; r < height; ++r) {
            for (int64_t q = 0; q < tile_width; ++q) {
              Y[(row + r) * N + (column_at + q)] = (alpha == 0.0f ? 0.0f : alpha * tile[r * 4 + q]) +
                  (beta == 0.0f ? 0.0f : beta * 0.0f);
            }
          }
        }
      }
    }
  }
  return 0;
}

/* Bytes of workspace that tn_gemm_f32_noC_portable takes. */
static int64_t tn_gemm_f32_noC_portable_workspace(const int64_t *size, const tn_scalar *attr) {
  (void)attr;
  const int64_t M = size[0];
  const int64_t K = size[1];
  const int64_t N = size[2];
  return (tn_i64_min_portable(M, tn_i64_max_portable(2048 / (K > 1 ? K : 1), 1) * 4) * K * 4 + 63) / 64 * 64 +
      ((tn_i64_min_portable(N, tn_i64_max_portable(16384 / (K > 1 ? K : 1), 1) * 4) + 3) / 4 * 4 * K * 4 + 63) / 64 *
      64 + 63;
}

extern const tn_core tn_cores_gemm_portable[];
const tn_core tn_cores_gemm_portable[] = {
    {tn_gemm_f32_portable, tn_gemm_f32_portable_workspace},
    {tn_gemm_f32_noC_portable, tn_gemm_f32_noC_portable_workspace},
};
