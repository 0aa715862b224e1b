/* Tensors of a call: what callers hand over, checked, and seen as the definition writes it. */
#include "tn_internal.h"

/* ---- opening */

static void bind_type(tn_frame *f, int32_t type, int32_t dtype)
{
    if (type < TN_TYPE_VARIABLE) {
        tn_rt_require(f, dtype == type, TN_E_DTYPE);
        return;
    }
    int32_t *bound = &f->type[type - TN_TYPE_VARIABLE];
    if (*bound == 0)
        *bound = dtype;
    tn_rt_require(f, *bound == dtype, TN_E_DTYPE);      /* one type variable, one dtype */
}

static void forget(tn_operand *t)
{
    t->tensor = NULL;
    t->data = NULL;
    t->dtype = 0;
    t->bytes = 1;
    t->ndim = t->rank = t->groups = 0;
    for (int32_t d = 0; d < TN_MAX_NDIM; ++d)
        t->shape[d] = t->step[d] = t->written[d] = 0;
}

static int is_empty(const tn_operand *t)
{
    for (int32_t d = 0; d < t->ndim; ++d)
        if (t->shape[d] == 0)
            return 1;
    return 0;
}

/* Strides of a contiguous tensor; bytes and distances must fit in 63 bits. What has no elements has no distances. */
static void contiguous_steps(tn_frame *f, tn_operand *t)
{
    int64_t step = 1, limit = INT64_MAX / t->bytes;
    if (is_empty(t)) {
        for (int32_t d = 0; d < t->ndim; ++d)
            t->step[d] = 0;
        return;
    }
    for (int32_t d = t->ndim - 1; d >= 0; --d) {
        const int64_t n = t->shape[d] > 1 ? t->shape[d] : 1;
        t->step[d] = step;
        if (step > limit / n)
            tn_rt_fail(f, TN_E_SHAPE);
        else
            step *= n;
    }
}

static void read_shape(tn_frame *f, tn_operand *t)
{
    const tn_tensor *given = t->tensor;
    if (given->ndim < 0 || given->ndim > TN_MAX_NDIM) {
        tn_rt_fail(f, TN_E_SHAPE);
        return;
    }
    if (given->ndim > 0 && given->shape == NULL) {
        tn_rt_fail(f, TN_E_NULL);
        return;
    }
    t->ndim = given->ndim;
    for (int32_t d = 0; d < t->ndim; ++d) {
        tn_rt_require(f, given->shape[d] >= 0, TN_E_SHAPE);
        t->shape[d] = given->shape[d] < 0 ? 0 : given->shape[d];
    }
    contiguous_steps(f, t);
}

static void read_steps(tn_frame *f, tn_operand *t)
{
    const int64_t limit = INT64_MAX / 16 / TN_MAX_NDIM;
    if (t->tensor->strides == NULL || is_empty(t))
        return;
    for (int32_t d = 0; d < t->ndim; ++d) {
        const int64_t n = t->shape[d], step = t->tensor->strides[d];
        if (n > 1)
            tn_rt_require(f, step <= limit / n && step >= -limit / n, TN_E_STRIDE);
        if (n > 1)
            t->step[d] = step;
    }
}

/* Where the elements lie; they are aligned to their size, complex numbers to that of their parts. */
static void read_data(tn_frame *f, tn_operand *t)
{
    const int is_complex = t->dtype >> 8 == TN_C64 >> 8;
    const uintptr_t alignment = (uintptr_t)(is_complex ? t->bytes / 2 : t->bytes);
    if (t->tensor->data != NULL)
        t->data = (unsigned char *)t->tensor->data + t->tensor->byte_offset;
    if (f->want != TN_WANT_CALL || is_empty(t))
        return;
    tn_rt_require(f, t->tensor->data != NULL, TN_E_NULL);
    tn_rt_require(f, (uintptr_t)t->data % alignment == 0, TN_E_ALIGN);
}

