/* Calls of f_grad that fit: each dY gets the type and the shape that tn_infer of f tells of the same inputs. */
#include <string.h>

#include "fuzz.h"

int find_name(const char* const* names, int n, const char* name) {
  for (int k = 0; k < n; ++k)
    if (strcmp(names[k], name) == 0) return k;
  return -1;
}

int is_gradient_of(const char* gradient, const char* name) {
  return gradient[0] == 'd' && strcmp(gradient + 1, name) == 0;
}

int is_absent_gradient(const drawn_call* call, int k) {
  for (int j = 0; j < call->info.n_in && j < MOST_TENSORS; ++j)
    if (!call->in[j].is_given && is_gradient_of(call->info.out[k], call->info.in[j])) return 1;
  return 0;
}

int forward_of(const drawn_call* call, drawn_call* forward) {
  char op[64];
  const size_t length = strlen(call->info.op), suffix = strlen("_grad");
  if (length <= suffix || length - suffix >= sizeof op) return 0;
  if (strcmp(call->info.op + length - suffix, "_grad") != 0) return 0;
  memcpy(op, call->info.op, length - suffix);
  op[length - suffix] = 0;
  memset(forward, 0, sizeof *forward);
  for (int32_t ndim = 0; ndim <= TN_MAX_NDIM && forward->kernel == NULL; ++ndim)
    forward->kernel = tn_find(op, (tn_dtype)call->key, ndim);
  if (forward->kernel == NULL) return 0;
  tn_describe(forward->kernel, &forward->info);
  for (int k = 0; k < forward->info.n_in && k < MOST_TENSORS; ++k) {
    const int at = find_name(call->info.in, call->info.n_in, forward->info.in[k]);
    if (at >= 0 && at < MOST_TENSORS) forward->in[k] = call->in[at];
  }
  memcpy(forward->attr, call->attr, sizeof forward->attr);
  forward->kernel = tn_find(op, (tn_dtype)call->key, forward->in[0].ndim);
  return forward->kernel != NULL;
}

void fit_gradient(drawn_call* call) {
  drawn_call forward;
  drawn_tensor told[MOST_TENSORS];
  if (!forward_of(call, &forward) || told_by_infer(&forward, told) != 0) return;
  for (int k = 0; k < forward.info.n_out; ++k)
    for (int j = 0; j < call->info.n_in && j < MOST_TENSORS; ++j) {
      drawn_tensor* t = &call->in[j];
      if (!is_gradient_of(call->info.in[j], forward.info.out[k]) || told[k].ndim < 0 || told[k].ndim > TN_MAX_NDIM)
        continue;
      t->is_given = 1;
      t->dtype = told[k].dtype;
      if (t->ndim == told[k].ndim && memcmp(t->shape, told[k].shape, (size_t)t->ndim * sizeof *t->shape) == 0) continue;
      t->ndim = told[k].ndim;
      memcpy(t->shape, told[k].shape, sizeof t->shape);
      draw_layout(t);
      if (k == 0) choose_kernel(call, t->ndim);
    }
}
