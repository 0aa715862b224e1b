/* The kernels of tests/bench/run as plain loops over libm.
 *   plain NAME make X.npy "SHAPE"     writes an input
 *   plain NAME check X.npy Y.npy      compares an output, status 1 where it differs
 *   plain NAME time X.npy             prints the least time of 50 calls
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most = 1 << 20, header = 128 };
static float x[most], y[most], got[most], weights[most];

static void rows_softmax(void) {
  for (int r = 0; r < 1024; ++r) {
    const float *in = x + r * 1024;
    float *out = y + r * 1024, top = in[0], sum = 0;
    for (int c = 1; c < 1024; ++c) top = in[c] > top ? in[c] : top;
    for (int c = 0; c < 1024; ++c) sum += out[c] = expf(in[c] - top);
    for (int c = 0; c < 1024; ++c) out[c] /= sum;
  }
}

static void product(int rows, int depth) {
  memset(y, 0, sizeof(float) * (size_t)(rows * depth));
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < depth; ++k)
      for (int c = 0; c < depth; ++c) y[r * depth + c] += x[r * depth + k] * weights[k * depth + c];
}

static void filter(int channels, int extent) {
  for (int c = 0; c < channels; ++c)
    for (int i = 0; i < extent; ++i)
      for (int j = 0; j < extent; ++j) {
        float sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (i + dy >= 0 && i + dy < extent && j + dx >= 0 && j + dx < extent)
              sum += x[(c * extent + i + dy) * extent + j + dx] * weights[c * 9 + (dy + 1) * 3 + dx + 1];
        y[(c * extent + i) * extent + j] = sum;
      }
}

/* Fills y from x; the number of its elements, 0 for an unknown name. */
static int run(const char *name) {
  if (strcmp(name, "softmax") == 0) return rows_softmax(), most;
  if (strcmp(name, "gemm") == 0) return product(256, 256), 256 * 256;
  if (strcmp(name, "gemv") == 0) return product(1, 1024), 1024;
  if (strcmp(name, "depthwise") == 0) return filter(64, 56), 64 * 56 * 56;
  if (strcmp(name, "exp") == 0) {
    for (int i = 0; i < most; ++i) y[i] = expf(x[i]);
    return most;
  }
  if (strcmp(name, "erf") == 0) {
    for (int i = 0; i < most; ++i) y[i] = erff(x[i]);
    return most;
  }
  if (strcmp(name, "gelu") == 0) {
    for (int i = 0; i < most; ++i) y[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
    return most;
  }
  if (strcmp(name, "transpose") == 0) {
    for (int r = 0; r < 1024; ++r)
      for (int c = 0; c < 1024; ++c) y[r * 1024 + c] = x[c * 1024 + r];
    return most;
  }
  return 0;
}

static int fail(const char *what, const char *of) {
  fprintf(stderr, "plain: %s %s\n", what, of);
  return 1;
}

static int make(const char *path, const char *shape) {
  size_t n = 1;
  for (const char *p = shape; *p != '\0'; p += strcspn(p, "0123456789")) n *= (size_t)strtol(p, (char **)&p, 10);
  FILE *f = fopen(path, "wb");
  if (f == NULL) return fail("cannot write", path);
  fprintf(f, "\x93NUMPY\x01%c\x76%c%-117s\n", 0, 0, "");
  fseek(f, 10, SEEK_SET);
  fprintf(f, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape);
  fseek(f, header, SEEK_SET);
  for (size_t i = 0; i < n; ++i) x[i] = (float)((i * 7919 + 13) % 4001) / 1000 - 2;
  fwrite(x, sizeof(float), n, f);
  return fclose(f);
}

static size_t load(const char *path, float *to) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return 0;
  fseek(f, header, SEEK_SET);
  const size_t n = fread(to, sizeof(float), most, f);
  fclose(f);
  return n;
}

static int check(const char *name, const char *path) {
  const int n = run(name);
  if (load(path, got) != (size_t)n) return fail("other number of elements in", path);
  for (int i = 0; i < n; ++i)
    if (fabsf(got[i] - y[i]) > 1e-5f + 1e-4f * fabsf(y[i])) return fail("other values in", path);
  return 0;
}

static int times(const char *name) {
  double best = 1e30;
  for (int call = 0; call < 50; ++call) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    run(name);
    clock_gettime(CLOCK_MONOTONIC, &to);
    best = fmin(best, (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3);
  }
  printf("time: min %.3f us\n", best);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 4) return fail("usage: plain", "NAME make|check|time FILE …");
  for (int i = 0; i < most; ++i) weights[i] = 0.01f;
  if (strcmp(argv[2], "make") == 0 && argc > 4) return make(argv[3], argv[4]);
  if (load(argv[3], x) == 0) return fail("cannot read", argv[3]);
  if (strcmp(argv[2], "check") == 0 && argc > 4) return check(argv[1], argv[4]);
  return times(argv[1]);
}
