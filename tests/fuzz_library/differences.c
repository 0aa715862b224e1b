/* Gradients in f64 next to central differences of the functions that they belong to, along random directions and single
   elements. Where one-sided differences disagree, there is a kink or a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

typedef struct {
  tn_tensor tensor;
  int64_t shape[MOST_DIMS], n; /* elements */
} dense_tensor;

/* The function on contiguous copies of the inputs, and the weights of its results: the gradients that the call gives.
 */
typedef struct {
  drawn_call call;
  dense_tensor in[MOST_TENSORS], out[MOST_TENSORS], weight[MOST_TENSORS];
  const tn_tensor* ins[MOST_TENSORS];
  tn_tensor* outs[MOST_TENSORS];
  const tn_attr* attrs;
  int n_attrs;
  unsigned char* workspace;
  int64_t bytes;
} function;

static int is_f64(const tn_tensor* t) { return t->dtype.code == 2 && t->dtype.bits == 64; }

static void place_dense(dense_tensor* t, const tn_tensor* like) {
  t->tensor = *like;
  memcpy(t->shape, like->shape, (size_t)like->ndim * sizeof *t->shape);
  t->tensor.shape = t->shape;
  t->tensor.strides = NULL;
  t->tensor.byte_offset = 0;
  t->n = elements(t->shape, like->ndim);
  t->tensor.data = calloc((size_t)(t->n < 1 ? 1 : t->n), 16);
}

static void copy_input(dense_tensor* t, const tn_tensor* from) {
  place_dense(t, from);
  copy_elements(t->tensor.data, from);
}

static void free_function(function* f) {
  for (int k = 0; k < MOST_TENSORS; ++k) {
    free(f->in[k].tensor.data);
    free(f->out[k].tensor.data);
    free(f->weight[k].tensor.data);
  }
  free(f->workspace);
  free(f);
}

/* 0: the function refuses the inputs, or there is more memory than there shall be. */
static int place_function(function* f, const drawn_call* call, const tn_tensor* const* ins) {
  drawn_tensor told[MOST_TENSORS];
  if (!forward_of(call, &f->call) || told_by_infer(&f->call, told) != 0) return 0;
  for (int k = 0; k < f->call.info.n_in && k < MOST_TENSORS; ++k) {
    const int at = find_name(call->info.in, call->info.n_in, f->call.info.in[k]);
    if (at < 0 || at >= MOST_TENSORS || ins[at] == NULL) continue;
    copy_input(&f->in[k], ins[at]);
    f->ins[k] = &f->in[k].tensor;
  }
  for (int k = 0; k < f->call.info.n_out && k < MOST_TENSORS; ++k) {
    tn_tensor like = {.device = {1, 0}, .ndim = told[k].ndim, .shape = told[k].shape};
    like.dtype.code = (uint8_t)(told[k].dtype >> 8);
    like.dtype.bits = (uint8_t)(told[k].dtype & 0xff);
    like.dtype.lanes = 1;
    if (elements(told[k].shape, told[k].ndim) < 0) return 0;
    place_dense(&f->out[k], &like);
    f->outs[k] = &f->out[k].tensor;
    for (int j = 0; j < call->info.n_in && j < MOST_TENSORS; ++j)
      if (ins[j] != NULL && is_gradient_of(call->info.in[j], f->call.info.out[k]) && is_f64(ins[j]))
        copy_input(&f->weight[k], ins[j]);
    if (is_f64(&like) && f->weight[k].n != f->out[k].n) return 0;
  }
  f->bytes = tn_workspace(f->call.kernel, f->ins, f->attrs, f->n_attrs);
  if (f->bytes < 0 || f->bytes > 64 << 20) return 0;
  f->workspace = malloc((size_t)f->bytes + 1);
  return 1;
}

/* The sum of all results times their weights; NaN if there is none. */
static double score(function* f, double* size) {
  double sum = 0;
  if (tn_call(f->call.kernel, f->ins, f->attrs, f->n_attrs, f->outs, f->workspace, (size_t)f->bytes) != 0) return NAN;
  for (int k = 0; k < f->call.info.n_out && k < MOST_TENSORS; ++k) {
    const dense_tensor *out = &f->out[k], *weight = &f->weight[k];
    if (elements(out->shape, out->tensor.ndim) != out->n) return NAN; /* the data decided the extents */
    for (int64_t i = 0; i < weight->n; ++i) {
      const double term = ((const double*)out->tensor.data)[i] * ((const double*)weight->tensor.data)[i];
      sum += term;
      *size += fabs(term);
    }
  }
  return sum;
}

