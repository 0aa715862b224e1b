/* Running a call: the kernel for its dtypes, operands copied where it needs another layout, the loops around it. */
#include "tn_internal.h"

/* An argument of the kernel. */
typedef struct {
    const tn_operand *operand;
    int is_output, is_staged;
    unsigned char *base;
    int64_t stride[TN_MAX_VIEW];             /* of the view: the operand's, or contiguous once it is staged */
    int64_t kernel_extent[TN_MAX_KERNEL_DIMS], kernel_stride[TN_MAX_KERNEL_DIMS];
    int64_t inner_stride[TN_MAX_PACKS];      /* of the innermost merged dimension of a pack */
    int64_t outer_stride[TN_MAX_PACKS];      /* of the other dimension that the kernel of a plane takes */
    int64_t loop_stride[TN_MAX_VIEW];        /* of the loops around the kernel */
} place;

typedef struct {
    const tn_form *form;
    const tn_core *core;
    place at[TN_MAX_OPERANDS];
    int64_t inner[TN_MAX_PACKS];             /* extent that the kernel sees of a pack */
    int64_t outer[TN_MAX_PACKS];             /* and of a plane the other one */
    int32_t loops;                           /* around the kernel, innermost first */
    int64_t loop_extent[TN_MAX_VIEW], loop_weight[TN_MAX_VIEW];
    uint8_t loop_pack[TN_MAX_VIEW];
    int64_t pack_base[TN_MAX_PACKS];
    int64_t runs;
    int64_t size[TN_MAX_SIZES];
    tn_scalar scalar[TN_MAX_SCALARS];
} plan;

/* ---- copying */

static void copy_row(unsigned char *to, int64_t to_step, const unsigned char *from, int64_t from_step, int64_t n, int32_t bytes)
{
    if (to_step == bytes && from_step == bytes) {
        memcpy(to, from, (size_t)(n * bytes));
        return;
    }
    switch (bytes) {
    case 1:
        for (int64_t k = 0; k < n; ++k)
            to[k * to_step] = from[k * from_step];
        break;
    case 2:
        for (int64_t k = 0; k < n; ++k)
            memcpy(to + k * to_step, from + k * from_step, 2);
        break;
    case 4:
        for (int64_t k = 0; k < n; ++k)
            memcpy(to + k * to_step, from + k * from_step, 4);
        break;
    case 8:
        for (int64_t k = 0; k < n; ++k)
            memcpy(to + k * to_step, from + k * from_step, 8);
        break;
    default:
        for (int64_t k = 0; k < n; ++k)
            memcpy(to + k * to_step, from + k * from_step, 16);
    }
}

/* Drops extents of 1 and joins neighbours that lie one after the other on both sides. Returns 0 for an empty box. */
static int simplify(const tn_box *box, tn_box *s)
{
    s->rank = 0;
    for (int32_t d = box->rank - 1; d >= 0; --d) {          /* innermost first */
        const int32_t last = s->rank - 1;
        if (box->extent[d] == 0)
            return 0;
        if (box->extent[d] == 1)
            continue;
        if (s->rank > 0 && box->to[d] == s->to[last] * s->extent[last] && box->from[d] == s->from[last] * s->extent[last]) {
            s->extent[last] *= box->extent[d];
            continue;
        }
        s->extent[s->rank] = box->extent[d];
        s->to[s->rank] = box->to[d];
        s->from[s->rank] = box->from[d];
        ++s->rank;
    }
    return 1;
}

void tn_rt_copy(void *to, const void *from, const tn_box *box, int32_t bytes)
{
    tn_box s;
    int64_t at[TN_MAX_VIEW] = {0};
    unsigned char *t = to;
    const unsigned char *o = from;
    if (!simplify(box, &s))
        return;
    if (s.rank == 0) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    for (;;) {
        int32_t d = 1;
        copy_row(t, s.to[0] * bytes, o, s.from[0] * bytes, s.extent[0], bytes);
        for (; d < s.rank; ++d) {                           /* the next row: an odometer over the outer dimensions */
            t += s.to[d] * bytes;
            o += s.from[d] * bytes;
            if (++at[d] < s.extent[d])
                break;
            t -= s.to[d] * bytes * s.extent[d];
            o -= s.from[d] * bytes * s.extent[d];
            at[d] = 0;
        }
        if (d == s.rank)
            return;
    }
}

