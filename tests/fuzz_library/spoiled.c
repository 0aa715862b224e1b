/* Makes a call that succeeded again with one thing about its outputs or attributes wrong, or said in another way: the
   status is that of the fault, and outputs of a call that fails are as they were. */
#include <stdlib.h>
#include <string.h>

#include "made_call.h"

enum { GARBAGE = 0x5c };

typedef struct {
  made_call call;
  int32_t expected; /* the status */
  int may_fit;      /* or that of a call that succeeds */
  int is_equal;     /* succeeds with the same elements */
} spoiled_call;

static int32_t dtype_of(const placed* p) { return p->tensor.dtype.code << 8 | p->tensor.dtype.bits; }

static int64_t count_of(const placed* p) { return elements(p->shape, p->tensor.ndim); }

/* ---- outputs: 0 where the fault is not possible here */

static int drop_data(spoiled_call* s, placed* p) {
  p->tensor.data = NULL;
  s->expected = TN_E_NULL;
  return count_of(p) > 0;
}

static int drop_tensor(spoiled_call* s, int k, const drawn_call* call) {
  s->call.outs[k] = NULL;
  s->expected = TN_E_NULL;
  return !may_leave_out(call, k) && !is_absent_gradient(call, k);
}

static int change_lanes(spoiled_call* s, placed* p) {
  p->tensor.dtype.lanes = 2;
  s->expected = TN_E_DTYPE;
  return 1;
}

static int change_rank(spoiled_call* s, placed* p) {
  static const int32_t ranks[] = {-1, TN_MAX_NDIM + 1, INT32_MAX, INT32_MIN};
  p->tensor.ndim = one_in(2)                         ? ranks[below(4)]
                   : p->tensor.ndim > 0 && one_in(2) ? p->tensor.ndim - 1
                                                     : p->tensor.ndim + 1;
  p->shape[p->tensor.ndim > 0 && p->tensor.ndim <= TN_MAX_NDIM ? p->tensor.ndim - 1 : 0] = 1;
  s->expected = TN_E_SHAPE;
  return 1;
}

static int change_extent(spoiled_call* s, placed* p) {
  static const int64_t extents[] = {-1, INT64_MIN, INT64_MAX, (int64_t)1 << 40};
  if (p->tensor.ndim == 0) return 0;
  int64_t* extent = &p->shape[below(p->tensor.ndim)];
  const int64_t before = *extent;
  *extent = one_in(2) ? extents[below(4)] : before - 1;
  s->expected = TN_E_SHAPE;
  s->may_fit = 1; /* an extent that the data decide needs no more */
  return *extent != before;
}

static int say_strides(spoiled_call* s, placed* p, int is_loose) {
  int64_t step = is_loose ? 2 : 1;
  for (int32_t d = p->tensor.ndim - 1; d >= 0; --d) {
    p->strides[d] = p->shape[d] == 1 && !is_loose ? below(100) - 50 : step;
    step *= p->shape[d];
  }
  p->tensor.strides = p->strides;
  s->is_equal = !is_loose;
  s->expected = is_loose ? TN_E_STRIDE : 0;
  return !is_loose || (count_of(p) > 1 && p->tensor.ndim > 0);
}

static int shift_data(spoiled_call* s, placed* p, int is_misaligned) {
  const int bytes = bytes_of_dtype(dtype_of(p)), by = is_misaligned ? 1 : (int)(1 + below(4)) * bytes;
  if (count_of(p) <= 0 || (is_misaligned && (bytes == 1 || dtype_of(p) == TN_BOOL))) return 0;
  p->tensor.data = (void*)((uintptr_t)p->tensor.data - (uintptr_t)(is_misaligned ? 0 : by));
  p->tensor.byte_offset = (uint64_t)by;
  s->expected = is_misaligned ? TN_E_ALIGN : 0;
  s->is_equal = !is_misaligned;
  return 1;
}

/* The output begins where `other` does. */
static int lay_over(spoiled_call* s, placed* p, const placed* other) {
  const int64_t theirs = other->bytes;
  if (other->tensor.strides != NULL || other->tensor.byte_offset != 0 || count_of(p) <= 0 || theirs <= 0) return 0;
  if (count_of(other) * bytes_of_dtype(dtype_of(other)) != theirs) return 0;
  free(p->memory);
  p->memory = NULL;
  p->bytes = 0;
  p->tensor.data = other->tensor.data;
  s->expected = TN_E_OVERLAP;
  return 1;
}