static double score_at(function* f, const double* x, dense_tensor* input, const double* v, double h, double* size) {
  double* moved = input->tensor.data;
  for (int64_t i = 0; i < input->n; ++i) moved[i] = x[i] + h * v[i];
  return score(f, size);
}

/* Is the gradient `got` along v that of the differences? What is not smooth, or not finite, is taken for right. */
static int agrees(function* f, dense_tensor* input, const double* got, const double* v) {
  const size_t bytes = (size_t)input->n * sizeof(double);
  const double step = 1.0 / 1024;
  double *const x = malloc(bytes), size = 0, slope[2], kink[2], mine = 0, absolute = 0;
  memcpy(x, input->tensor.data, bytes);
  const double here = score_at(f, x, input, v, 0, &size);
  for (int k = 0; k < 2; ++k) {
    const double h = step / (k + 1);
    const double up = score_at(f, x, input, v, h, &size), down = score_at(f, x, input, v, -h, &size);
    slope[k] = (up - down) / (2 * h);
    kink[k] = (up - here) / h - (here - down) / h;
  }
  memcpy(input->tensor.data, x, bytes);
  free(x);
  for (int64_t i = 0; i < input->n; ++i) mine += got[i] * v[i], absolute += fabs(got[i] * v[i]);
  const double want = (4 * slope[1] - slope[0]) / 3;
  const double doubt = 32 * (fabs(want - slope[1]) + 64 * 0x1p-52 * (size + 1) / step);
  const int is_kink = fabs(kink[1]) > 0.75 * fabs(kink[0]) && fabs(kink[1]) > 1e-6 * (fabs(slope[1]) + 1);
  const int is_rough = fabs(slope[0] - slope[1]) > 0.01 * (fabs(slope[0]) + fabs(slope[1]));
  if (is_kink || is_rough || !isfinite(want) || !isfinite(kink[0]) || !isfinite(kink[1])) return 1;
  if (fabs(mine - want) <= 1e-6 * (absolute + fabs(want)) + doubt + 1e-9) return 1;
  printf("the gradient is %.12g, differences say %.12g (%.2g in doubt)\n", mine, want, doubt);
  return 0;
}

static int check_input(function* f, dense_tensor* input, const double* got) {
  double* const v = calloc((size_t)input->n, sizeof *v);
  int is_right = 1;
  for (int turn = 0; turn < 3 && is_right; ++turn) {
    for (int64_t i = 0; i < input->n; ++i) v[i] = turn == 0 ? (double)(below(2001) - 1000) / 1000 : 0;
    v[below(input->n)] = 1;
    is_right = agrees(f, input, got, v);
  }
  free(v);
  return is_right;
}

/* Kinks and steps are between numbers drawn as real ones, and attributes are none that a formula divides by or
 * overflows with. The gradient of stop() is 0 by definition. */
static int is_smooth(const drawn_call* call) {
  for (int k = 0; k < call->info.n_in && k < MOST_TENSORS; ++k) {
    const drawn_tensor* t = &call->in[k];
    if (t->is_given && t->dtype == TN_F64 ? t->data != DATA_REAL : t->data > DATA_REAL) return 0;
  }
  for (int k = 0; k < call->info.n_attrs && k < MOST_ATTRS; ++k)
    for (int j = 0; j < call->attr[k].count && j < MOST_LIST && call->attr[k].is_given; ++j) {
      const double a = call->attr[k].is_real ? fabs(call->attr[k].f[j]) : 1;
      if (!(a > 1e-3 && a < 1e3)) return 0;
    }
  return strcmp(call->info.op, "stop_grad") != 0;
}

int equals_differences(const drawn_call* call, const tn_tensor* const* ins, tn_tensor* const* outs,
                       const tn_attr* attrs, int n_attrs) {
  function* f = calloc(1, sizeof *f);
  int is_right = 1;
  f->attrs = attrs;
  f->n_attrs = n_attrs;
  if (is_smooth(call) && place_function(f, call, ins))
    for (int k = 0; k < f->call.info.n_in && k < MOST_TENSORS; ++k)
      for (int j = 0; j < call->info.n_out && j < MOST_TENSORS && is_right; ++j)
        if (f->ins[k] != NULL && outs[j] != NULL && f->in[k].n > 0 && is_f64(f->ins[k]) &&
            is_gradient_of(call->info.out[j], f->call.info.in[k]))
          is_right = check_input(f, &f->in[k], outs[j]->data);
  free_function(f);
  return is_right;
}
