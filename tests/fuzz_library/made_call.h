/* A drawn call with its tensors in memory. */
#ifndef FUZZ_MADE_CALL_H
#define FUZZ_MADE_CALL_H

#include "fuzz.h"

typedef struct {
  tn_tensor tensor;
  int64_t shape[MOST_DIMS], strides[MOST_DIMS];
  unsigned char* memory;
  int64_t bytes; /* of memory; of an output also what it has elements for */
} placed;

typedef struct {
  placed in[MOST_TENSORS], out[MOST_TENSORS];
  const tn_tensor* ins[MOST_TENSORS];
  tn_tensor* outs[MOST_TENSORS];
  tn_attr attrs[MOST_ATTRS];
  int n_attrs, status;
} made_call;

void free_call(made_call* made);
/* Memory of an output of the shape that it has; 0: too much. */
int place_output(placed* p, unsigned char garbage);
int is_untouched(const placed* p, unsigned char garbage);
/* May output k be NULL? */
int may_leave_out(const drawn_call* call, int k);

/* ---- spoiled.c */
/* A call that succeeded, with something wrong or unusual about an output or an attribute: what is wrong with how it
   ends, or NULL. */
const char* wrong_when_spoiled(const made_call* right, const drawn_call* call);

#endif