/* Of an empty tensor the extents next to the 0 may have any product: it wraps, and nothing is at such a distance. */
static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t elements(const tn_operand *t)
{
    int64_t n = 1;
    for (int32_t d = 0; d < t->rank; ++d)
        n = times(n, t->extent[d]);
    return n;
}

static int64_t staged_bytes(const place *p)
{
    return (elements(p->operand) * p->operand->bytes + 63) / 64 * 64;
}

static void contiguous(const tn_operand *t, int64_t *stride)
{
    int64_t step = 1;
    for (int32_t d = t->rank - 1; d >= 0; --d) {
        stride[d] = step;
        step = times(step, t->extent[d]);
    }
}

/* ---- the innermost dimension of a pack, and the loops around it */

static const tn_group *group_of(const place *p, int pack)
{
    for (int32_t g = 0; g < p->operand->groups; ++g)
        if (p->operand->group[g].kind >= TN_ODOMETER && p->operand->group[g].pack == pack)
            return &p->operand->group[g];
    return NULL;
}

/* May dimension d of the pack be joined with the run of `extent` elements inside it, on every argument? */
static int joins(const plan *p, int pack, int32_t d, int32_t loop, int64_t extent)
{
    for (int k = 0; k < p->form->n_arguments; ++k) {
        const tn_group *g = group_of(&p->at[k], pack);
        const int64_t inside = loop < 0 ? p->at[k].inner_stride[pack] : p->at[k].loop_stride[loop];
        if (g != NULL && p->at[k].stride[g->first + d] != times(inside, extent))
            return 0;
    }
    return 1;
}

static void open_run(plan *p, int pack, int32_t d, int32_t loop)
{
    for (int k = 0; k < p->form->n_arguments; ++k) {
        const tn_group *g = group_of(&p->at[k], pack);
        const int64_t stride = g == NULL ? 0 : p->at[k].stride[g->first + d];
        if (loop < 0)
            p->at[k].inner_stride[pack] = stride;
        else
            p->at[k].loop_stride[loop] = stride;
    }
}

static void merge_pack(const tn_frame *f, plan *p, int pack)
{
    const tn_dims *dims = &f->pack[pack];
    int64_t weight = 1;
    int32_t run = -2;                                       /* -2: none yet, -1: the kernel's own, else a loop */
    p->inner[pack] = 1;
    for (int32_t d = dims->rank - 1; d >= 0; --d) {
        int64_t *extent = run < 0 ? &p->inner[pack] : &p->loop_extent[run];
        if (dims->dim[d] == 1)
            continue;
        if (run == -2) {
            run = -1;
            p->inner[pack] = dims->dim[d];
            open_run(p, pack, d, run);
        } else if (joins(p, pack, d, run, *extent)) {
            *extent = times(*extent, dims->dim[d]);
        } else if (p->loops < TN_MAX_VIEW) {
            run = p->loops++;
            p->loop_extent[run] = dims->dim[d];
            p->loop_weight[run] = weight;
            p->loop_pack[run] = (uint8_t)pack;
            open_run(p, pack, d, run);
        }
        weight = times(weight, dims->dim[d]);
    }
    if (run == -2)
        for (int k = 0; k < p->form->n_arguments; ++k)
            p->at[k].inner_stride[pack] = -1;               /* one element: any stride will do */
}

/* Is an argument dense along this loop, but not along the innermost dimension? */
static int turns(const plan *p, int pack, int32_t loop)
{
    for (int k = 0; k < p->form->n_arguments; ++k)
        if (p->at[k].loop_stride[loop] == 1 && p->at[k].inner_stride[pack] != 1)
            return 1;
    return 0;
}

/* The kernel of a plane takes over one of the loops: that along which an input is dense, else the innermost. */
static void take_loop(plan *p, int pack)
{
    int32_t taken = 0;
    p->outer[pack] = 1;
    for (int k = 0; k < p->form->n_arguments; ++k)
        p->at[k].outer_stride[pack] = -1;
    if (p->loops == 0)
        return;
    for (int32_t d = 0; d < p->loops; ++d)
        if (turns(p, pack, d))
            taken = d;
    p->outer[pack] = p->loop_extent[taken];
    for (int k = 0; k < p->form->n_arguments; ++k)
        p->at[k].outer_stride[pack] = p->at[k].loop_stride[taken];
    --p->loops;
    for (int32_t d = taken; d < p->loops; ++d) {
        p->loop_extent[d] = p->loop_extent[d + 1];
        for (int k = 0; k < p->form->n_arguments; ++k)
            p->at[k].loop_stride[d] = p->at[k].loop_stride[d + 1];
    }
}