static int spoil_output(spoiled_call* s, const drawn_call* call) {
  const int k = (int)below(call->info.n_out), other = (int)below(call->info.n_in < 1 ? 1 : call->info.n_in);
  placed* p = &s->call.out[k];
  if (s->call.outs[k] == NULL || is_absent_gradient(call, k)) return 0;
  switch (below(10)) {
    case 0: return drop_data(s, p);
    case 1: return drop_tensor(s, k, call);
    case 2: return change_lanes(s, p);
    case 3: return change_rank(s, p);
    case 4: return change_extent(s, p);
    case 5: return say_strides(s, p, 0);
    case 6: return say_strides(s, p, 1);
    case 7: return shift_data(s, p, 0);
    case 8: return shift_data(s, p, 1);
    default: return s->call.ins[other] != NULL && lay_over(s, p, &s->call.in[other]);
  }
}

/* ---- attributes */

static int spoil_attr(spoiled_call* s) {
  made_call* made = &s->call;
  tn_attr* last = &made->attrs[made->n_attrs > 0 ? made->n_attrs - 1 : 0];
  s->expected = TN_E_ATTR;
  switch (below(5)) {
    case 0:
      if (made->n_attrs >= MOST_ATTRS) return 0;
      made->attrs[made->n_attrs++] = (tn_attr){.name = "no such name", .count = 0};
      return 1;
    case 1:
      if (made->n_attrs == 0 || made->n_attrs >= MOST_ATTRS) return 0;
      made->attrs[made->n_attrs] = made->attrs[below(made->n_attrs)];
      ++made->n_attrs;
      return 1;
    case 2: last->count = -1; return made->n_attrs > 0;
    case 3: last->i = NULL, last->f = NULL; return made->n_attrs > 0 && last->count > 0;
    default: last->name = NULL, s->expected = TN_E_NULL; return made->n_attrs > 0;
  }
}

/* ---- the call */

static void copy_call(spoiled_call* s, const made_call* right, const drawn_call* call) {
  memset(s, 0, sizeof *s);
  s->call = *right;
  for (int k = 0; k < MOST_TENSORS; ++k) s->call.in[k].memory = s->call.out[k].memory = NULL;
  for (int k = 0; k < call->info.n_out; ++k) {
    placed* p = &s->call.out[k];
    if (right->outs[k] == NULL) continue;
    *p = (placed){.tensor = right->out[k].tensor};
    memcpy(p->shape, right->out[k].strides, sizeof p->shape); /* as tn_infer told it */
    p->tensor.shape = p->shape;
    s->call.outs[k] = &p->tensor;
    place_output(p, GARBAGE);
  }
}

static const char* verdict(const spoiled_call* s, const made_call* right, const drawn_call* call) {
  const int status = s->call.status;
  if (status != s->expected && !(s->may_fit && status == 0)) return "spoiled: another status";
  for (int k = 0; k < call->info.n_out; ++k) {
    const placed* p = &s->call.out[k];
    if (status < 0 && p->memory != NULL && !is_untouched(p, GARBAGE)) return "spoiled: an output is changed";
    if (status == 0 && s->is_equal && right->outs[k] != NULL &&
        count_of(&right->out[k]) * bytes_of_dtype(dtype_of(p)) == p->bytes && !is_absent_gradient(call, k) &&
        memcmp(p->memory, right->out[k].memory, (size_t)p->bytes) != 0)
      return "spoiled: other elements";
  }
  return NULL;
}

const char* wrong_when_spoiled(const made_call* right, const drawn_call* call) {
  spoiled_call* s = malloc(sizeof *s);
  const char* why = NULL;
  copy_call(s, right, call);
  if (call->info.n_out > 0 && (one_in(4) ? spoil_attr(s) : spoil_output(s, call))) {
    const int64_t need = tn_workspace(call->kernel, right->ins, right->attrs, right->n_attrs);
    unsigned char* const workspace = malloc((size_t)(need > 0 ? need : 1));
    s->call.status = tn_call(call->kernel, s->call.ins, s->call.attrs, s->call.n_attrs, s->call.outs, workspace,
                             (size_t)(need > 0 ? need : 0));
    free(workspace);
    why = verdict(s, right, call);
    if (why != NULL) fprintf(stderr, "status %d, expected %d\n", s->call.status, s->expected);
  }
  free_call(&s->call);
  free(s);
  return why;
}