tn_operand *tn_rt_input(tn_frame *f, int k, int32_t type, int optional)
{
    tn_operand *t = &f->operand[k];
    forget(t);
    if (f->status != 0)
        return t;
    t->tensor = f->in == NULL ? NULL : f->in[k];
    if (t->tensor == NULL) {
        if (optional != TN_OPTIONAL)
            tn_rt_fail(f, TN_E_NULL);
        return t;
    }
    t->dtype = t->tensor->dtype.code << 8 | t->tensor->dtype.bits;
    t->bytes = t->tensor->dtype.bits < 8 ? 1 : t->tensor->dtype.bits / 8;
    tn_rt_require(f, t->tensor->dtype.lanes == 1, TN_E_DTYPE);
    bind_type(f, type, t->dtype);
    read_shape(f, t);
    tn_rt_require(f, optional != TN_WIDENED || t->ndim < TN_MAX_NDIM, TN_E_SHAPE);
    read_steps(f, t);
    read_data(f, t);
    if (k == 0)
        tn_rt_require(f, t->ndim == f->ndim || f->ndim == TN_ANY_RANK, TN_E_SHAPE);   /* the rank that tn_find was asked for */
    return t;
}

tn_operand *tn_rt_output(tn_frame *f, int k, int32_t type)
{
    tn_operand *t = &f->operand[f->op->info.n_in + k];
    forget(t);
    if (f->want != TN_WANT_WORKSPACE) {
        if (f->out == NULL || f->out[k] == NULL) {
            const int bit = f->op->info.n_in + k;
            tn_rt_require(f, bit < 32 && (f->op->info.optional >> bit & 1u) != 0, TN_E_NULL);
            return t;
        }
        t->tensor = f->out[k];
        t->dtype = t->tensor->dtype.code << 8 | t->tensor->dtype.bits;
    }
    if (type < TN_TYPE_VARIABLE) {
        if (f->want == TN_WANT_CALL)
            tn_rt_require(f, t->dtype == type, TN_E_DTYPE);
        t->dtype = type;
    } else if (f->type[type - TN_TYPE_VARIABLE] == 0) {      /* bound by this output alone: the caller's choice */
        f->type[type - TN_TYPE_VARIABLE] = t->dtype;
        if (f->want != TN_WANT_WORKSPACE)
            tn_rt_require(f, t->dtype != 0, TN_E_DTYPE);
    } else {
        if (f->want == TN_WANT_CALL)
            tn_rt_require(f, t->dtype == f->type[type - TN_TYPE_VARIABLE], TN_E_DTYPE);
        t->dtype = f->type[type - TN_TYPE_VARIABLE];
    }
    t->bytes = (t->dtype & 0xff) < 8 ? 1 : (t->dtype & 0xff) / 8;
    if (t->dtype == 0)
        t->bytes = 16;      /* unknown while only the workspace is asked for: the largest */
    return t;
}

/* ---- the view of an input */

static void add(tn_frame *f, tn_operand *t, int64_t extent, int64_t stride)
{
    if (t->rank == TN_MAX_VIEW) {
        tn_rt_fail(f, TN_E_SHAPE);
        return;
    }
    t->extent[t->rank] = extent;
    t->stride[t->rank] = stride;
    ++t->rank;
}

static void add_group(tn_frame *f, tn_operand *t, int kind, int pack, int32_t count)
{
    if (t->groups == TN_MAX_VIEW) {
        tn_rt_fail(f, TN_E_SHAPE);
        return;
    }
    t->group[t->groups].kind = (uint8_t)kind;
    t->group[t->groups].pack = (uint8_t)pack;
    t->group[t->groups].first = (uint8_t)t->rank;
    t->group[t->groups].count = (uint8_t)count;
    ++t->groups;
}

static int32_t stored(tn_frame *f, int32_t at)
{
    if (at >= 0 && at < TN_MAX_NDIM)
        return at;
    tn_rt_fail(f, TN_E_SHAPE);
    return 0;
}

int64_t tn_rt_size(tn_frame *f, tn_operand *t, int32_t at)
{
    at = stored(f, at);
    add_group(f, t, TN_ONE, 0, 1);
    add(f, t, t->shape[at], t->step[at]);
    return t->shape[at];
}

void tn_rt_same(tn_frame *f, tn_operand *t, int32_t at, int64_t size)
{
    tn_rt_require(f, tn_rt_size(f, t, at) == size, TN_E_SHAPE);
}

/* An extent of 1 is repeated by a stride of 0. */
static void add_stretched(tn_frame *f, tn_operand *t, int64_t given, int64_t step, int64_t size)
{
    tn_rt_require(f, given == size || given == 1, TN_E_SHAPE);
    add(f, t, size, given == 1 && size != 1 ? 0 : step);
}

