/* Shapes as a header's signature writes them: `(X [*P, D@axis, *Q], F [(groups Cg), ~M])`. A name has one extent, a
   pack (`*`) one list of extents, `~` is the extent or 1, what stands in brackets is a product. Attributes have the
   kind that the header gives them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MOST_SYMBOLS = 40, LONGEST_NAME = 24 };

typedef struct {
  char name[LONGEST_NAME];
  int32_t rank;
  int64_t extent[4]; /* of a pack; otherwise the first is all */
} symbol;

static symbol known[MOST_SYMBOLS];
static int n_known;
static int64_t usual[2];

static const char* read_name(const char* at, char* name) {
  size_t n = 0;
  for (; isalnum((unsigned char)*at) || *at == '_'; ++at)
    if (n + 1 < LONGEST_NAME) name[n++] = *at;
  name[n] = 0;
  return at;
}

static const symbol* symbol_of(const char* name) {
  for (int k = 0; k < n_known; ++k)
    if (strcmp(known[k].name, name) == 0) return &known[k];
  symbol* s = &known[n_known < MOST_SYMBOLS - 1 ? n_known++ : n_known];
  memset(s, 0, sizeof *s);
  strcpy(s->name, name);
  s->rank = (int32_t)below(3);
  for (int k = 0; k < 4; ++k) s->extent[k] = one_in(3) ? small_extent() : usual[below(2)];
  if (isdigit((unsigned char)name[0])) s->extent[0] = atoll(name);
  return s;
}

static void add_extent(drawn_tensor* t, int64_t extent) {
  if (t->ndim < TN_MAX_NDIM) t->shape[t->ndim++] = extent;
}

/* One dimension or pack from `at` to the comma or bracket behind it. */
static const char* read_dimension(const char* at, drawn_tensor* t) {
  char name[LONGEST_NAME];
  const int is_stretched = *at == '~' && ++at, is_pack = *at == '*' && ++at, is_product = *at == '(' && ++at;
  const int is_one = is_stretched && one_in(3);
  int64_t product = 1;
  int32_t left_out = is_stretched && is_pack && one_in(3) ? 1 : 0;
  do {
    while (*at == ' ') ++at;
    at = read_name(at, name);
    if (name[0] == 0) break;
    const symbol* s = symbol_of(name);
    product = product * s->extent[0] % (1 << 20);
    for (int32_t d = left_out; is_pack && d < s->rank; ++d) add_extent(t, is_stretched && one_in(4) ? 1 : s->extent[d]);
  } while (is_product && *at != ')' && *at != 0);
  if (!is_pack) add_extent(t, is_one ? 1 : product);
  while (*at != ',' && *at != ']' && *at != 0) ++at;
  return at;
}

static void read_inputs(drawn_call* call, const char* at) {
  for (int k = 0; k < call->info.n_in && k < MOST_TENSORS; ++k) {
    drawn_tensor* t = &call->in[k];
    while (*at != '[' && *at != 0) ++at;
    if (*at == 0) return;
    t->ndim = 0;
    for (++at; *at != ']' && *at != 0;) {
      at = read_dimension(at, t);
      while (*at == ',' || *at == ' ') ++at;
    }
  }
}

/* The kind of an attribute as table.awk writes it, or NULL. */
static const char* kind_of(const op_text* text, const char* name) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, " %s:", name);
  const char* at = strstr(text->attrs, wanted);
  return at == NULL ? NULL : at + strlen(wanted);
}

static void draw_kind(drawn_attr* attr, const char* kind, const drawn_call* call) {
  const int is_list = kind[0] == 'I' || kind[0] == 'R', count = atoi(kind + 1);
  const int is_real_key = call->key >> 8 == 2 || call->key >> 8 == 4 || call->key >> 8 == 5;
  attr->is_real = kind[0] == 'r' || kind[0] == 'R' || (kind[0] == 'v' && is_real_key);
  const int32_t any_count = one_in(2) && call->in[0].ndim < MOST_LIST ? call->in[0].ndim : (int32_t)below(4);
  attr->count = is_list ? any_count : count > 0 ? count : kind[0] == 'v' && call->key >> 8 == 5 ? 2 : 1;
  attr->is_given = strchr(kind, '!') != NULL && strchr(kind, '!') < strchr(kind, ' ') ? 1 : one_in(3);
  if (one_in(2))
    for (int k = 0; k < MOST_LIST; ++k) attr->i[k] = below(3);
}

/* The types of a typed function: float stands for the operator's own, and bytes may be of two types. */
static int32_t dtype_of(const char* type, size_t n, int32_t key) {
  static const struct {
    const char* name;
    int32_t dtype;
  } types[] = {{"double", TN_F64},  {"uint8_t", TN_BOOL}, {"int8_t", TN_I8},
               {"int32_t", TN_I32}, {"int64_t", TN_I64},  {"uint16_t", TN_F16}};
  if (n == strlen("uint8_t") && strncmp("uint8_t", type, n) == 0 && one_in(2)) return TN_U8;
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k)
    if (strlen(types[k].name) == n && strncmp(types[k].name, type, n) == 0) return types[k].dtype;
  return key;
}

static void draw_types(drawn_call* call, const char* at) {
  for (int k = 0; k < call->info.n_in && k < MOST_TENSORS; ++k) {
    at += strspn(at, " ");
    const size_t n = strcspn(at, " ");
    if (n == 0) return;
    if (!one_in(10)) call->in[k].dtype = dtype_of(at, n, call->key);
    at += n;
  }
}

void draw_by_signature(drawn_call* call, const op_text* text) {
  n_known = 0;
  usual[0] = small_extent();
  usual[1] = one_in(2) ? usual[0] : small_extent();
  read_inputs(call, text->signature);
  if (!one_in(4)) draw_types(call, text->types);
  for (int k = 0; k < call->info.n_attrs && k < MOST_ATTRS; ++k) {
    const char* kind = kind_of(text, call->info.attrs[k]);
    if (kind == NULL || one_in(30)) continue;
    draw_kind(&call->attr[k], kind, call);
    for (int s = 0; s < n_known; ++s)
      if (strcmp(known[s].name, call->info.attrs[k]) == 0)
        call->attr[k].i[0] = known[s].extent[0], call->attr[k].is_given = 1;
  }
}
