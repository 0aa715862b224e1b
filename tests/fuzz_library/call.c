/* Makes a drawn call with every tensor in memory of exactly its size, where AddressSanitizer sees the first byte beyond
   it, and compares: what tn_infer, tn_workspace and tn_call say; two calls over other garbage, and calls with workers,
   byte by byte; views with contiguous copies and the best level with the portable one, as close as their types allow;
   inputs, and outputs of calls that fail, with what they were. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "made_call.h"

int bytes_of_dtype(int32_t dtype) { return (dtype & 0xff) < 8 ? 1 : (dtype & 0xff) / 8; }

int64_t elements(const int64_t* shape, int32_t ndim) {
  int64_t n = 1;
  for (int32_t d = 0; d < ndim; ++d)
    if (shape[d] == 0) return 0;
  for (int32_t d = 0; d < ndim; ++d) {
    if (shape[d] < 0 || shape[d] > MOST_ELEMENTS) return -1;
    n *= shape[d];
    if (n > MOST_ELEMENTS) return -1;
  }
  return n;
}

static void describe(placed* p, int32_t dtype, int32_t ndim) {
  p->tensor.device.type = 1;
  p->tensor.dtype.code = (uint8_t)(dtype >> 8);
  p->tensor.dtype.bits = (uint8_t)(dtype & 0xff);
  p->tensor.dtype.lanes = 1;
  p->tensor.ndim = ndim;
  p->tensor.shape = p->shape;
}

/* ---- placing */

/* The bytes that a view takes, from `low` below its first element; 0: more than there shall be. */
static int64_t span(const drawn_tensor* t, int64_t* low) {
  const int64_t bytes = bytes_of_dtype(t->dtype);
  double below_it = 0, above = 0;
  *low = 0;
  for (int32_t d = 0; d < t->ndim; ++d) {
    const double reach = (double)(t->shape[d] - 1) * (double)t->strides[d];
    if (reach < 0) below_it -= reach;
    if (reach > 0) above += reach;
  }
  if ((below_it + above + 1) * (double)bytes > MOST_BYTES) return 0;
  *low = (int64_t)below_it * bytes;
  return ((int64_t)above + 1) * bytes + *low;
}

static void describe_input(placed* p, const drawn_tensor* t) {
  describe(p, t->dtype, t->ndim);
  memcpy(p->shape, t->shape, sizeof p->shape);
  memcpy(p->strides, t->strides, sizeof p->strides);
  p->tensor.strides = t->is_strided ? p->strides : NULL;
  p->tensor.byte_offset = (uint64_t)t->offset;
}

/* 0: too large. Bytes in front of the address are not the tensor's, so its offset may begin before the memory. */
static int place_input(placed* p, const drawn_tensor* t) {
  drawn_tensor dense = *t;
  int64_t low, step = 1;
  const int64_t n = t->ndim < 0 || t->ndim > TN_MAX_NDIM ? 0 : elements(t->shape, t->ndim);
  const int bytes = bytes_of_dtype(t->dtype);
  if (n <= 0) {
    p->memory = malloc(1);
    p->tensor.data = p->memory;
    return n == 0;
  }
  for (int32_t d = t->ndim - 1; d >= 0 && !t->is_strided; --d) dense.strides[d] = step, step *= t->shape[d];
  p->bytes = span(&dense, &low);
  if (p->bytes == 0) return 0;
  const int64_t apart = t->is_misaligned ? 1 : 0;
  p->memory = malloc((size_t)(p->bytes + apart));
  for (int64_t k = 0; k < p->bytes; k += bytes) store(p->memory + apart + k, t->dtype, t->data);
  p->tensor.data = (void*)((uintptr_t)p->memory + (uintptr_t)(apart + low) - (uintptr_t)t->offset);
  return 1;
}

void copy_elements(unsigned char* to, const tn_tensor* from) {
  const int64_t n = elements(from->shape, from->ndim), bytes = bytes_of_dtype(from->dtype.code << 8 | from->dtype.bits);
  for (int64_t k = 0; k < n; ++k) {
    int64_t rest = k, at = k;
    if (from->strides != NULL) at = 0;
    for (int32_t d = from->ndim - 1; d >= 0 && from->strides != NULL; --d) {
      at += rest % from->shape[d] * from->strides[d];
      rest /= from->shape[d];
    }
    memcpy(to + k * bytes, (const unsigned char*)from->data + (int64_t)from->byte_offset + at * bytes, (size_t)bytes);
  }
}

