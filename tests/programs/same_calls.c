/* Calls of a library with workers give the bytes of calls without: 1, 2, 3 and 8 threads of its pool, every level. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tn.h"
#include "tn_threads.h"

enum { MOST = 1 << 16 };
static float a[MOST], b[MOST], expected[MOST], found[MOST];

static int gemm(const tn_context* on, float* y, int64_t m) {
  tn_gemm_dims d = {0};
  d.M = m, d.K = 37, d.N = 45;
  const size_t bytes = tn_gemm_f32_on_workspace(on, &d, NULL);
  void* w = malloc(bytes + 1);
  const int status = on == NULL ? tn_gemm_f32(&d, NULL, a, b, NULL, y, w, bytes)
                                : tn_gemm_f32_on(on, &d, NULL, a, b, NULL, y, w, bytes);
  free(w);
  return status;
}

/* One row of the left side, long and contiguous on both sides: several columns at a time. */
static int long_rows(const tn_context* on, float* y, int64_t columns) {
  const tn_gemm_dims d = {.M = 1, .K = 1100, .N = columns + 27};
  tn_gemm_attrs attrs;
  tn_gemm_defaults(&attrs, TN_F32);
  attrs.transB = 1;
  const size_t bytes = tn_gemm_f32_on_workspace(on, &d, &attrs);
  void* w = malloc(bytes + 1);
  const int status = tn_gemm_f32_on(on, &d, &attrs, a, b, NULL, y, w, bytes);
  free(w);
  return status;
}

static int conv(const tn_context* on, float* y, int64_t channels) {
  const tn_conv2d_dims d = {2, channels, 13, 11, 5, 3, 3};
  tn_conv2d_attrs attrs;
  tn_conv2d_defaults(&attrs);
  for (int k = 0; k < 4; ++k) attrs.pads[k] = 1;
  const size_t bytes = tn_conv2d_f32_on_workspace(on, &d, &attrs);
  void* w = malloc(bytes + 1);
  const int status = tn_conv2d_f32_on(on, &d, &attrs, a, b, NULL, y, w, bytes);
  free(w);
  return status;
}

/* 3 images, 2 groups, and products of run-time sizes that are scattered. */
static int transposed(const tn_context* on, float* y, int64_t channels) {
  const tn_conv_transpose2d_dims d = {3, 2 * channels, 9, 7, 5, 3, 2};
  tn_conv_transpose2d_attrs attrs;
  tn_conv_transpose2d_defaults(&attrs);
  attrs.groups = 2, attrs.stride[0] = attrs.stride[1] = 2;
  const size_t bytes = tn_conv_transpose2d_f32_on_workspace(on, &d, &attrs);
  void* w = malloc(bytes + 1);
  const int status = tn_conv_transpose2d_f32_on(on, &d, &attrs, a, b, NULL, y, w, bytes);
  free(w);
  return status;
}

static int softmax(const tn_context* on, float* y, int64_t rows) {
  const tn_softmax_dims d = {{1, {rows}}, 33, {1, {rows % 3 + 1}}};
  const size_t bytes = tn_softmax_f32_on_workspace(on, &d, NULL);
  void* w = malloc(bytes + 1);
  tn_softmax_attrs attrs = {1};
  const int status = tn_softmax_f32_on(on, &d, &attrs, a, y, w, bytes);
  free(w);
  return status;
}

static int relu(const tn_context* on, float* y, int64_t n) {
  const tn_relu_dims d = {{1, {n * n}}};
  return tn_relu_f32_on(on, &d, a, y, NULL, 0);
}

static int sum(const tn_context* on, float* y, int64_t n) {
  const tn_sum_dims d = {{1, {n}}, {1, {41}}, {1, {n}}};
  tn_sum_attrs attrs = {0};
  const size_t bytes = tn_sum_f32_on_workspace(on, &d, &attrs);
  void* w = malloc(bytes + 1);
  const int status = tn_sum_f32_on(on, &d, &attrs, a, y, w, bytes);
  free(w);
  return status;
}

