/* Products of matrices of every kind of number: few and many rows and columns, either side dense along either dim,
   depths of one and of no whole words, zero points. */
#include "uniform.h"

enum { MOST = 40, DEPTHS = 3, SPACE = (MOST + 4) * 135 };

static int64_t numbers_a[SPACE], numbers_b[SPACE];
static union {
  int8_t i8[SPACE];
  uint8_t u8[SPACE];
  uint16_t bf16[SPACE];
  int32_t i32[SPACE];
  float f32[SPACE];
  double f64[2 * SPACE];
} a, b, y;
static const char* level;
static int wrong;

static int is_complex(tn_dtype type) { return type == TN_C64 || type == TN_C128; }

/* Numbers that every type has, and their sums and products too. Imaginary parts are those from the end on. */
static void store(tn_dtype type, void* to, const int64_t* numbers, int64_t n) {
  for (int64_t k = 0; k < n && is_complex(type); ++k)
    for (int64_t part = 0; part < 2; ++part) {
      const int64_t number = numbers[part ? n - 1 - k : k];
      if (type == TN_C64) ((float*)to)[2 * k + part] = (float)number;
      else ((double*)to)[2 * k + part] = (double)number;
    }
  for (int64_t k = 0; k < n && !is_complex(type); ++k) {
    const float value = (float)numbers[k];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    switch (type) {
      case TN_I8: ((int8_t*)to)[k] = (int8_t)numbers[k]; break;
      case TN_U8: ((uint8_t*)to)[k] = (uint8_t)numbers[k]; break;
      case TN_BF16: ((uint16_t*)to)[k] = (uint16_t)(bits >> 16); break;
      case TN_I32: ((int32_t*)to)[k] = (int32_t)numbers[k]; break;
      case TN_F32: ((float*)to)[k] = value; break;
      default: ((double*)to)[k] = value; break;
    }
  }
}

static double result(tn_dtype type, int64_t at) {
  const uint32_t bits = (uint32_t)y.bf16[at] << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return type == TN_I32 ? y.i32[at] : type == TN_F32 ? (double)y.f32[at] : type == TN_F64 ? y.f64[at] : value;
}

typedef struct {
  const char* op;
  tn_dtype of_a, of_b, of_y;
  int64_t zero_a, zero_b;
} product;

static void check_complex(const product* p, int64_t at, const int64_t want[2]) {
  for (int64_t part = 0; part < 2; ++part) {
    const double got = p->of_y == TN_C64 ? (double)y.f32[2 * at + part] : y.f64[2 * at + part];
    if (got != (double)want[part] && ++wrong < 20)
      printf("%s, %s of %d: part %d of element %d is %g, not %d\n", level, p->op, (int)p->of_a, (int)part, (int)at, got,
             (int)want[part]);
  }
}

/* Element i, j of the product of complex numbers. */
static void sum_complex(const int64_t* row, const int64_t* column, int64_t depth, const int64_t step[2],
                        int64_t want[2]) {
  want[0] = want[1] = 0;
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t *u = row + k * step[0], *v = column + k * step[1];
    const int64_t iu = numbers_a[SPACE - 1 - (u - numbers_a)], iv = numbers_b[SPACE - 1 - (v - numbers_b)];
    want[0] += *u * *v - iu * iv;
    want[1] += *u * iv + iu * *v;
  }
}

static const product products[] = {
    {"matmul", TN_F32, TN_F32, TN_F32, 0, 0},    {"matmul", TN_F64, TN_F64, TN_F64, 0, 0},
    {"matmul", TN_C64, TN_C64, TN_C64, 0, 0},    {"matmul", TN_C128, TN_C128, TN_C128, 0, 0},
    {"matmul", TN_BF16, TN_BF16, TN_BF16, 0, 0}, {"matmul", TN_I32, TN_I32, TN_I32, 0, 0},
    {"matmul_i32", TN_I8, TN_I8, TN_I32, 0, 0},  {"matmul_i32", TN_I8, TN_I8, TN_I32, 0, 3},
    {"matmul_i32", TN_I8, TN_U8, TN_I32, 0, 0},  {"matmul_i32", TN_U8, TN_I8, TN_I32, 0, 0},
    {"matmul_i32", TN_U8, TN_I8, TN_I32, 7, 0},  {"matmul_i32", TN_U8, TN_U8, TN_I32, 0, 0},
};

