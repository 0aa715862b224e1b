/* Draws calls: small extents that often agree, types that often fit, attributes that are mostly small and sometimes at
   the ends of their type. What a call needs is not known here: calls that succeed are kept by main.c and changed. */
#include <math.h>
#include <string.h>

#include "fuzz.h"

static uint64_t state;

void seed_random(uint64_t seed) { state = seed * 0x9e3779b97f4a7c15u + 1; }

uint64_t next_random(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t below(int64_t n) { return (int64_t)(next_random() % (uint64_t)n); }

int one_in(int n) { return below(n) == 0; }

static const int32_t all_dtypes[] = {TN_F32, TN_I64, TN_I32,  TN_BOOL, TN_U8,  TN_F64, TN_I8,  TN_U32,
                                     TN_U64, TN_F16, TN_BF16, TN_I16,  TN_U16, TN_C64, TN_C128};

static int32_t any_dtype(int32_t key) {
  const int n = (int)(sizeof all_dtypes / sizeof *all_dtypes);
  return one_in(2) ? key : all_dtypes[one_in(4) ? below(n) : below(4)];
}

static int64_t number(void) {
  static const int64_t ends[] = {INT64_MAX,           INT64_MIN, INT64_MAX - 1,    INT64_MIN + 1,
                                 INT32_MAX,           INT32_MIN, (int64_t)1 << 32, (int64_t)1 << 62,
                                 -((int64_t)1 << 62), 1000003,   -1000003};
  const int n = (int)(sizeof ends / sizeof *ends);
  return one_in(12) ? ends[below(n)] : one_in(4) ? below(20) - 10 : one_in(3) ? below(5) - 2 : below(3);
}

static double real_number(void) {
  static const double ends[] = {1e300, -1e300, 1e-300, 1e40, 4294967296.0, -0.0, 0.1};
  if (one_in(20)) return one_in(2) ? (one_in(2) ? HUGE_VAL : -HUGE_VAL) : ends[below(7)];
  return one_in(2) ? (double)below(4) : (double)(below(41) - 20) / 8;
}

static void draw_attr(drawn_attr* attr) {
  memset(attr, 0, sizeof *attr);
  attr->is_given = one_in(2);
  attr->is_real = one_in(3);
  attr->count = one_in(2) ? 1 : (int32_t)below(5);
  for (int k = 0; k < MOST_LIST; ++k) {
    attr->i[k] = number();
    attr->f[k] = real_number();
  }
}

/* Bodies of kernels differ around powers of two. */
static int64_t body_extent(void) { return ((int64_t)1 << (3 + below(7))) - 1 + below(3); }

int64_t small_extent(void) {
  if (one_in(20)) return body_extent();
  return one_in(12) ? 0 : one_in(3) ? 1 : one_in(6) ? 5 + below(30) : 2 + below(3);
}

/* Strides of the shape in some order, perhaps reversed, apart or repeated. */
static void draw_strides(drawn_tensor* t) {
  int64_t step = 1;
  int32_t order[MOST_DIMS];
  t->is_strided = 1;
  for (int32_t d = 0; d < t->ndim; ++d) order[d] = t->ndim - 1 - d;
  for (int32_t d = t->ndim - 1; d > 0 && one_in(2); --d) {
    const int32_t other = (int32_t)below(d + 1), kept = order[d];
    order[d] = order[other];
    order[other] = kept;
  }
  for (int32_t d = 0; d < t->ndim; ++d) {
    int64_t* stride = &t->strides[order[d]];
    const int64_t extent = t->shape[order[d]];
    *stride = one_in(6) ? 0 : one_in(6) ? -step : step;
    if (one_in(60)) *stride = number();
    if (extent > 0 && extent < 1000 && step < (int64_t)1 << 40) step *= extent;
    if (one_in(5)) step += 1 + below(3);
  }
}

void draw_layout(drawn_tensor* t) {
  memset(t->strides, 0, sizeof t->strides);
  t->is_strided = 0;
  if (one_in(2) && t->ndim > 0 && t->ndim < MOST_DIMS) draw_strides(t);
  t->offset = one_in(3) ? below(5) * bytes_of_dtype(t->dtype) : 0;
  t->is_misaligned = one_in(200);
}

static void draw_data(drawn_tensor* t) {
  t->data = one_in(4) ? DATA_REAL : one_in(3) ? DATA_INDICES : one_in(3) ? (data_kind)below(DATA_KINDS) : DATA_SMALL;
}

void choose_kernel(drawn_call* call, int32_t ndim) {
  const tn_kernel* const kernel = tn_find(call->info.op, (tn_dtype)call->key, ndim);
  if (kernel != NULL) call->kernel = kernel, call->ndim = ndim;
}

void draw_call(drawn_call* call, const op_text* text, const tn_kernel* kernel, int32_t key, int32_t ndim) {
  int64_t palette[3];
  const int is_smooth = one_in(2);
  memset(call, 0, sizeof *call);
  call->kernel = kernel;
  call->key = key;
  call->ndim = ndim;
  tn_describe(kernel, &call->info);
  for (int k = 0; k < 3; ++k) palette[k] = small_extent();
  if (one_in(2)) palette[1] = palette[2] = palette[0];
  for (int k = 0; k < call->info.n_in && k < MOST_TENSORS; ++k) {
    drawn_tensor* t = &call->in[k];
    const int is_optional = k < 32 && (call->info.optional >> k & 1u) != 0;
    t->is_given = is_optional ? one_in(3) : !one_in(50);
    t->dtype = k == 0 ? key : any_dtype(key);
    t->ndim = k == 0 ? ndim : one_in(2) ? ndim : (int32_t)below(one_in(8) ? TN_MAX_NDIM + 1 : 4);
    for (int d = 0; d < MOST_DIMS; ++d) t->shape[d] = one_in(5) ? 1 : palette[below(3)];
    draw_data(t);
    if (is_smooth) t->data = DATA_REAL;
  }
  for (int k = 0; k < call->info.n_attrs && k < MOST_ATTRS; ++k) draw_attr(&call->attr[k]);
  call->out_dtype = any_dtype(key);
  call->seed = next_random();
  if (!one_in(4)) draw_by_signature(call, text);
  if (call->info.n_in > 0) choose_kernel(call, call->in[0].ndim);
  for (int k = 0; k < MOST_TENSORS; ++k) draw_layout(&call->in[k]);
}

/* ---- changes */

static drawn_tensor* any_input(drawn_call* call) {
  const int n = call->info.n_in < MOST_TENSORS ? call->info.n_in : MOST_TENSORS;
  return n == 0 ? NULL : &call->in[below(n)];
}

/* All extents that are equal to one of them: what has to agree often does. */
static void change_equal_extents(drawn_call* call) {
  const drawn_tensor* t = any_input(call);
  if (t == NULL || t->ndim <= 0 || t->ndim > TN_MAX_NDIM) return;
  const int64_t from = t->shape[below(t->ndim)], to = one_in(30) ? (int64_t)1 << (20 + below(43)) : small_extent();
  for (int k = 0; k < MOST_TENSORS; ++k)
    for (int d = 0; d < MOST_DIMS; ++d)
      if (call->in[k].shape[d] == from) call->in[k].shape[d] = to;
}

static void change_extent(drawn_tensor* t) {
  if (t->ndim <= 0 || t->ndim > TN_MAX_NDIM) return;
  int64_t* extent = &t->shape[below(t->ndim)];
  const int has_neighbours = *extent < INT64_MAX - 1 && *extent > INT64_MIN;
  *extent = one_in(2) && has_neighbours ? *extent + below(3) - 1 : one_in(20) ? number() : small_extent();
}

/* A dimension more or fewer in front of every input: what a pack takes. The key's rank is the kernel's, so it stays. */
static void change_rank(drawn_call* call, drawn_tensor* t) {
  if (t == &call->in[0] && !one_in(20)) return;
  if (one_in(40)) t->ndim = (int32_t)below(MOST_DIMS + 2) - 1;
  else if (one_in(2) && t->ndim > 0) memmove(t->shape, t->shape + 1, (size_t)--t->ndim * sizeof *t->shape);
  else if (t->ndim >= 0 && t->ndim < TN_MAX_NDIM) {
    memmove(t->shape + 1, t->shape, (size_t)t->ndim++ * sizeof *t->shape);
    t->shape[0] = small_extent();
  }
}

static void change_attr(drawn_attr* attr) {
  if (!attr->is_given || one_in(8)) {
    draw_attr(attr);
    attr->is_given = 1;
    return;
  }
  if (one_in(6)) attr->is_given = 0;
  if (one_in(6)) attr->count = (int32_t)below(one_in(6) ? MOST_LIST + 1 : 4);
  const int k = (int)below(MOST_LIST);
  attr->i[one_in(2) ? 0 : k] = number();
  attr->f[one_in(2) ? 0 : k] = real_number();
}

static void change_input(drawn_call* call, drawn_tensor* t) {
  switch (below(8)) {
    case 0: change_extent(t); break;
    case 1: change_rank(call, t); break;
    case 2: t->is_given = !t->is_given; break;
    case 3: t->dtype = any_dtype(call->key); break;
    case 4: draw_data(t); break;
    default: draw_layout(t); break;
  }
}

void change_call(drawn_call* call) {
  const int n_attrs = call->info.n_attrs < MOST_ATTRS ? call->info.n_attrs : MOST_ATTRS;
  call->short_workspace = one_in(50);
  call->seed = next_random();
  do {
    drawn_tensor* t = any_input(call);
    const int64_t which = below(3);
    if (which == 0 && n_attrs > 0) change_attr(&call->attr[below(n_attrs)]);
    else if (which == 1) change_equal_extents(call);
    else if (t != NULL) change_input(call, t);
    else call->out_dtype = any_dtype(call->key);
  } while (one_in(2));
}

/* ---- print */

static const char* name_of_dtype(int32_t dtype) {
  static const char* const names[] = {"f32", "i64", "i32",  "bool", "u8",  "f64", "i8",  "u32",
                                      "u64", "f16", "bf16", "i16",  "u16", "c64", "c128"};
  for (size_t k = 0; k < sizeof all_dtypes / sizeof *all_dtypes; ++k)
    if (all_dtypes[k] == dtype) return names[k];
  return "?";
}

static void print_list(FILE* file, const char* title, const int64_t* values, int32_t n) {
  fprintf(file, "%s[", title);
  for (int32_t k = 0; k < n && k < MOST_LIST; ++k) fprintf(file, "%s%lld", k == 0 ? "" : ", ", (long long)values[k]);
  fprintf(file, "]");
}

void print_call(FILE* file, const drawn_call* call) {
  fprintf(file, "  %s %s rank %d\n", call->info.op, name_of_dtype(call->key), (int)call->ndim);
  for (int k = 0; k < call->info.n_in && k < MOST_TENSORS; ++k) {
    const drawn_tensor* t = &call->in[k];
    if (!t->is_given) continue;
    fprintf(file, "    %s %s", call->info.in[k], name_of_dtype(t->dtype));
    print_list(file, "", t->shape, t->ndim < MOST_DIMS ? t->ndim : MOST_DIMS);
    if (t->is_strided) print_list(file, " strides ", t->strides, t->ndim);
    fprintf(file, " offset %lld, data %d%s\n", (long long)t->offset, (int)t->data,
            t->is_misaligned ? ", misaligned" : "");
  }
  for (int k = 0; k < call->info.n_attrs && k < MOST_ATTRS; ++k) {
    const drawn_attr* a = &call->attr[k];
    if (!a->is_given) continue;
    fprintf(file, "    %s =", call->info.attrs[k]);
    if (!a->is_real) print_list(file, " ", a->i, a->count);
    else
      for (int32_t j = 0; j < a->count && j < MOST_LIST; ++j) fprintf(file, " %.17g", a->f[j]);
    fprintf(file, "\n");
  }
}
