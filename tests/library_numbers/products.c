/* Products of views of matrices in every order, and no copies of those that are dense along rows or columns. */
#include "uniform.h"

enum { ROWS = 37, DEPTH = 53, LONG_DEPTH = 1100, COLUMNS = 19, SPACE = 3 * (ROWS + COLUMNS) * LONG_DEPTH };

static float a[SPACE], b[SPACE], y[ROWS * COLUMNS];
static const char* level;
static int wrong;

/* A view of `rows` x `columns` elements: its strides, and the element that is first. */
typedef struct {
  int64_t strides[2], first;
  int is_dense;
} view;

enum { VIEWS = 7 };

static view view_of(int k, int64_t rows, int64_t columns) {
  const view all[VIEWS] = {
      {{columns, 1}, 0, 1},                    /* as it is stored */
      {{1, rows}, 0, 1},                       /* transposed */
      {{columns + 5, 1}, 3, 1},                /* a part of each row */
      {{1, rows + 7}, 2, 1},                   /* a part of each column */
      {{2 * columns, 2}, 1, 0},                /* every second column */
      {{2, 2 * rows}, 1, 0},                   /* every second row, transposed */
      {{-columns, -1}, rows * columns - 1, 0}, /* from the end */
  };
  return all[k];
}

static double at(const float* data, view v, int64_t i, int64_t j) {
  return data[v.first + i * v.strides[0] + j * v.strides[1]];
}

/* Workspace of a product with a vector. */
static int64_t workspace_of(view v) {
  const int64_t shape[2] = {ROWS, DEPTH};
  box in[2] = {boxed(TN_F32, a + v.first, 2, shape, v.strides), boxed(TN_F32, b, 1, shape + 1, NULL)};
  const tn_tensor* ins[2];
  for (int k = 0; k < 2; ++k) {
    in[k].t.shape = in[k].shape;
    in[k].t.strides = k == 0 ? in[k].strides : NULL;
    ins[k] = &in[k].t;
  }
  return tn_workspace(tn_find("matvec", TN_F32, 2), ins, NULL, 0);
}

static void no_copies(void) {
  const int64_t bytes = ROWS * DEPTH * (int64_t)sizeof(float);
  for (int k = 0; k < VIEWS; ++k) {
    const view v = view_of(k, ROWS, DEPTH);
    const int is_copied = workspace_of(v) - workspace_of(view_of(0, ROWS, DEPTH)) >= bytes;
    if (is_copied == v.is_dense && ++wrong < 20)
      printf("%s, matvec: view %d is %s\n", level, k, v.is_dense ? "copied" : "not copied");
  }
}

/* `rows` rows of A and the columns of B; `op` has B by rows (dense), by columns (matmul) or as a vector (matvec). */
static void check(const char* op, int64_t rows, int64_t depth, int64_t columns, int of_a, int of_b) {
  const int by_rows = strcmp(op, "dense") == 0, is_vector = strcmp(op, "matvec") == 0;
  const int64_t shape_a[2] = {rows, depth}, shape_b[2] = {by_rows ? columns : depth, by_rows ? depth : columns};
  const int64_t shape_y[2] = {rows, columns};
  const view va = view_of(of_a, rows, depth), vb = view_of(of_b, shape_b[0], shape_b[1]);
  box in[3] = {boxed(TN_F32, a + va.first, 2, shape_a, va.strides),
               boxed(TN_F32, b + vb.first, is_vector ? 1 : 2, shape_b, vb.strides),
               {.t = {.ndim = -1}}};
  box out = boxed(TN_F32, y, is_vector ? 1 : 2, shape_y, NULL);
  const int status = call_op(op, TN_F32, in, by_rows ? 3 : 2, &out, 1, NULL, 0);
  if (status != 0 && ++wrong < 20) printf("%s, %s: status %d\n", level, op, status);
  for (int64_t i = 0; i < rows && status == 0; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double want = 0;
      for (int64_t k = 0; k < depth; ++k) want += at(a, va, i, k) * (by_rows ? at(b, vb, j, k) : at(b, vb, k, j));
      const double got = y[i * columns + j];
      if (got != want && ++wrong < 20)
        printf("%s, %s of views %d and %d, %d x %d x %d: element %d, %d is %g, not %g\n", level, op, of_a, of_b,
               (int)rows, (int)depth, (int)columns, (int)i, (int)j, got, want);
    }
}

int main(void) {
  for (int k = 0; k < SPACE; ++k)
    a[k] = (float)((k * 37 + k / 11 * 5) % 13 - 6), b[k] = (float)((k * 29 + k / 7) % 11 - 5);
  for (size_t k = 0; k < sizeof levels / sizeof levels[0]; ++k) {
    level = levels[k];
    if (tn_force_isa(level) != 0) continue;
    no_copies();
    for (int of_a = 0; of_a < VIEWS; ++of_a)
      for (int of_b = 0; of_b < VIEWS; ++of_b)
        for (int64_t rows = 1; rows <= ROWS; rows += 4) {
          check("matmul", rows, DEPTH, COLUMNS, of_a, of_b);
          check("dense", rows, DEPTH, COLUMNS, of_a == 2 ? 0 : of_a, of_b);
          check("matvec", rows, DEPTH, 1, of_a, 0);
        }
    for (int of_a = 0; of_a < 4; ++of_a)
      for (int of_b = 0; of_b < 4; ++of_b) {
        check("matvec", COLUMNS, LONG_DEPTH, 1, of_a, 0);
        check("matmul", 1, LONG_DEPTH, COLUMNS, of_a, of_b);
        check("matmul", COLUMNS, LONG_DEPTH, 1, of_a, of_b);
        check("dense", 1, LONG_DEPTH, COLUMNS, of_a == 2 ? 0 : of_a, of_b);
      }
  }
  puts(wrong == 0 ? "products: passed" : "products: failed");
  return wrong != 0;
}