/* ---- fitting an operand to what the kernel expects */

/* A pack as one dimension: its stride, and whether it has one. */
static int collapse(const place *p, const tn_group *g, int64_t *extent, int64_t *stride)
{
    int fits = 1;
    *extent = 1;
    *stride = -1;
    for (int32_t d = g->first + g->count - 1; d >= g->first; --d) {
        const int64_t n = p->operand->extent[d];
        if (n == 1)
            continue;
        if (*stride == -1 && *extent == 1)
            *stride = p->stride[d];
        else if (p->stride[d] != times(*stride, *extent))
            fits = 0;
        *extent = times(*extent, n);
    }
    return fits;
}

static int32_t kernel_dims(const plan *p, place *a, int *fits)
{
    int32_t n = 0;
    for (int32_t g = 0; g < a->operand->groups; ++g) {
        const tn_group *group = &a->operand->group[g];
        switch (group->kind) {
        case TN_COLLAPSED:
            *fits &= collapse(a, group, &a->kernel_extent[n], &a->kernel_stride[n]);
            ++n;
            break;
        case TN_PLANE:
            a->kernel_extent[n] = p->outer[group->pack];
            a->kernel_stride[n++] = a->outer_stride[group->pack];
            a->kernel_extent[n] = p->inner[group->pack];
            a->kernel_stride[n++] = a->inner_stride[group->pack];
            break;
        case TN_ODOMETER:
            a->kernel_extent[n] = p->inner[group->pack];
            a->kernel_stride[n++] = a->inner_stride[group->pack];
            break;
        default:
            for (int32_t d = group->kind == TN_FIXED ? group->count - TN_MAX_NDIM : 0; d < group->count; ++d, ++n) {
                a->kernel_extent[n] = d < 0 ? 1 : a->operand->extent[group->first + d];
                a->kernel_stride[n] = d < 0 ? -1 : a->stride[group->first + d];
            }
        }
    }
    return n;
}

/* Fills kernel_extent and kernel_stride; 0 if the operand has to be copied first. */
static int fit(const plan *p, place *a, uint32_t any_stride)
{
    int fits = 1;
    int64_t expected = 1;
    const int32_t n = kernel_dims(p, a, &fits);
    for (int32_t d = n - 1; d >= 0; --d) {
        const int free_choice = (any_stride >> d & 1) != 0;
        if (a->kernel_extent[d] <= 1 || !free_choice) {
            if (a->kernel_extent[d] > 1 && a->kernel_stride[d] != expected)
                fits = 0;
            a->kernel_stride[d] = expected;
        }
        expected = times(expected, a->kernel_extent[d]);
    }
    return fits || expected == 0;
}

/* Lays out all arguments. Staging one may change what merges, so it is done again until all fit. */
static int lay_out(const tn_frame *f, plan *p)
{
    for (int round = 0; round <= p->form->n_arguments; ++round) {
        int again = 0;
        p->loops = 0;
        for (int k = 0; k < f->op->n_packs; ++k)
            if (f->op->pack_kinds[k] >= TN_ODOMETER) {
                merge_pack(f, p, k);
                if (f->op->pack_kinds[k] == TN_PLANE)
                    take_loop(p, k);
            }
        for (int k = 0; k < p->form->n_arguments; ++k) {
            if (fit(p, &p->at[k], p->form->arguments[k].any_stride))
                continue;
            if (p->at[k].is_staged)
                return TN_E_STRIDE;
            p->at[k].is_staged = again = 1;
            contiguous(p->at[k].operand, p->at[k].stride);
        }
        if (!again)
            return 0;
    }
    return TN_E_STRIDE;
}

/* ---- what the kernel is given */

static int64_t value_of(const tn_frame *f, const plan *p, tn_source s)
{
    switch (s.from) {
    case TN_FROM_SYMBOL:
        return f->symbol[s.a];
    case TN_FROM_STRIDE:
        return p->at[s.a].kernel_stride[s.b];
    case TN_FROM_PACK_ATTR:
        return f->list[s.a][s.b];
    case TN_FROM_PACK_BASE:
        return p->pack_base[s.a];
    case TN_FROM_PACK_RANK:
        return f->pack[s.a].rank;
    default:
        break;
    }
    const tn_dims *pack = &f->pack[s.a];
    if (f->op->pack_kinds[s.a] == TN_PLANE)
        return s.b == TN_OUTER ? p->outer[s.a] : p->inner[s.a];
    if (s.b != TN_WHOLE) {
        const int32_t d = s.b - (TN_MAX_NDIM - pack->rank);
        return d < 0 ? 1 : pack->dim[d];
    }
    if (f->op->pack_kinds[s.a] == TN_ODOMETER)
        return p->inner[s.a];
    int64_t n = 1;
    for (int32_t d = 0; d < pack->rank; ++d)
        n = times(n, pack->dim[d]);
    return n;
}

