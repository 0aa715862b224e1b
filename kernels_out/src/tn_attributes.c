/* Attributes of a call: looked up by name, checked for kind and count, defaults where absent. */
#include "tn_internal.h"

/* The attribute of that name, or NULL. Exactly one of its lists is given, and the wanted number of values (-1: any). */
static const tn_attr *find_attribute(tn_frame *f, const char *name, int required, int wants_reals, int32_t count)
{
    for (int k = 0; k < f->n_attrs; ++k) {
        const tn_attr *a = &f->attrs[k];
        if (a->name == NULL) {
            tn_rt_fail(f, TN_E_NULL);
            return NULL;
        }
        if (!tn_rt_same_text(a->name, name))
            continue;
        ++f->n_attrs_read;
        if (a->count < 0 || (count >= 0 && a->count != count) || (wants_reals ? a->i != NULL : a->f != NULL) ||
            (a->count > 0 && (wants_reals ? a->f == NULL : a->i == NULL))) {
            tn_rt_fail(f, TN_E_ATTR);
            return NULL;
        }
        return a;
    }
    if (required)
        tn_rt_fail(f, TN_E_ATTR);
    return NULL;
}

void tn_rt_attr_int(tn_frame *f, const char *name, int required, int64_t *to, int32_t count)
{
    const tn_attr *a = find_attribute(f, name, required, 0, count);
    for (int32_t k = 0; a != NULL && k < count; ++k)
        to[k] = a->i[k];
}

void tn_rt_attr_real(tn_frame *f, const char *name, int required, double *to, int32_t count)
{
    const tn_attr *a = find_attribute(f, name, required, 1, count);
    for (int32_t k = 0; a != NULL && k < count; ++k)
        to[k] = a->f[k];
}

void tn_rt_attr_value(tn_frame *f, const char *name, int required, int32_t dtype, tn_value *to, int32_t count)
{
    const int is_complex = dtype >> 8 == TN_C64 >> 8;
    const tn_attr *a = find_attribute(f, name, required, tn_rt_is_float(dtype), is_complex ? -1 : count);
    if (a == NULL)
        return;
    if (is_complex && a->count != count && a->count != 2 * count) {
        tn_rt_fail(f, TN_E_ATTR);
        return;
    }
    for (int32_t k = 0; k < count; ++k)
        if (!tn_rt_is_float(dtype)) {
            to[k].i = a->i[k];
        } else {
            const int32_t parts = a->count / count;      /* real and imaginary part, or the real one alone */
            to[k].f[0] = a->f[parts * k];
            to[k].f[1] = parts == 2 ? a->f[parts * k + 1] : 0;
        }
}

void tn_rt_attr_ints(tn_frame *f, const char *name, int required, tn_ints *to)
{
    const tn_attr *a = find_attribute(f, name, required, 0, -1);
    if (a == NULL)
        return;
    to->count = a->count;
    to->values = a->i;
}

void tn_rt_attr_reals(tn_frame *f, const char *name, int required, tn_reals *to)
{
    const tn_attr *a = find_attribute(f, name, required, 1, -1);
    if (a == NULL)
        return;
    to->count = a->count;
    to->values = a->f;
}

void tn_rt_attr_dims(tn_frame *f, const char *name, int required, tn_dims *to)
{
    const tn_attr *a = find_attribute(f, name, required, 0, -1);
    if (a == NULL)
        return;
    if (a->count > TN_MAX_NDIM) {
        tn_rt_fail(f, TN_E_ATTR);
        return;
    }
    to->rank = a->count;
    for (int32_t k = 0; k < a->count; ++k)
        to->dim[k] = a->i[k];
}

void tn_rt_attrs_done(tn_frame *f)
{
    if (f->n_attrs_read != f->n_attrs)
        tn_rt_fail(f, TN_E_ATTR);      /* a name that the operator does not know, or one given twice */
}

void tn_rt_per_dim(tn_frame *f, tn_dims *list, const tn_dims *pack, int64_t neutral)
{
    if (list->rank < 0) {
        list->rank = pack->rank;
        for (int32_t d = 0; d < pack->rank; ++d)
            list->dim[d] = neutral;
    }
    if (list->rank != pack->rank) {
        tn_rt_fail(f, TN_E_ATTR);
        list->rank = 0;
    }
}

void tn_rt_give_list(tn_frame *f, int k, const tn_dims *list, int64_t neutral)
{
    const int32_t front = TN_MAX_NDIM - (list->rank < 0 ? 0 : list->rank);
    for (int32_t d = 0; d < TN_MAX_NDIM; ++d)
        f->list[k][d] = d < front ? neutral : list->dim[d - front];
}

int tn_rt_is_float(int32_t dtype)
{
    const int32_t kind = dtype >> 8;
    return kind == TN_F32 >> 8 || kind == TN_BF16 >> 8 || kind == TN_C64 >> 8 || kind > TN_BOOL >> 8;   /* those behind bool are small floats */
}

/* Lowest and highest value of an integer type, as bits of 64. */
static void int_range(int32_t dtype, int64_t *lowest, int64_t *highest)
{
    const int32_t bits = dtype & 0xff;
    *lowest = *highest = 0;
    if (dtype == TN_BOOL) {
        *highest = 1;
    } else if (dtype >> 8 == TN_U8 >> 8) {
        *highest = bits == 64 ? -1 : (int64_t)((UINT64_C(1) << bits) - 1);
    } else {
        *highest = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
        *lowest = -*highest - 1;
    }
}

tn_value tn_rt_value(int32_t dtype, double x)
{
    tn_value v;
    int64_t lowest, highest;
    v.f[0] = v.f[1] = 0;
    if (tn_rt_is_float(dtype)) {
        v.f[0] = x;
        return v;
    }
    int_range(dtype, &lowest, &highest);
    if (x >= 9223372036854775808.0)
        v.i = highest;
    else if (x < -9223372036854775808.0)
        v.i = lowest;
    else
        v = tn_rt_value_int(dtype, (int64_t)x);
    return v;
}

tn_value tn_rt_value_int(int32_t dtype, int64_t x)
{
    tn_value v;
    int64_t lowest, highest;
    v.f[0] = v.f[1] = 0;
    if (tn_rt_is_float(dtype)) {
        v.f[0] = (double)x;
        return v;
    }
    int_range(dtype, &lowest, &highest);
    if (highest < 0)
        v.i = x < 0 ? 0 : x;                       /* u64 */
    else
        v.i = x < lowest ? lowest : x > highest ? highest : x;
    return v;
}

tn_scalar tn_rt_scalar(int32_t dtype, const tn_value *v, int part)
{
    tn_scalar s;
    if (tn_rt_is_float(dtype))
        s.f = v->f[part];
    else
        s.i = v->i;
    return s;
}