/* The same elements behind one another. */
static void copy_dense(placed* to, const placed* from) {
  const int32_t ndim = from->tensor.ndim, dtype = from->tensor.dtype.code << 8 | from->tensor.dtype.bits;
  *to = *from;
  to->tensor.shape = to->shape;
  to->tensor.strides = NULL;
  to->tensor.byte_offset = 0;
  to->bytes = elements(from->shape, ndim) * bytes_of_dtype(dtype);
  to->memory = malloc((size_t)(to->bytes + 1));
  to->tensor.data = to->memory;
  copy_elements(to->memory, &from->tensor);
}

static void place_attrs(made_call* made, const drawn_call* call) {
  for (int k = 0; k < call->info.n_attrs && k < MOST_ATTRS; ++k) {
    const drawn_attr* a = &call->attr[k];
    if (!a->is_given) continue;
    tn_attr* to = &made->attrs[made->n_attrs++];
    to->name = call->info.attrs[k];
    to->count = a->count;
    to->i = a->is_real ? NULL : a->i;
    to->f = a->is_real ? a->f : NULL;
  }
}

static void place_outputs(made_call* made, const drawn_call* call) {
  for (int k = 0; k < call->info.n_out; ++k) {
    placed* p = &made->out[k];
    describe(p, call->out_dtype, 2);
    p->shape[0] = p->shape[1] = 1;
    p->memory = NULL;
    made->outs[k] = &p->tensor;
  }
}

void free_call(made_call* made) {
  for (int k = 0; k < MOST_TENSORS; ++k) {
    free(made->in[k].memory);
    free(made->out[k].memory);
  }
}

int place_output(placed* p, unsigned char garbage) {
  const int64_t n = elements(p->shape, p->tensor.ndim);
  if (n < 0) return 0;
  p->bytes = n * bytes_of_dtype(p->tensor.dtype.code << 8 | p->tensor.dtype.bits);
  free(p->memory);
  p->memory = malloc((size_t)(p->bytes + (p->bytes == 0)));
  p->tensor.data = p->memory;
  p->tensor.strides = NULL;
  memset(p->memory, garbage, (size_t)p->bytes);
  return 1;
}

int is_untouched(const placed* p, unsigned char garbage) {
  for (int64_t k = 0; k < p->bytes; ++k)
    if (p->memory[k] != garbage) return 0;
  return 1;
}

/* ---- one call */

/* Workers of one thread: the last part comes first, and each worker has a few. */
static void parts_backwards(void* pool, int64_t n, int64_t grain,
                            void (*task)(void* arg, int64_t begin, int64_t end, int worker), void* arg) {
  const int workers = *(const int*)pool;
  const int64_t share = n / (3 * workers) + 1, chunk = share > grain ? share : grain;
  for (int64_t part = (n + chunk - 1) / chunk - 1; part >= 0; --part) {
    const int64_t end = (part + 1) * chunk;
    task(arg, part * chunk, end < n ? end : n, (int)(part % workers));
  }
}

/* Calls with a workspace of the size that is asked for, over garbage; a failure has to leave the outputs as they are.
 */
/* The status of a call that is not made, because its workspace would be too large. Workers have one each. */
enum { NOT_MADE = 1, MOST_WORKSPACE = 64 << 20 };

static void run_call(made_call* made, const drawn_call* call, unsigned char garbage, int workers, const char** why) {
  const tn_context context = {parts_backwards, &workers, workers};
  const int64_t need = workers == 0 ? tn_workspace(call->kernel, made->ins, made->attrs, made->n_attrs)
                                    : tn_workspace_on(&context, call->kernel, made->ins, made->attrs, made->n_attrs);
  const int64_t shift = (int64_t)garbage % 61;
  if (need > MOST_WORKSPACE) {
    made->status = NOT_MADE;
    return;
  }
  const int64_t bytes = need < 0 ? 0 : need - (call->short_workspace && need > 0);
  unsigned char* workspace = malloc((size_t)(bytes + shift + 1));
  memset(workspace, garbage, (size_t)(bytes + shift + 1));
  made->status = workers == 0 ? tn_call(call->kernel, made->ins, made->attrs, made->n_attrs, made->outs,
                                        workspace + shift + 1, (size_t)bytes)
                              : tn_call_on(&context, call->kernel, made->ins, made->attrs, made->n_attrs, made->outs,
                                           workspace + shift + 1, (size_t)bytes);
  free(workspace);
  if (made->status > 0 || made->status < TN_E_OVERLAP) *why = "a status that there is not";
  if (made->status == 0 && need < 0) *why = "tn_workspace refuses what tn_call takes";
  if (made->status == 0 && call->short_workspace && need > 0) *why = "a workspace that is too short is taken";
  if (made->status < 0)
    for (int k = 0; k < call->info.n_out; ++k)
      if (made->outs[k] != NULL && !is_untouched(&made->out[k], garbage)) *why = "a call that fails changes an output";
}

/* ---- comparison */