/* Over images, rows and columns, which are apart: in two steps. */
static int channels(const tn_context* on, float* y, int64_t images) {
  const int64_t shape[4] = {images, 5, 3, 41}, kept[1] = {5}, axes[3] = {0, 2, 3};
  const tn_attr attrs[1] = {{"axes", 3, axes, NULL}};
  tn_tensor in = {.data = a, .ndim = 4, .shape = (int64_t*)shape, .device = {1, 0}, .dtype = {2, 32, 1}};
  tn_tensor out = {.data = y, .ndim = 1, .shape = (int64_t*)kept, .device = {1, 0}, .dtype = {2, 32, 1}};
  const tn_tensor* ins[1] = {&in};
  tn_tensor* outs[1] = {&out};
  const tn_kernel* k = tn_find("sum", TN_F32, 4);
  const int64_t bytes = tn_workspace_on(on, k, ins, attrs, 1);
  if (bytes < 0) return (int)bytes;
  void* w = malloc((size_t)bytes + 1);
  const int status = tn_call_on(on, k, ins, attrs, 1, outs, w, (size_t)bytes);
  free(w);
  return status;
}

/* One image of one channel: workers share its rows, which are made by blocks. */
static int pool(const tn_context* on, float* y, int64_t rows) {
  const tn_maxpool2d_dims d = {1, 1, 2 * rows, 45};
  tn_maxpool2d_attrs attrs = {{3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 0};
  const size_t bytes = tn_maxpool2d_f32_on_workspace(on, &d, &attrs);
  void* w = malloc(bytes + 1);
  const int status = tn_maxpool2d_f32_on(on, &d, &attrs, a, y, w, bytes);
  free(w);
  return status;
}

typedef int call(const tn_context* on, float* y, int64_t n);

/* One call without a context and with each; 1: they differ. */
static int differs(const char* name, call* op, int64_t n, const tn_context* contexts, int count) {
  int wrong = 0;
  memset(expected, 0x55, sizeof expected);
  const int status = op(NULL, expected, n);
  for (int k = 0; k < count; ++k) {
    memset(found, 0x55, sizeof found);
    if (op(&contexts[k], found, n) == status && status == 0 && memcmp(expected, found, sizeof found) == 0) continue;
    printf("%s of %d on %d threads at %s: status %d\n", name, (int)n, contexts[k].workers, tn_active_isa(), status);
    wrong = 1;
  }
  return wrong;
}

int main(void) {
  static const char* const levels[] = {"portable", "x86-64-v2", "x86-64-v3", "x86-64-v4", "neon"};
  static const int workers[] = {1, 2, 3, 8};
  static const int64_t sizes[] = {1, 2, 3, 7, 16, 31};
  static const struct {
    const char* name;
    call* op;
  } ops[] = {{"gemm", gemm},        {"long rows", long_rows}, {"conv2d", conv}, {"conv_transpose2d", transposed},
             {"softmax", softmax},  {"relu", relu},           {"sum", sum},     {"maxpool2d", pool},
             {"channels", channels}};
  tn_context contexts[4];
  int wrong = 0;
  for (int k = 0; k < MOST; ++k)
    a[k] = (float)(k * 7919 % 1009 - 500) / 499, b[k] = (float)(k * 10007 % 997 - 490) / 503;
  for (int k = 0; k < 4; ++k)
    if (tn_start_threads(&contexts[k], workers[k]) != 0) return 2;
  for (size_t l = 0; l < sizeof levels / sizeof *levels; ++l) {
    if (tn_force_isa(levels[l]) != 0) continue;
    for (size_t o = 0; o < sizeof ops / sizeof *ops; ++o)
      for (size_t n = 0; n < sizeof sizes / sizeof *sizes; ++n)
        wrong |= differs(ops[o].name, ops[o].op, sizes[n], contexts, 4);
  }
  for (int k = 0; k < 4; ++k) tn_stop_threads(&contexts[k]);
  return wrong;
}