void tn_rt_stretch(tn_frame *f, tn_operand *t, int32_t at, int64_t size)
{
    at = stored(f, at);
    add_group(f, t, TN_ONE, 0, 1);
    add_stretched(f, t, t->shape[at], t->step[at], size);
}

void tn_rt_split(tn_frame *f, tn_operand *t, int32_t at, const int64_t *parts, int32_t n)
{
    int64_t inside = 1;
    at = stored(f, at);
    for (int32_t k = 0; k < n; ++k) {
        int64_t stride = t->step[at];
        for (int32_t j = k + 1; j < n; ++j)
            stride = tn_rt_mul(f, stride, parts[j]);
        tn_rt_require(f, parts[k] >= 0, TN_E_SHAPE);
        add_group(f, t, TN_ONE, 0, 1);
        add(f, t, parts[k], stride);
        inside = tn_rt_mul(f, inside, parts[k]);
    }
    tn_rt_require(f, inside == t->shape[at], TN_E_SHAPE);
}

void tn_rt_pack(tn_frame *f, tn_operand *t, int32_t at, int pack)
{
    tn_dims *p = &f->pack[pack];
    add_group(f, t, f->op->pack_kinds[pack], pack, p->rank);
    for (int32_t d = 0; d < p->rank; ++d) {
        const int32_t s = stored(f, at + d);
        p->dim[d] = t->shape[s];
        add(f, t, t->shape[s], t->step[s]);
    }
}

void tn_rt_same_pack(tn_frame *f, tn_operand *t, int32_t at, int pack)
{
    const tn_dims *p = &f->pack[pack];
    add_group(f, t, f->op->pack_kinds[pack], pack, p->rank);
    for (int32_t d = 0; d < p->rank; ++d) {
        const int32_t s = stored(f, at + d);
        tn_rt_require(f, t->shape[s] == p->dim[d], TN_E_SHAPE);
        add(f, t, p->dim[d], t->step[s]);
    }
}

void tn_rt_stretch_pack(tn_frame *f, tn_operand *t, int32_t at, int32_t count, int pack)
{
    const tn_dims *p = &f->pack[pack];
    const int32_t lacks = p->rank - count;
    tn_rt_require(f, count >= 0 && lacks >= 0, TN_E_SHAPE);
    add_group(f, t, f->op->pack_kinds[pack], pack, p->rank);
    for (int32_t d = 0; d < p->rank; ++d) {
        const int32_t s = stored(f, d < lacks ? at : at + d - lacks);
        add_stretched(f, t, d < lacks ? 1 : t->shape[s], d < lacks ? 0 : t->step[s], p->dim[d]);
    }
}

int64_t tn_rt_stored_extent(tn_frame *f, const tn_operand *t, int32_t at)
{
    return t->shape[stored(f, at)];
}

int64_t tn_rt_broadcast(tn_frame *f, int64_t size, int64_t other)
{
    tn_rt_require(f, size == other || size == 1 || other == 1, TN_E_SHAPE);
    return size == 1 ? other : size;
}

void tn_rt_broadcast_pack(tn_frame *f, int pack, const tn_operand *t, int32_t at, int32_t count)
{
    tn_dims *p = &f->pack[pack];
    count = tn_rt_pack_rank(f, count);
    for (; p->rank < count; ++p->rank) {                 /* align at the end */
        for (int32_t d = p->rank; d > 0; --d)
            p->dim[d] = p->dim[d - 1];
        p->dim[0] = 1;
    }
    for (int32_t d = 0; d < count; ++d) {
        int64_t *to = &p->dim[p->rank - count + d];
        *to = tn_rt_broadcast(f, *to, t->shape[stored(f, at + d)]);
    }
}

int64_t tn_rt_part(tn_frame *f, int64_t whole, int64_t parts)
{
    if (parts > 0 && whole % parts == 0)
        return whole / parts;
    tn_rt_fail(f, TN_E_SHAPE);
    return 0;
}

/* ---- outputs */

static void put_part(tn_frame *f, tn_operand *t, int64_t extent, int64_t inner)
{
    if (t->rank < TN_MAX_VIEW) {
        t->stored_at[t->rank] = (uint8_t)t->ndim;
        t->inner[t->rank] = inner;
    }
    tn_rt_require(f, extent >= 0, TN_E_SHAPE);
    add(f, t, extent, 0);
}

