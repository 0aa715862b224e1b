/* A call of the library as the fuzzer draws it: types, shapes, strides, offsets and attributes; what the files of this
 * folder share. */
#ifndef FUZZ_H
#define FUZZ_H
#include <stdint.h>
#include <stdio.h>

#include "tn.h"

enum {
  MOST_TENSORS = 24,
  MOST_ATTRS = 24,
  MOST_LIST = 10,
  MOST_DIMS = 9,
  MOST_BYTES = 1 << 16,
  MOST_ELEMENTS = 1 << 13
};

/* How an input's elements are chosen. */
typedef enum { DATA_INDICES, DATA_SMALL, DATA_REAL, DATA_BITS, DATA_ENDS, DATA_KINDS } data_kind;

typedef struct {
  int is_given, is_strided;
  int32_t dtype;
  int32_t ndim; /* -1 and MOST_DIMS are refused */
  int64_t shape[MOST_DIMS], strides[MOST_DIMS];
  int64_t offset; /* in bytes, from the address that the tensor names */
  data_kind data;
  int is_misaligned; /* its address is one byte beyond that of an element */
} drawn_tensor;

typedef struct {
  int is_given, is_real;
  int32_t count;
  int64_t i[MOST_LIST];
  double f[MOST_LIST];
} drawn_attr;

typedef struct {
  const tn_kernel* kernel;
  tn_op_info info;
  int32_t key, ndim;
  drawn_tensor in[MOST_TENSORS];
  int32_t out_dtype; /* what the outputs hold where the call may choose */
  drawn_attr attr[MOST_ATTRS];
  uint64_t seed; /* of the data */
  int short_workspace;
} drawn_call;

/* What the library's header says of an operator: table.awk. */
typedef struct {
  const char *op, *signature, *attrs, *types;
} op_text;
extern const op_text op_texts[];

/* ---- signature.c: inputs and attributes as the header describes them */
void draw_by_signature(drawn_call* call, const op_text* text);

/* ---- draw.c */
uint64_t next_random(void);
void seed_random(uint64_t seed);
/* A number below n. */
int64_t below(int64_t n);
int one_in(int n);
int64_t small_extent(void);
/* A call of one of the kernels from nothing, and a call that differs from `from` in a few places. */
void draw_call(drawn_call* call, const op_text* text, const tn_kernel* kernel, int32_t key, int32_t ndim);
void change_call(drawn_call* call);
void draw_layout(drawn_tensor* t);
/* The kernel of the call's operator for this rank, if there is one. */
void choose_kernel(drawn_call* call, int32_t ndim);
void print_call(FILE* file, const drawn_call* call);

/* ---- gradient.c */
int find_name(const char* const* names, int n, const char* name);
int is_gradient_of(const char* gradient, const char* name);
/* The call of f whose gradient the call asks for; 0: it is none, or f has no kernel of this rank. */
int forward_of(const drawn_call* call, drawn_call* forward);
void fit_gradient(drawn_call* call);
/* Is output k the gradient of an input that is absent? It stays as it is. */
int is_absent_gradient(const drawn_call* call, int k);

/* ---- differences.c */
int equals_differences(const drawn_call* call, const tn_tensor* const* ins, tn_tensor* const* outs,
                       const tn_attr* attrs, int n_attrs);

/* ---- data.c */
void store(unsigned char* at, int32_t dtype, data_kind kind);
/* An element, or with part 1 its imaginary part, as a number; how far two orders of one sum may be apart. */
double value_of(const unsigned char* at, int32_t dtype, int part);
double slack_of(int32_t dtype);

/* ---- call.c */
typedef enum { CALL_REFUSED, CALL_RIGHT, CALL_TOO_LARGE, CALL_WRONG } call_result;
/* Makes the call in several ways and compares them; `why` says what is wrong. `status` is what tn_infer or tn_call
 * said. */
call_result try_call(const drawn_call* call, int* status, const char** why);
/* The status of tn_infer, and what it tells of the outputs. */
int told_by_infer(const drawn_call* call, drawn_tensor* out);
int bytes_of_dtype(int32_t dtype);
/* Elements of a shape, -1 for more than anything here has; those of a tensor behind one another. */
int64_t elements(const int64_t* shape, int32_t ndim);
void copy_elements(unsigned char* to, const tn_tensor* from);

#endif