static void give(const tn_frame *f, plan *p)
{
    for (int k = 0; k < p->form->n_sizes; ++k)
        p->size[k] = value_of(f, p, p->form->sizes[k]);
}

static int prepare(const tn_frame *f, const tn_entry *entry, const tn_core *core, plan *p)
{
    int status;
    p->form = &f->op->forms[entry->form];
    p->core = core;
    for (int k = 0; k < p->form->n_arguments; ++k) {
        place *a = &p->at[k];
        a->operand = &f->operand[p->form->arguments[k].operand];
        a->is_output = p->form->arguments[k].operand >= f->op->info.n_in;
        a->is_staged = 0;
        a->base = a->operand->data;
        memcpy(a->stride, a->operand->stride, sizeof a->stride);
        if (a->operand->groups == 0)                        /* maybe absent: the kernel is given strides all the same */
            memset(a->kernel_stride, 0, sizeof a->kernel_stride);
    }
    status = lay_out(f, p);
    if (status != 0)
        return status;
    p->runs = 1;
    for (int32_t k = 0; k < p->loops; ++k)
        p->runs = times(p->runs, p->loop_extent[k]);
    for (int k = 0; k < p->form->n_arguments; ++k)          /* a later run may refuse its data: outputs stay untouched */
        if (p->form->may_fail && p->runs > 1 && p->at[k].is_output)
            p->at[k].is_staged = 1;
    for (int k = 0; k < f->op->n_packs; ++k)
        p->pack_base[k] = 0;
    for (int k = 0; k < p->form->n_scalars; ++k)
        p->scalar[k] = f->scalar[p->form->scalars[k]];
    give(f, p);
    return 0;
}

/* Bytes of the workspace, with room to align it. */
static int64_t need(const plan *p)
{
    int64_t n = p->core->workspace == NULL ? 0 : p->core->workspace(p->size, p->scalar);
    for (int k = 0; k < p->form->n_arguments; ++k)
        if (p->at[k].is_staged)
            n += staged_bytes(&p->at[k]);
    return n == 0 ? 0 : n + 63;
}

/* ---- choosing */

/* The next entry from `from` on that answers to the call's dtypes and optional inputs; NULL: none. */
static const tn_entry *choose(const tn_frame *f, const tn_entry *from)
{
    uint32_t present = 0;
    for (int k = 0; k < f->op->info.n_in; ++k)
        if (f->operand[k].tensor != NULL)
            present |= 1u << k;
    present &= f->op->info.optional;
    for (const tn_entry *e = from; e < f->op->entries + f->op->n_entries; ++e) {
        int fits = e->present == present;
        for (int t = 0; t < f->op->n_types; ++t)
            fits &= f->type[t] == 0 || f->type[t] == e->type[t];
        if (fits)
            return e;
    }
    return NULL;
}

/* The kernel at the active level, or at the next lower one that has it. */
static const tn_core *core_of(const tn_frame *f, const tn_entry *entry)
{
    for (int level = tn_rt_level(); level >= 0; --level)
        if (f->op->levels[level] != NULL && f->op->levels[level][entry->core].run != NULL)
            return &f->op->levels[level][entry->core];
    return NULL;
}

/* ---- overlap, by intervals of addresses */

static void interval(const tn_operand *t, uintptr_t *begin, uintptr_t *end)
{
    *begin = *end = (uintptr_t)t->data;
    for (int32_t d = 0; d < t->ndim; ++d) {
        const int64_t reach = (t->shape[d] - 1) * t->step[d] * t->bytes;
        if (t->shape[d] == 0) {
            *end = *begin;
            return;
        }
        if (reach < 0)
            *begin -= (uintptr_t)-reach;
        else
            *end += (uintptr_t)reach;
    }
    *end += (uintptr_t)t->bytes;
}

static void check_overlap(tn_frame *f)
{
    const int n = f->op->info.n_in + f->op->info.n_out;
    for (int o = f->op->info.n_in; o < n; ++o) {
        uintptr_t begin, end, other_begin, other_end;
        interval(&f->operand[o], &begin, &end);
        for (int k = 0; k < o; ++k) {
            if (f->operand[k].tensor == NULL)
                continue;
            interval(&f->operand[k], &other_begin, &other_end);
            tn_rt_require(f, begin == end || other_begin == other_end || end <= other_begin || other_end <= begin, TN_E_OVERLAP);
        }
    }
}