static void put_stored(tn_frame *f, tn_operand *t, int64_t extent)
{
    if (t->ndim == TN_MAX_NDIM)
        tn_rt_fail(f, TN_E_SHAPE);
    else
        t->shape[t->ndim++] = extent < 0 ? 0 : extent;
}

void tn_rt_put(tn_frame *f, tn_operand *t, int64_t extent)
{
    add_group(f, t, TN_ONE, 0, 1);
    put_part(f, t, extent, 1);
    put_stored(f, t, extent);
}

void tn_rt_put_upto(tn_frame *f, tn_operand *t, int64_t bound, int k)
{
    tn_operand *extent = &f->operand[f->op->info.n_in + f->op->info.n_out + k];
    if (t->ndim < TN_MAX_NDIM)
        t->written[t->ndim] = (uint8_t)(k + 1);
    tn_rt_put(f, t, bound);
    forget(extent);
    extent->data = (unsigned char *)&f->extent[k];
    extent->bytes = (int32_t)sizeof f->extent[k];
}

void tn_rt_put_split(tn_frame *f, tn_operand *t, const int64_t *parts, int32_t n)
{
    int64_t whole = 1;
    for (int32_t k = 0; k < n; ++k) {
        int64_t inner = 1;
        for (int32_t j = k + 1; j < n; ++j)
            inner = tn_rt_mul(f, inner, parts[j]);
        add_group(f, t, TN_ONE, 0, 1);
        put_part(f, t, parts[k], inner);
        whole = tn_rt_mul(f, whole, parts[k]);
    }
    put_stored(f, t, whole);
}

void tn_rt_put_pack(tn_frame *f, tn_operand *t, int pack)
{
    const tn_dims *p = &f->pack[pack];
    add_group(f, t, f->op->pack_kinds[pack], pack, p->rank);
    for (int32_t d = 0; d < p->rank; ++d) {
        put_part(f, t, p->dim[d], 1);
        put_stored(f, t, p->dim[d]);
    }
}

/* The given output has the shape and is in memory as it must. */
static void compare(tn_frame *f, tn_operand *t)
{
    const tn_tensor *given = t->tensor;
    tn_rt_require(f, given->dtype.lanes == 1, TN_E_DTYPE);
    tn_rt_require(f, given->ndim == t->ndim, TN_E_SHAPE);
    tn_rt_require(f, t->ndim == 0 || given->shape != NULL, TN_E_NULL);
    for (int32_t d = 0; d < t->ndim && f->status == 0; ++d)
        tn_rt_require(f, given->shape[d] == t->shape[d], TN_E_SHAPE);
    for (int32_t d = 0; d < t->ndim && f->status == 0 && given->strides != NULL && !is_empty(t); ++d)
        tn_rt_require(f, t->shape[d] == 1 || given->strides[d] == t->step[d], TN_E_STRIDE);
}

static void fill_in(const tn_frame *f, const tn_operand *t, int k)
{
    tn_tensor *out = f->out[k];
    out->dtype.code = (uint8_t)(t->dtype >> 8);
    out->dtype.bits = (uint8_t)(t->dtype & 0xff);
    out->dtype.lanes = 1;
    out->ndim = t->ndim;
    for (int32_t d = 0; d < t->ndim; ++d)
        out->shape[d] = t->shape[d];
}

void tn_rt_close(tn_frame *f, tn_operand *t, int k)
{
    if (f->status != 0)                     /* maybe more dimensions than there is room for */
        return;
    contiguous_steps(f, t);
    for (int32_t d = 0; d < t->rank; ++d)
        t->stride[d] = t->step[t->stored_at[d]] * t->inner[d];
    if (k == 0 && (f->op->info.n_in == 0 || f->operand[0].tensor == NULL))
        tn_rt_require(f, t->ndim == f->ndim || f->ndim == TN_ANY_RANK, TN_E_SHAPE);   /* the rank that tn_find was asked for */
    if (f->status != 0 || f->want == TN_WANT_WORKSPACE)
        return;
    if (f->want == TN_WANT_SHAPES) {
        if (t->ndim > 0 && f->out[k]->shape == NULL)
            tn_rt_fail(f, TN_E_NULL);
        else
            fill_in(f, t, k);
        return;
    }
    if (!f->is_typed)
        compare(f, t);
    if (f->status == 0)
        read_data(f, t);
}
