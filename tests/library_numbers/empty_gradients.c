/* Gradients of calls without elements: those of empty operands are not written, those of operands that the call repeats
   no time are 0. */
#include "uniform.h"

static const struct {
  int rank, a_rank, b_rank;
  int64_t call[2], a[2], b[2];
} shapes[] = {{1, 1, 0, {0}, {0}, {0}},          {2, 2, 0, {3, 0}, {3, 0}, {0}}, {2, 2, 1, {3, 0}, {3, 0}, {1}},
              {2, 2, 2, {3, 0}, {1, 0}, {3, 1}}, {2, 1, 2, {0, 2}, {2}, {0, 1}}, {1, 0, 1, {0}, {0}, {0}}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Memory of so many elements and not one more, so that sanitizers see what is written behind them. */
static float* nines(int rank, const int64_t* shape, int64_t* count) {
  *count = 1;
  for (int d = 0; d < rank; ++d) *count *= shape[d];
  float* out = malloc((size_t)*count * sizeof *out + 1);
  for (int64_t i = 0; i < *count; ++i) out[i] = 9;
  return out;
}

static int is_zero(const float* data, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (data[i] != 0) return 0;
  return 1;
}

int main(void) {
  int wrong = 0;
  for (int k = 0; k < SHAPES; ++k) {
    const int rank = shapes[k].rank, ranks[] = {shapes[k].a_rank, shapes[k].b_rank};
    const int64_t* extents[] = {shapes[k].a, shapes[k].b};
    void* dy = malloc(1);
    float *x[2], *dx[2];
    int64_t count[2];
    for (int i = 0; i < 2; ++i) {
      x[i] = nines(ranks[i], extents[i], &count[i]);
      dx[i] = nines(ranks[i], extents[i], &count[i]);
    }
    box in[] = {boxed(TN_F32, dy, rank, shapes[k].call, NULL), boxed(TN_F32, x[0], ranks[0], extents[0], NULL),
                boxed(TN_F32, x[1], ranks[1], extents[1], NULL)};
    box out[] = {boxed(TN_F32, dx[0], ranks[0], extents[0], NULL), boxed(TN_F32, dx[1], ranks[1], extents[1], NULL)};
    const int status = call_op("mul_grad", TN_F32, in, 3, out, 2, NULL, 0);
    const int right = status == TN_OK && is_zero(dx[0], count[0]) && is_zero(dx[1], count[1]);
    if (!right) printf("mul_grad, shapes %d: status %d\n", k, status);
    wrong += !right;
    free(dy);
    for (int i = 0; i < 2; ++i) {
      free(x[i]);
      free(dx[i]);
    }
  }
  printf("%d of %d gradients of empty calls are wrong\n", wrong, (int)SHAPES);
  return wrong != 0;
}