/* ---- the calls */

void tn_rt_begin(tn_frame *f, const tn_op *op, int32_t key, int32_t ndim, tn_want want)
{
    f->op = op;
    f->key = key;
    f->ndim = ndim;
    f->want = want;
    f->status = 0;
    f->in = NULL;
    f->out = NULL;
    f->attrs = NULL;
    f->n_attrs = f->n_attrs_read = 0;
    f->typed = f->dims = NULL;
    f->is_typed = 0;
    for (int k = 0; k < TN_MAX_TYPES; ++k)
        f->type[k] = 0;
    for (int k = 0; k < TN_MAX_PACKS; ++k)
        f->pack[k].rank = 0;
    if (op->n_types > 0)
        f->type[0] = key;
}

static void check(tn_frame *f)
{
    if (f->n_attrs < 0)
        tn_rt_fail(f, TN_E_ATTR);
    else if (f->n_attrs > 0 && f->attrs == NULL)
        tn_rt_fail(f, TN_E_NULL);
    if (f->status == 0)
        f->op->bind(f);
    if (f->status == 0 && choose(f, f->op->entries) == NULL)
        tn_rt_fail(f, TN_E_DTYPE);
}

/* Outputs without elements, none of whose extents depends on data: there is nothing to compute, however large the other extents. */
static int has_nothing_to_do(const tn_frame *f)
{
    for (int k = 0; k < f->op->info.n_out; ++k) {
        const tn_operand *o = &f->operand[f->op->info.n_in + k];
        for (int32_t d = 0; d < o->ndim; ++d)
            if (o->written[d] != 0)
                return 0;
        if ((o->tensor != NULL || f->want != TN_WANT_CALL) && elements(o) != 0)
            return 0;
    }
    return 1;
}

int tn_rt_infer(tn_frame *f)
{
    check(f);
    return f->status;
}

int64_t tn_rt_workspace(tn_frame *f)
{
    int64_t most = 0;
    check(f);
    if (f->status != 0 || has_nothing_to_do(f))
        return f->status;
    for (const tn_entry *e = choose(f, f->op->entries); e != NULL; e = choose(f, e + 1)) {
        plan p;
        const tn_core *core = core_of(f, e);
        const int status = core == NULL ? TN_E_ISA : prepare(f, e, core, &p);
        if (status != 0)
            return status;
        most = tn_rt_max(most, need(&p));
    }
    return most;
}

static void stage(plan *p, unsigned char **workspace)
{
    for (int k = 0; k < p->form->n_arguments; ++k) {
        place *a = &p->at[k];
        if (!a->is_staged)
            continue;
        a->base = *workspace;
        *workspace += staged_bytes(a);
        if (a->is_output)
            continue;
        tn_box box;
        box.rank = a->operand->rank;
        memcpy(box.extent, a->operand->extent, sizeof box.extent);
        memcpy(box.from, a->operand->stride, sizeof box.from);
        contiguous(a->operand, box.to);
        tn_rt_copy(a->base, a->operand->data, &box, a->operand->bytes);
    }
}

static void unstage(const plan *p)
{
    for (int k = 0; k < p->form->n_arguments; ++k) {
        const place *a = &p->at[k];
        if (!a->is_staged || !a->is_output || a->operand->tensor == NULL)
            continue;
        tn_box box;
        box.rank = a->operand->rank;
        memcpy(box.extent, a->operand->extent, sizeof box.extent);
        memcpy(box.to, a->operand->stride, sizeof box.to);
        contiguous(a->operand, box.from);
        tn_rt_copy(a->operand->data, a->base, &box, a->operand->bytes);
    }
}

