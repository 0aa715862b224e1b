/* Tensors on the stack and one call of a library's uniform entry: shapes, workspace, call. */
#ifndef UNIFORM_H
#define UNIFORM_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tn.h"

typedef struct {
  tn_tensor t;
  int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
} box;

/* A tensor over `data`; strides NULL: contiguous. */
static box boxed(tn_dtype type, void* data, int rank, const int64_t* shape, const int64_t* strides) {
  box b;
  memset(&b, 0, sizeof b);
  b.t.data = data;
  b.t.device.type = 1;
  b.t.ndim = rank;
  b.t.dtype.code = (uint8_t)(type >> 8);
  b.t.dtype.bits = (uint8_t)(type & 0xff);
  b.t.dtype.lanes = 1;
  for (int d = 0; d < rank && d < TN_MAX_NDIM; ++d) {
    b.shape[d] = shape[d];
    b.strides[d] = strides == NULL ? 0 : strides[d];
  }
  b.t.strides = strides == NULL ? NULL : b.strides;
  return b;
}

/* One call: call_op("gemm", TN_F32, in, 2, &out, 1, attrs, 1). */
typedef struct {
  const char* op;
  tn_dtype key;
  box* in;
  int n_in;
  box* out;
  int n_out;
  const tn_attr* attrs;
  int n_attrs;
} op_call;
#define call_op(...) run_op_call((op_call){__VA_ARGS__})

/* Runs it with a workspace of the size that it asks for; the boxes' pointers are set here, so boxes may be copied
   before. */
static int run_op_call(op_call c) {
  const tn_tensor* ins[32] = {NULL};
  tn_tensor* outs[16] = {NULL};
  for (int k = 0; k < c.n_in; ++k) {
    c.in[k].t.shape = c.in[k].shape;
    c.in[k].t.strides = c.in[k].t.strides == NULL ? NULL : c.in[k].strides;
    ins[k] = c.in[k].t.ndim < 0 ? NULL : &c.in[k].t; /* rank -1: an absent input */
  }
  for (int k = 0; k < c.n_out; ++k) {
    c.out[k].t.shape = c.out[k].shape;
    outs[k] = &c.out[k].t;
  }
  const tn_kernel* kernel = tn_find(c.op, c.key, c.n_in > 0 ? c.in[0].t.ndim : c.out[0].t.ndim);
  if (kernel == NULL) return -100;
  const int64_t bytes = tn_workspace(kernel, ins, c.attrs, c.n_attrs);
  if (bytes < 0) return (int)bytes;
  void* workspace = malloc((size_t)bytes + 1);
  const int status = tn_call(kernel, ins, c.attrs, c.n_attrs, outs, workspace, (size_t)bytes);
  free(workspace);
  return status;
}

static const char* const levels[] = {"portable",       "x86-64-v2",      "x86-64-v3", "x86-64-v4",
                                     "x86-64-v3-vnni", "x86-64-v4-vnni", "neon",      "neon-dotprod"};

#endif