/* Are the outputs as close as two orders of the same sums may be? Shapes have to be the same. */
static int is_close(const placed* a, const placed* b, double slack) {
  const int32_t dtype = a->tensor.dtype.code << 8 | a->tensor.dtype.bits, ndim = a->tensor.ndim;
  const int parts = dtype == TN_C64 || dtype == TN_C128 ? 2 : 1, bytes = bytes_of_dtype(dtype);
  if (memcmp(a->shape, b->shape, (size_t)ndim * sizeof *a->shape) != 0) return 0;
  const int64_t n = elements(a->shape, ndim);
  double largest = 1;
  if (n * bytes != a->bytes) return 1; /* extents that the data decided: the rest is left as it was */
  for (int64_t k = 0; k < n * parts; ++k) {
    const double x = fabs(value_of(a->memory + k / parts * bytes, dtype, (int)(k % parts)));
    if (x > largest && x < HUGE_VAL) largest = x;
  }
  for (int64_t k = 0; k < n * parts; ++k) {
    const double x = value_of(a->memory + k / parts * bytes, dtype, (int)(k % parts));
    const double y = value_of(b->memory + k / parts * bytes, dtype, (int)(k % parts));
    if (x != y && !(isnan(x) && isnan(y)) && !(fabs(x - y) <= slack * largest)) return 0;
  }
  return 1;
}

static int has_plain_data(const drawn_call* call) {
  for (int k = 0; k < call->info.n_in; ++k)
    if (call->in[k].is_given && call->in[k].data > DATA_REAL) return 0;
  return 1;
}

/* How a call is made again: on contiguous copies, with another level, with workers, without some of the outputs. */
typedef struct {
  int is_dense;
  const char* level;
  int workers, is_part;
} way;

int may_leave_out(const drawn_call* call, int k) {
  const int bit = call->info.n_in + k;
  return bit < 32 && (call->info.optional >> bit & 1u) != 0;
}

/* Leaves out some of the outputs that the call writes, but not all. */
static void leave_out(made_call* made, const drawn_call* call) {
  int left = 0;
  for (int k = 0; k < call->info.n_out; ++k) left += made->outs[k] != NULL && !is_absent_gradient(call, k);
  for (int k = 0; k < call->info.n_out && left > 1; ++k) {
    if (made->outs[k] == NULL || !may_leave_out(call, k) || one_in(2)) continue;
    left -= !is_absent_gradient(call, k);
    made->outs[k] = NULL;
  }
}

static void compare_ways(const made_call* first, const drawn_call* call, way again, const char** why) {
  const int is_dense = again.is_dense, may_differ = is_dense || again.level != NULL;
  const char* const level = again.level;
  made_call* other = malloc(sizeof *other);
  memcpy(other, first, sizeof *other);
  for (int k = 0; k < MOST_TENSORS; ++k) {
    other->in[k].memory = other->out[k].memory = NULL;
    if (is_dense && first->ins[k] != NULL && elements(first->in[k].shape, first->in[k].tensor.ndim) > 0 &&
        first->in[k].tensor.strides != NULL) {
      copy_dense(&other->in[k], &first->in[k]);
      other->ins[k] = &other->in[k].tensor;
    }
  }
  for (int k = 0; k < call->info.n_out; ++k) {
    placed* p = &other->out[k];
    if (first->outs[k] == NULL) continue;
    *p = (placed){.tensor = first->out[k].tensor};
    memcpy(p->shape, first->out[k].strides, sizeof p->shape); /* as tn_infer told it */
    p->tensor.shape = p->shape;
    other->outs[k] = &p->tensor;
    place_output(p, 0x33);
  }
  if (again.is_part) leave_out(other, call);
  const char* const active = tn_active_isa();
  if (level != NULL) tn_force_isa(level);
  run_call(other, call, 0x33, again.workers, why);
  if (level != NULL) tn_force_isa(active);
  /* Data are checked for what is computed from them. */
  const int is_less_checked = again.is_part && first->status == TN_E_RANGE && other->status == 0;
  if (other->status != first->status && other->status != NOT_MADE && !is_less_checked)
    *why = is_dense            ? "a view and its copy: statuses"
           : level != NULL     ? "levels: statuses"
           : again.workers > 0 ? "workers: statuses"
           : again.is_part     ? "without an output: statuses"
                               : "again: statuses";
  for (int k = 0; k < call->info.n_out && other->status == 0 && first->status == 0 && *why == NULL; ++k) {
    const placed *a = &first->out[k], *b = &other->out[k];
    const double slack = slack_of(a->tensor.dtype.code << 8 | a->tensor.dtype.bits);
    if (other->outs[k] == NULL) continue;
    if (is_absent_gradient(call, k)) {
      if (!is_untouched(b, 0x33)) *why = "the gradient of an absent input is written";
    } else if (!may_differ && elements(a->shape, a->tensor.ndim) > 0 && !is_close(a, b, 0)) {
      *why = again.workers > 0 ? "workers: values" : again.is_part ? "without an output: values" : "again: values";
    } else if (may_differ && has_plain_data(call) && !is_close(a, b, slack)) {
      *why = is_dense ? "a view and its copy: values" : "levels: values";
    }
  }
  free_call(other);
  free(other);
}

