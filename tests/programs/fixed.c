/* Calls of a library with fixed bodies (prefix fx) give what a library without them (prefix tn) gives, for sizes that match and for
   others, in exactly the workspace that they ask for: fixed LEVEL. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fx.h"
#include "tn.h"

enum { MOST = 1 << 16, TENSORS = 3 };
static float data[TENSORS][MOST], expected[MOST], found[MOST];

/* An operand: extents until 0, and elements that each line of the last dimension has behind it. */
typedef struct {
  int64_t dim[5];
  int64_t gap;
} operand;

typedef struct {
  const char* op;
  operand in[TENSORS];
  const char* attr[3];
  int64_t value[3][4], count[3];
  int reals;
} test;

#define CALLS(prefix, PREFIX, to)                                                                                     \
  static int prefix##_run(const test* t, const char* level, int64_t* n) {                                             \
    static int64_t shape[TENSORS + 1][8], stride[TENSORS][8];                                                         \
    static double real[3];                                                                                            \
    prefix##_tensor in[TENSORS + 1];                                                                                  \
    const prefix##_tensor* given[TENSORS] = {0};                                                                      \
    prefix##_tensor* out[1] = {&in[TENSORS]};                                                                         \
    prefix##_attr attrs[3];                                                                                           \
    int n_attrs = 0, status;                                                                                          \
    memset(in, 0, sizeof in);                                                                                         \
    for (int k = 0; k <= TENSORS; ++k) {                                                                              \
      in[k].device.type = 1, in[k].dtype.code = 2, in[k].dtype.bits = 32, in[k].dtype.lanes = 1;                      \
      in[k].shape = shape[k];                                                                                         \
      if (k == TENSORS || t->in[k].dim[0] == 0) continue;                                                             \
      while (in[k].ndim < 5 && t->in[k].dim[in[k].ndim] != 0) {                                                       \
        shape[k][in[k].ndim] = t->in[k].dim[in[k].ndim];                                                              \
        ++in[k].ndim;                                                                                                 \
      }                                                                                                               \
      int64_t step = 1;                                                                                               \
      for (int d = in[k].ndim; d-- > 0;) {                                                                            \
        stride[k][d] = step;                                                                                          \
        step = step * shape[k][d] + (d == in[k].ndim - 1 ? t->in[k].gap : 0);                                         \
      }                                                                                                               \
      in[k].strides = stride[k], in[k].data = data[k];                                                                \
      given[k] = &in[k];                                                                                              \
    }                                                                                                                 \
    for (; n_attrs < 3 && t->attr[n_attrs] != NULL; ++n_attrs) {                                                      \
      real[n_attrs] = (double)t->value[n_attrs][0] / 4;                                                               \
      attrs[n_attrs].name = t->attr[n_attrs], attrs[n_attrs].count = (int32_t)t->count[n_attrs];                      \
      attrs[n_attrs].i = t->reals ? NULL : t->value[n_attrs], attrs[n_attrs].f = t->reals ? &real[n_attrs] : NULL;    \
    }                                                                                                                 \
    if ((status = prefix##_force_isa(level)) != 0) return status;                                                     \
    const prefix##_kernel* kernel = prefix##_find(t->op, PREFIX##_F32, in[0].ndim);                                   \
    if (kernel == NULL) return 1;                                                                                     \
    if ((status = prefix##_infer(kernel, given, attrs, n_attrs, out)) != 0) return status;                            \
    *n = 1;                                                                                                           \
    for (int d = 0; d < out[0]->ndim; ++d) *n *= out[0]->shape[d];                                                    \
    if (*n > MOST) return 2;                                                                                          \
    const int64_t bytes = prefix##_workspace(kernel, given, attrs, n_attrs);                                          \
    if (bytes < 0) return (int)bytes;                                                                                 \
    void* workspace = bytes > 0 ? malloc((size_t)bytes) : NULL;                                                       \
    out[0]->data = to;                                                                                                \
    status = prefix##_call(kernel, given, attrs, n_attrs, out, workspace, (size_t)bytes);                             \
    free(workspace);                                                                                                  \
    return status;                                                                                                    \
  }

CALLS(tn, TN, expected)
CALLS(fx, FX, found)

static const test tests[] = {
    {"gemm", {{{64, 64}, 0}, {{64, 64}, 0}}, {0}, {{0}}, {0}, 0},
    {"gemm", {{{64, 64}, 0}, {{64, 64}, 0}, {{64, 64}, 0}}, {0}, {{0}}, {0}, 0},
    {"gemm", {{{64, 64}, 0}, {{64, 64}, 0}, {{64}, 0}}, {"beta"}, {{2}}, {1}, 1},
    {"gemm", {{{64, 64}, 5}, {{64, 64}, 0}}, {0}, {{0}}, {0}, 0},
    {"gemm", {{{64, 64}, 0}, {{64, 64}, 3}}, {"transB"}, {{1}}, {1}, 0},
    {"gemm", {{{64, 64}, 0}, {{64, 64}, 0}}, {"transB"}, {{1}}, {1}, 0},
    {"gemm", {{{8, 64}, 0}, {{64, 64}, 0}}, {0}, {{0}}, {0}, 0},
    {"gemm", {{{1, 33}, 0}, {{33, 70}, 0}}, {0}, {{0}}, {0}, 0},
    {"gemm", {{{65, 64}, 0}, {{64, 64}, 0}}, {0}, {{0}}, {0}, 0},
    {"gemm", {{{7, 5}, 0}, {{5, 9}, 0}, {{7, 9}, 0}}, {"alpha", "beta"}, {{4}, {0}}, {1, 1}, 1},
    {"matmul", {{{10, 16, 16}, 0}, {{10, 16, 16}, 0}}, {0}, {{0}}, {0}, 0},
    {"matmul", {{{10, 16, 16}, 0}, {{16, 16}, 0}}, {0}, {{0}}, {0}, 0},
    {"matmul", {{{3, 2, 16, 16}, 1}, {{2, 16, 16}, 0}}, {0}, {{0}}, {0}, 0},
    {"conv2d", {{{1, 16, 14, 14}, 0}, {{32, 16, 3, 3}, 0}, {{32}, 0}}, {"pads"}, {{1, 1, 1, 1}}, {4}, 0},
    {"conv2d", {{{2, 3, 17, 15}, 0}, {{5, 3, 3, 3}, 0}}, {0}, {{0}}, {0}, 0},
    {"conv2d", {{{1, 8, 14, 14}, 0}, {{8, 1, 3, 3}, 0}}, {"pads", "groups"}, {{1, 1, 1, 1}, {8}}, {4, 1}, 0},
    {"conv2d", {{{1, 8, 14, 14}, 0}, {{8, 8, 3, 3}, 0}}, {"stride"}, {{2, 1}}, {2}, 0},
    {"conv2d", {{{1, 8, 14, 14}, 2}, {{8, 8, 3, 3}, 0}}, {"dilation"}, {{2, 2}}, {2}, 0},
    {"conv2d", {{{1, 8, 14, 14}, 0}, {{8, 8, 5, 5}, 0}}, {0}, {{0}}, {0}, 0},
    {"conv2d", {{{1, 4, 8, 8}, 0}, {{4, 4, 1, 1}, 0}}, {0}, {{0}}, {0}, 0},
    {"conv2d", {{{1, 4, 9, 8}, 0}, {{4, 4, 1, 1}, 0}}, {0}, {{0}}, {0}, 0},
    {"softmax", {{{100, 10}, 0}}, {0}, {{0}}, {0}, 0},
    {"softmax", {{{100, 10}, 3}}, {0}, {{0}}, {0}, 0},
    {"softmax", {{{10, 100}, 0}}, {"axis"}, {{0}}, {1}, 0},
    {"softmax", {{{100, 11}, 0}}, {0}, {{0}}, {0}, 0},
    {"layernorm", {{{9, 96}, 0}, {{96}, 0}}, {0}, {{0}}, {0}, 0},
    {"layernorm", {{{9, 97}, 0}, {{97}, 0}, {{97}, 0}}, {0}, {{0}}, {0}, 0},
    {"relu", {{{64, 64}, 0}}, {0}, {{0}}, {0}, 0},
    {"relu", {{{64, 64}, 1}}, {0}, {{0}}, {0}, 0},
    {"leaky_relu", {{{5, 64}, 0}}, {"alpha"}, {{0}}, {1}, 1},
    {"leaky_relu", {{{5, 64}, 1}}, {"alpha"}, {{1}}, {1}, 1},
    {"leaky_relu", {{{5, 64}, 0}}, {"alpha"}, {{1}}, {1}, 1},
    {"add", {{{50, 64}, 0}, {{64}, 0}}, {0}, {{0}}, {0}, 0},
    {"add", {{{50, 64}, 0}, {{50, 1}, 0}}, {0}, {{0}}, {0}, 0},
    {"maxpool2d", {{{1, 4, 14, 14}, 0}}, {"kernel", "stride"}, {{2, 2}, {2, 2}}, {2, 2}, 0},
    {"maxpool2d", {{{1, 4, 14, 14}, 0}}, {"kernel", "stride"}, {{3, 3}, {1, 1}}, {2, 2}, 0},
};

int main(int argc, char** argv) {
  int failed = argc != 2;
  for (int k = 0; k < TENSORS; ++k)
    for (int i = 0; i < MOST; ++i) data[k][i] = (float)((i * 7919 + k * 31) % 1009 - 504) / 512.0f;
  for (size_t k = 0; argc == 2 && k < sizeof tests / sizeof *tests; ++k) {
    int64_t n = 0, other = 0;
    const int wanted = tn_run(&tests[k], argv[1], &n), status = fx_run(&tests[k], argv[1], &other);
    int wrong = wanted != 0 || status != 0 || n != other;
    for (int64_t i = 0; !wrong && i < n; ++i) /* sums of other accumulators: up to 64 roundings */
      wrong = !(fabsf(found[i] - expected[i]) <= 64 * FLT_EPSILON * (1 + fabsf(expected[i])));
    if (wrong) printf("%s, test %d: status %d and %d\n", tests[k].op, (int)k, wanted, status);
    failed += wrong;
  }
  return failed != 0;
}
