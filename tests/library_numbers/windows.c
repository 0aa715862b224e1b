/* Convolutions of small integers, which are exact in any order: windows of one element and larger ones, steps and
   padding that differ by axis, groups, lines shorter than a vector. */
#include <stdio.h>
#include <stdlib.h>

#include "tn.h"

enum { SPACE = 1 << 17 };

static float x[SPACE], f[SPACE], b[SPACE], y[SPACE];
static int wrong, calls;

/* Element of Y by the definition. */
static float expected(const tn_conv2d_dims* d, const tn_conv2d_attrs* a, int64_t n, int64_t m, int64_t i, int64_t j) {
  const int64_t g = m / d->Mg;
  float sum = b[m];
  for (int64_t c = 0; c < d->Cg; ++c)
    for (int64_t r = 0; r < d->R; ++r)
      for (int64_t s = 0; s < d->S; ++s) {
        const int64_t h = i * a->stride[0] + r * a->dilation[0] - a->pads[0];
        const int64_t w = j * a->stride[1] + s * a->dilation[1] - a->pads[1];
        if (h < 0 || h >= d->H || w < 0 || w >= d->W) continue;
        sum +=
            x[(((n * a->groups + g) * d->Cg + c) * d->H + h) * d->W + w] * f[((m * d->Cg + c) * d->R + r) * d->S + s];
      }
  return sum;
}

/* Memory of exactly the inputs' sizes, so that sanitizers see reads behind them. */
static float* copied(const float* from, int64_t count) {
  float* out = malloc((size_t)(count > 0 ? count : 1) * sizeof *out);
  for (int64_t i = 0; i < count; ++i) out[i] = from[i];
  return out;
}

static void check(const tn_conv2d_dims* d, const tn_conv2d_attrs* a) {
  int64_t shape[4];
  if (tn_conv2d_shape(d, a, shape) != TN_OK) return;
  const int64_t filters = a->groups * d->Mg;
  float* in = copied(x, d->N * a->groups * d->Cg * d->H * d->W);
  float* weights = copied(f, filters * d->Cg * d->R * d->S);
  const size_t bytes = tn_conv2d_f32_workspace(d, a);
  void* workspace = malloc(bytes + 1);
  const int status = tn_conv2d_f32(d, a, in, weights, b, y, workspace, bytes);
  ++calls;
  for (int64_t k = 0; k < shape[0] * shape[1] * shape[2] * shape[3]; ++k) {
    const int64_t j = k % shape[3], i = k / shape[3] % shape[2], m = k / shape[3] / shape[2] % shape[1];
    const float want = expected(d, a, k / shape[3] / shape[2] / shape[1], m, i, j);
    if ((status == TN_OK && y[k] == want) || ++wrong > 20) continue;
    printf("conv2d %dx%d, window %dx%d by %d, %d, %d channels, %d groups: element %d is %g instead of %g\n", (int)d->H,
           (int)d->W, (int)d->R, (int)d->S, (int)a->stride[0], (int)a->stride[1], (int)d->Cg, (int)a->groups, (int)k,
           y[k], want);
  }
  free(in);
  free(weights);
  free(workspace);
}

int main(void) {
  static const int64_t heights[] = {1, 2, 7, 12}, widths[] = {1, 2, 9, 15, 16, 33}, steps[] = {1, 2, 3};
  for (int k = 0; k < SPACE; ++k) {
    x[k] = (float)(k % 13 - 6);
    f[k] = (float)(k % 7 - 3);
    b[k] = (float)(k % 5);
  }
  for (int k = 0; k < 4 * 6 * 3 * 3; ++k)
    for (int of = 0; of < 12; ++of) {
      tn_conv2d_dims d = {.N = 1 + k % 2, .Cg = of % 3 * 4 + 1, .Mg = of % 4 * 6 + 1, .R = 1, .S = 1};
      tn_conv2d_attrs a;
      tn_conv2d_defaults(&a);
      d.H = heights[k / 54];
      d.W = widths[k / 9 % 6];
      a.stride[0] = steps[k / 3 % 3];
      a.stride[1] = steps[k % 3];
      a.groups = 1 + of % 2;
      check(&d, &a);
      a.pads[of % 4] = 1 + k % 2;
      if (of % 3 == 1) d.S = 1 + k % 3;
      check(&d, &a);
    }
  printf("%d of %d convolutions are wrong\n", wrong, calls);
  return wrong != 0;
}
