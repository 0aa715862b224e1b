/* Compares the functions of a level with the portable ones on random and special values: included behind the table `cases`. */
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 11;
}

static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 127.0, 128.0, -128.0, -129.0, 255.0, 256.0, 65504.0, 65519.0,
                                 65520.0, 2147483648.0, 2147483647.0, -2147483648.0, -2147483649.0, 4294967296.0, 4294967295.0,
                                 9223372036854775808.0, -9223372036854775808.0, 18446744073709551616.0, 1e30, -1e30, 1e-40, 1e-8, 6e-8, 5.9e-8,
                                 1e300, -1e300, 1e-310, 8388607.5, 8388608.5, 4503599627370495.5, 1e39, 3e38};

static double draw_number(void) {
  const uint64_t kind = draw() % 41;
  if (kind == 1) return (double)NAN_VALUE;
  if (kind == 2) return (draw() & 1) != 0 ? (double)INFINITE_VALUE : -(double)INFINITE_VALUE;
  if (kind % 4 == 0) return special[draw() % (sizeof special / sizeof *special)];
  double v = (double)draw() / 4503599627370496.0 - 1.0;
  if (kind % 4 == 1) return v * 10;
  if (kind % 4 == 2) return (double)(int)(v * 100);
  int e = (int)(draw() % 80) - 40;
  for (; e > 0; --e) v *= 2;
  for (; e < 0; ++e) v /= 2;
  return v;
}

static uint64_t draw_integer(void) {
  const uint64_t v = draw() << 11 ^ draw(), edge = (uint64_t)1 << 63 | (uint64_t)1 << 31 | 1 << 15 | 1 << 7;
  switch (draw() % 6) {
    case 0: return v >> 60;
    case 1: return (uint64_t)0 - (v >> 60);
    case 2: return edge;
    case 3: return ~edge;
    case 4: return v >> 40;
    default: return v;
  }
}

/* Letters of types: f d floats, c z complex, h half, b bool, 1 2 4 8 integers by their bytes. */
static int bytes_of(char t) { return t == 'b' || t == '1' ? 1 : t == 'h' || t == 'H' || t == '2' ? 2 : t == 'f' || t == '4' ? 4 : t == 'z' ? 16 : 8; }

static void fill(unsigned char *p, char t, int64_t n) {
  for (int64_t i = 0; i < n * (t == 'c' || t == 'z' ? 2 : 1); ++i) {
    const double d = draw_number();
    const float f = (float)d;
    const uint64_t u = t == 'b' ? draw() & 1 : t == 'h' || t == 'H' ? draw() : draw_integer();
    if (t == 'f' || t == 'c') memcpy(p + i * 4, &f, 4);
    else if (t == 'd' || t == 'z') memcpy(p + i * 8, &d, 8);
    else memcpy(p + i * bytes_of(t), &u, (size_t)bytes_of(t));
  }
}

static int both_nan(const unsigned char *a, const unsigned char *b, char t) {
  float f, g;
  double d, e;
  uint16_t h, k;
  switch (t) {
    case 'f': case 'c': memcpy(&f, a, 4), memcpy(&g, b, 4); return f != f && g != g;
    case 'd': case 'z': memcpy(&d, a, 8), memcpy(&e, b, 8); return d != d && e != e;
    case 'h': memcpy(&h, a, 2), memcpy(&k, b, 2); return (h & 0x7fff) > 0x7c00 && (k & 0x7fff) > 0x7c00;
    case 'H': memcpy(&h, a, 2), memcpy(&k, b, 2); return (h & 0x7fff) > 0x7f80 && (k & 0x7fff) > 0x7f80;
    default: return 0;
  }
}

/* Same bits, or NaN on both sides; zeros of either sign are the same where the case says so. */
static int64_t first_difference(const unsigned char *a, const unsigned char *b, char t, int64_t n) {
  const int part = t == 'c' ? 4 : t == 'z' ? 8 : bytes_of(t);
  for (int64_t i = 0; i < n * bytes_of(t); i += part)
    if (memcmp(a + i, b + i, (size_t)part) != 0 && !both_nan(a + i, b + i, t)) return i / bytes_of(t);
  return -1;
}

static int check(const struct test_case *c, int64_t n) {
  unsigned char *in[3] = {0, 0, 0}, *y[2];
  const void *args[3] = {0, 0, 0};
  const int width = bytes_of(c->result);
  int bad = 0;
  for (int k = 0; c->inputs[k] != 0; ++k) {
    in[k] = malloc((size_t)(n * bytes_of(c->inputs[k])) + 1);
    fill(in[k], c->inputs[k], n);
    args[k] = in[k];
  }
  for (int k = 0; k < 2; ++k) {
    y[k] = malloc((size_t)(n * width) + 64);
    memset(y[k], 77, (size_t)(n * width) + 64);
    void *out[1] = {y[k]};
    (k == 0 ? c->portable : c->level)(&n, 0, args, out, 0);
  }
  const int64_t at = first_difference(y[0], y[1], c->result, n);
  if (at >= 0) printf("%s: element %d of %d differs\n", c->name, (int)at, (int)n), bad = 1;
  for (int k = 0; k < 64; ++k)
    if (y[1][n * width + k] != 77 && !bad) printf("%s: stores behind element %d\n", c->name, (int)n), bad = 1;
  for (int k = 0; k < 3; ++k) free(in[k]);
  free(y[0]);
  free(y[1]);
  return bad;
}

int main(void) {
  int bad = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int wrong = 0;
    for (int64_t n = 0; n < 70 && !wrong; n = n < 36 ? n + 1 : n + 11) wrong = check(&cases[i], n);
    for (int repeat = 0; repeat < 6 && !wrong; ++repeat) wrong = check(&cases[i], 257);
    bad += wrong;
  }
  return bad != 0;
}