static int place_all_outputs(made_call* made, const drawn_call* call) {
  int fits = 1;
  for (int k = 0; k < call->info.n_out; ++k) {
    placed* p = &made->out[k];
    if (p->tensor.ndim < 0 || p->tensor.ndim > TN_MAX_NDIM) return -1;
    if (is_absent_gradient(call, k) && one_in(2)) made->outs[k] = NULL;
    memcpy(p->strides, p->shape, sizeof p->strides); /* kept: tn_call writes true extents over the bounds */
    fits &= place_output(p, 0xa5);
  }
  return fits;
}

static uint64_t sum_of_inputs(const made_call* made) {
  uint64_t sum = 14695981039346656037u;
  for (int k = 0; k < MOST_TENSORS; ++k)
    for (int64_t j = 0; j < made->in[k].bytes; ++j) sum = (sum ^ made->in[k].memory[j]) * 1099511628211u;
  return sum;
}

/* What tn_infer says of shapes alone; a few of the refused calls are made nevertheless. */
static int infer(made_call* made, const drawn_call* call) {
  for (int k = 0; k < call->info.n_in && k < MOST_TENSORS; ++k) {
    if (!call->in[k].is_given) continue;
    describe_input(&made->in[k], &call->in[k]);
    made->ins[k] = &made->in[k].tensor;
  }
  place_attrs(made, call);
  place_outputs(made, call);
  return tn_infer(call->kernel, made->ins, made->attrs, made->n_attrs, made->outs);
}

int told_by_infer(const drawn_call* call, drawn_tensor* out) {
  made_call* made = calloc(1, sizeof *made);
  const int status = infer(made, call);
  for (int k = 0; k < call->info.n_out; ++k) {
    const placed* p = &made->out[k];
    out[k].dtype = p->tensor.dtype.code << 8 | p->tensor.dtype.bits;
    out[k].ndim = p->tensor.ndim;
    memcpy(out[k].shape, p->shape, sizeof p->shape);
  }
  free(made);
  return status;
}

static call_result make_call(made_call* made, const drawn_call* call, int* status, const char** why) {
  int fits = 1;
  const int inferred = *status = infer(made, call);
  if (inferred < 0 && below(16) != 0) return CALL_REFUSED;
  for (int k = 0; k < call->info.n_in; ++k)
    if (call->in[k].is_given) fits &= place_input(&made->in[k], &call->in[k]);
  const int placed_all = place_all_outputs(made, call);
  if (placed_all < 0) return *why = "tn_infer tells a rank that there is not", CALL_WRONG;
  if (!fits || !placed_all) {
    (void)tn_workspace(call->kernel, made->ins, made->attrs, made->n_attrs);
    return CALL_TOO_LARGE;
  }
  const uint64_t sum = sum_of_inputs(made);
  run_call(made, call, 0xa5, 0, why);
  *status = inferred < 0 ? inferred : made->status;
  if (made->status == NOT_MADE) return *why = NULL, CALL_TOO_LARGE;
  if (inferred < 0 && made->status == 0) *why = "tn_infer refuses what tn_call takes";
  if (sum_of_inputs(made) != sum) *why = "an input is changed";
  /* Whether a workspace is too short depends on the level. */
  if (*why == NULL && inferred == 0 && !call->short_workspace && (made->status == 0 || made->status == TN_E_RANGE)) {
    static const way ways[] = {{0},
                               {.level = "portable"},
                               {.is_dense = 1},
                               {.is_part = 1},
                               {.workers = 1},
                               {.workers = 2},
                               {.workers = 3},
                               {.workers = 8}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways && *why == NULL; ++k) compare_ways(made, call, ways[k], why);
    if (made->status == 0 && *why == NULL) *why = wrong_when_spoiled(made, call);
    if (made->status == 0 && *why == NULL && call->key == TN_F64 &&
        !equals_differences(call, made->ins, made->outs, made->attrs, made->n_attrs))
      *why = "a gradient and differences";
  }
  return *why != NULL ? CALL_WRONG : made->status == 0 ? CALL_RIGHT : CALL_REFUSED;
}

call_result try_call(const drawn_call* call, int* status, const char** why) {
  made_call* made = calloc(1, sizeof *made);
  *why = NULL;
  seed_random(call->seed);
  const call_result result = make_call(made, call, status, why);
  free_call(made);
  free(made);
  return result;
}