/* The kernel, once for every position of the loops around it; in the end all addresses are back at the first. */
static int run(const tn_frame *f, plan *p, void *workspace)
{
    int64_t at[TN_MAX_VIEW] = {0};
    const void *in[TN_MAX_OPERANDS];
    void *out[TN_MAX_OPERANDS];
    for (int64_t n = 0; n < p->runs; ++n) {
        int n_in = 0, n_out = 0, status;
        for (int k = 0; k < p->form->n_arguments; ++k)
            if (p->at[k].is_output)
                out[n_out++] = p->at[k].base;
            else
                in[n_in++] = p->at[k].operand->tensor == NULL ? p->form->arguments[k].without : p->at[k].base;
        if (n > 0)
            give(f, p);
        status = p->core->run(p->size, p->scalar, in, out, workspace);
        if (status != 0)
            return status;
        for (int32_t d = 0; d < p->loops; ++d) {
            const int wraps = ++at[d] == p->loop_extent[d];
            const int64_t steps = wraps ? 1 - p->loop_extent[d] : 1;
            p->pack_base[p->loop_pack[d]] += steps * p->loop_weight[d];
            for (int k = 0; k < p->form->n_arguments; ++k)
                p->at[k].base += steps * p->at[k].loop_stride[d] * p->at[k].operand->bytes;
            if (!wraps)
                break;
            at[d] = 0;
        }
    }
    return 0;
}

int tn_rt_call(tn_frame *f, void *workspace, size_t workspace_bytes)
{
    plan p;
    unsigned char *aligned = workspace;
    check(f);
    if (f->status == 0)
        check_overlap(f);
    if (f->status != 0)
        return f->status;
    if (has_nothing_to_do(f))
        return 0;
    const tn_entry *entry = choose(f, f->op->entries);
    const tn_core *core = core_of(f, entry);
    int status = core == NULL ? TN_E_ISA : prepare(f, entry, core, &p);
    if (status != 0)
        return status;
    const int64_t bytes = need(&p);
    tn_rt_require(f, bytes == 0 || (workspace != NULL && (uint64_t)bytes <= (uint64_t)workspace_bytes), TN_E_WORKSPACE);
    if (f->status != 0)
        return f->status;
    if (bytes > 0)
        aligned += (64 - (uintptr_t)workspace % 64) % 64;
    stage(&p, &aligned);
    status = run(f, &p, aligned);
    if (status != 0)
        return status;
    unstage(&p);
    for (int k = 0; k < f->op->info.n_out; ++k) {            /* extents that depend on data */
        const tn_operand *o = &f->operand[f->op->info.n_in + k];
        for (int32_t d = 0; d < o->ndim; ++d)
            if (o->written[d] != 0)
                f->out[k]->shape[d] = f->extent[o->written[d] - 1];
    }
    return 0;
}

/* ---- typed calls */

void tn_rt_shaped(tn_shaped *s, int32_t dtype, const void *data)
{
    const union {
        const void *given;
        void *kept;
    } pointer = {data};
    memset(&s->t, 0, sizeof s->t);
    s->t.data = pointer.kept;
    s->t.device.type = 1;
    s->t.dtype.code = (uint8_t)(dtype >> 8);
    s->t.dtype.bits = (uint8_t)(dtype & 0xff);
    s->t.dtype.lanes = 1;
    s->t.shape = s->shape;
}

void tn_rt_extent(tn_shaped *s, int64_t extent)
{
    if (s->t.ndim < TN_MAX_NDIM)
        s->shape[s->t.ndim] = extent;
    ++s->t.ndim;                            /* too many are found when the tensor is opened */
}

void tn_rt_extents(tn_shaped *s, const tn_dims *dims)
{
    for (int32_t d = 0; d < dims->rank && d < TN_MAX_NDIM; ++d)
        tn_rt_extent(s, dims->dim[d]);
    if (dims->rank < 0 || dims->rank > TN_MAX_NDIM)
        s->t.ndim = -1;
}

/* The dims of a typed call say where an axis is: in dimension `at`, which is number -behind from the end. An attribute that says
   something else contradicts them. */
void tn_rt_placed_axis(tn_frame *f, int64_t axis, int32_t at, int32_t behind)
{
    tn_rt_require(f, axis == at || axis == -(int64_t)behind, TN_E_ATTR);
}

/* The same for a list, which need not be given: `count` axes from `at` on, in any order. */
void tn_rt_placed_axes(tn_frame *f, const tn_ints *axes, int32_t at, int32_t count, int32_t behind)
{
    unsigned seen = 0;
    if (axes->values == NULL)
        return;
    tn_rt_require(f, axes->count == count, TN_E_ATTR);
    for (int32_t k = 0; k < axes->count && f->status == 0; ++k) {
        const int64_t axis = axes->values[k] + (axes->values[k] < 0 ? (int64_t)behind : -(int64_t)at);
        tn_rt_require(f, axis >= 0 && axis < count && (seen >> axis & 1u) == 0, TN_E_ATTR);
        if (f->status == 0)
            seen |= 1u << axis;
    }
}