/* The first of `shape` elements of each dim are apart by `strides`. */
static void check(const product* p, int64_t rows, int64_t columns, int64_t depth, int transposed) {
  const int64_t shape_a[2] = {rows, depth}, shape_b[2] = {depth, columns}, shape_y[2] = {rows, columns};
  const int64_t by_row_a[2] = {depth + 3, 1}, by_column_a[2] = {1, rows + 2};
  const int64_t by_row_b[2] = {columns, 1}, by_column_b[2] = {1, depth + 1};
  const int64_t *step_a = transposed & 1 ? by_column_a : by_row_a, *step_b = transposed & 2 ? by_column_b : by_row_b;
  box in[2] = {boxed(p->of_a, &a, 2, shape_a, step_a), boxed(p->of_b, &b, 2, shape_b, step_b)};
  box out = boxed(p->of_y, &y, 2, shape_y, NULL);
  const tn_attr zeros[2] = {{"a_zero", 1, &p->zero_a, NULL}, {"b_zero", 1, &p->zero_b, NULL}};
  const int status = call_op(p->op, p->of_a, in, 2, &out, 1, zeros, strcmp(p->op, "matmul") == 0 ? 0 : 2);
  if (status != 0 && ++wrong < 20) printf("%s, %s: status %d\n", level, p->op, status);
  for (int64_t i = 0; i < rows && status == 0; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      if (is_complex(p->of_y)) {
        const int64_t step[2] = {step_a[1], step_b[0]};
        int64_t parts[2];
        sum_complex(numbers_a + i * step_a[0], numbers_b + j * step_b[1], depth, step, parts);
        check_complex(p, i * columns + j, parts);
        continue;
      }
      int64_t want = 0;
      for (int64_t k = 0; k < depth; ++k)
        want += (numbers_a[i * step_a[0] + k * step_a[1]] - p->zero_a) *
                (numbers_b[k * step_b[0] + j * step_b[1]] - p->zero_b);
      const double got = result(p->of_y, i * columns + j), near = p->of_y == TN_BF16 ? 4e-3 * (double)llabs(want) : 0;
      if (got >= (double)want - near && got <= (double)want + near) continue;
      if (++wrong < 20)
        printf("%s, %s of %d and %d, %d x %d, depth %d, layout %d: element %d, %d is %g, not %d\n", level, p->op,
               (int)p->of_a, (int)p->of_b, (int)rows, (int)columns, (int)depth, transposed, (int)i, (int)j, got,
               (int)want);
    }
}

static void check_all(const product* p) {
  static const int64_t extents[] = {1, 2, 4, 5, 16, 33, MOST}, depths[DEPTHS] = {1, 66, 131 - 3};
  enum { EXTENTS = sizeof extents / sizeof extents[0] };
  /* unsigned bytes use all of their bits */
  const int64_t lift_a = p->of_a == TN_U8 ? 250 : 0, lift_b = p->of_b == TN_U8 ? 249 : 0;
  for (int k = 0; k < SPACE; ++k) {
    numbers_a[k] = lift_a + (k * 37 + k / 11 * 5) % 11 - 5;
    numbers_b[k] = lift_b + (k * 29 + k / 7) % 11 - 5;
  }
  store(p->of_a, &a, numbers_a, SPACE);
  store(p->of_b, &b, numbers_b, SPACE);
  for (int m = 0; m < EXTENTS; ++m)
    for (int n = 0; n < EXTENTS; ++n)
      for (int k = 0; k < DEPTHS; ++k)
        for (int transposed = (m + n + k) & 1; transposed < 4; transposed += 2) /* neighbours have the others */
          check(p, extents[m], extents[n], depths[k], transposed);
}

int main(void) {
  for (size_t k = 0; k < sizeof levels / sizeof levels[0]; ++k) {
    level = levels[k];
    if (tn_force_isa(level) != 0) continue;
    for (size_t p = 0; p < sizeof products / sizeof products[0]; ++p) check_all(&products[p]);
  }
  puts(wrong == 0 ? "typed products: passed" : "typed products: failed");
  return wrong != 0;
}
