/* Orders of dimensions: ranks, axes, and the stored order where it is not the one of the definition. */
#include "tn_internal.h"

void tn_rt_rank(tn_frame *f, const tn_operand *t, int32_t rank)
{
    tn_rt_require(f, t->ndim == rank, TN_E_SHAPE);
}

int32_t tn_rt_pack_rank(tn_frame *f, int32_t rank)
{
    if (rank >= 0 && rank <= TN_MAX_NDIM)
        return rank;
    tn_rt_fail(f, TN_E_SHAPE);
    return 0;
}

/* to[k]: stored dimension of the definition's dimension k, where stored entry j is the definition's entry order[j]. */
static void expand_order(const uint8_t *order, int32_t n, int32_t pack, int32_t ndim, int32_t *to)
{
    const int32_t extra = pack < 0 ? 0 : ndim - n;     /* a pack of r dimensions takes r - 1 more */
    int32_t stored = 0;
    for (int32_t j = 0; j < n; ++j) {
        const int32_t shift = pack >= 0 && order[j] > pack ? extra : 0;
        const int32_t dims = order[j] == pack ? extra + 1 : 1;
        for (int32_t d = 0; d < dims; ++d, ++stored)
            to[order[j] + shift + d] = stored;
    }
}

void tn_rt_stored_as(tn_frame *f, tn_operand *t, const uint8_t *order, int32_t n, int32_t pack)
{
    int32_t from[TN_MAX_NDIM + 1] = {0};
    int64_t shape[TN_MAX_NDIM], step[TN_MAX_NDIM];
    if (pack < 0 ? t->ndim != n : t->ndim < n - 1) {
        tn_rt_fail(f, TN_E_SHAPE);
        return;
    }
    expand_order(order, n, pack, t->ndim, from);
    memcpy(shape, t->shape, sizeof shape);
    memcpy(step, t->step, sizeof step);
    for (int32_t d = 0; d < t->ndim; ++d) {
        t->shape[d] = shape[from[d]];
        t->step[d] = step[from[d]];
    }
}

void tn_rt_pad_front(tn_frame *f, tn_operand *t, int32_t rank, int32_t may_lack)
{
    const int32_t lacks = rank - t->ndim;
    if (lacks < 0 || lacks > may_lack) {
        tn_rt_fail(f, TN_E_SHAPE);
        return;
    }
    for (int32_t d = rank - 1; d >= 0; --d) {
        t->shape[d] = d >= lacks ? t->shape[d - lacks] : 1;
        t->step[d] = d >= lacks ? t->step[d - lacks] : 0;
    }
    t->ndim = rank;
}

void tn_rt_permute(tn_frame *f, tn_operand *t, int pack, const tn_dims *order)
{
    int64_t extent[TN_MAX_NDIM], stride[TN_MAX_NDIM];
    unsigned seen = 0;
    tn_rt_require(f, order->rank == t->rank, TN_E_ATTR);
    if (f->status != 0)
        return;
    for (int32_t d = 0; d < t->rank; ++d) {
        const int32_t from = tn_rt_axis(f, order->dim[d], t->rank, t->rank - 1);
        tn_rt_require(f, (seen >> from & 1u) == 0, TN_E_ATTR);
        seen |= 1u << from;
        extent[d] = t->extent[from];
        stride[d] = t->stride[from];
    }
    memcpy(t->extent, extent, (size_t)t->rank * sizeof extent[0]);
    memcpy(t->stride, stride, (size_t)t->rank * sizeof stride[0]);
    t->group[0].pack = (uint8_t)pack;
    t->group[0].kind = f->op->pack_kinds[pack];
}

int32_t tn_rt_axis(tn_frame *f, int64_t axis, int32_t ndim, int32_t last)
{
    const int64_t from_front = axis < 0 ? axis + ndim : axis;
    if (from_front >= 0 && from_front <= last)
        return (int32_t)from_front;
    tn_rt_fail(f, TN_E_ATTR);
    return 0;
}

/* to[k]: stored dimension of dimension k after the listed axes were moved together behind the first `lead` others. */
static int32_t listed_order(tn_frame *f, const tn_ints *axes, int32_t lead, int32_t ndim, int32_t *to)
{
    unsigned listed = 0;
    int32_t n = 0, at = 0, others = 0;
    for (int32_t k = 0; k < axes->count; ++k) {
        const unsigned bit = 1u << tn_rt_axis(f, axes->values[k], ndim, ndim - 1);
        if ((listed & bit) != 0)
            tn_rt_fail(f, TN_E_ATTR);       /* an axis that is listed twice */
        listed |= bit;
    }
    if (f->status != 0)
        return 0;
    n = axes->count;
    lead = lead < 0 ? ndim - n + lead + 1 : lead;
    if (lead < 0 || lead > ndim - n) {
        tn_rt_fail(f, TN_E_SHAPE);
        return 0;
    }
    for (int32_t d = 0; d < ndim; ++d)
        if ((listed >> d & 1) != 0)
            to[lead + at++] = d;
        else {
            to[others < lead ? others : others + n] = d;
            ++others;
        }
    return n;
}

int32_t tn_rt_listed_axes(tn_frame *f, tn_operand *t, const tn_ints *axes, int32_t lead)
{
    int32_t from[TN_MAX_NDIM] = {0};
    int64_t shape[TN_MAX_NDIM], step[TN_MAX_NDIM];
    const int32_t n = listed_order(f, axes, lead, t->ndim, from);
    if (f->status != 0)
        return 0;
    memcpy(shape, t->shape, sizeof shape);
    memcpy(step, t->step, sizeof step);
    for (int32_t d = 0; d < t->ndim; ++d) {
        t->shape[d] = shape[from[d]];
        t->step[d] = step[from[d]];
    }
    return n;
}

int32_t tn_rt_lowest_axis(tn_frame *f, const tn_ints *axes, int32_t ndim)
{
    int32_t lowest = ndim;
    for (int32_t k = 0; k < axes->count; ++k) {
        const int32_t axis = tn_rt_axis(f, axes->values[k], ndim, ndim - 1);
        lowest = axis < lowest ? axis : lowest;
    }
    return lowest;
}

/* ---- outputs */

/* Brings the stored dimensions into another order: dimension d goes to place to[d]. */
static void reorder(tn_operand *t, const int32_t *to)
{
    int64_t shape[TN_MAX_NDIM];
    memcpy(shape, t->shape, sizeof shape);
    for (int32_t d = 0; d < t->ndim; ++d)
        t->shape[to[d]] = shape[d];
    for (int32_t d = 0; d < t->rank; ++d)
        t->stored_at[d] = (uint8_t)to[t->stored_at[d]];
}

void tn_rt_put_stored_as(tn_frame *f, tn_operand *t, const uint8_t *order, int32_t n, int32_t pack)
{
    int32_t to[TN_MAX_NDIM + 1] = {0};
    if (f->status != 0 || (pack < 0 ? t->ndim != n : t->ndim < n - 1))
        return;
    expand_order(order, n, pack, t->ndim, to);
    reorder(t, to);
}

void tn_rt_put_listed_axes(tn_frame *f, tn_operand *t, const tn_ints *axes, int32_t lead)
{
    int32_t to[TN_MAX_NDIM] = {0};
    (void)listed_order(f, axes, lead, t->ndim, to);
    if (f->status == 0)
        reorder(t, to);
}
