/* op_gather: checks of calls, tables, typed functions. */
#include "tn_internal.h"

/* ---- gather: slices of X along an axis, at the places that Ix names
   Y[*p, *j, *q] = X[*p, wrap(Ix[*j], D), *q]
*/

void tn_gather_defaults(tn_gather_attrs *attrs)
{
    attrs->axis = 0;
}

static void gather_read_attributes(tn_frame *f, tn_gather_attrs *a)
{
    tn_gather_defaults(a);
    tn_rt_attr_int(f, "axis", 0, &a->axis, 1);
    tn_rt_attrs_done(f);
}

static void gather_bind(tn_frame *f)
{
    tn_gather_attrs given;
    const tn_gather_attrs *a = f->typed;
    tn_operand *const in_X = tn_rt_input(f, 0, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_operand *const in_Ix = tn_rt_input(f, 1, TN_TYPE_VARIABLE + 1, TN_REQUIRED);
    tn_dims *const P = &f->pack[0];
    tn_dims *const Q = &f->pack[1];
    tn_dims *const J = &f->pack[2];
    int64_t D = 0;
    if (a == NULL) {
        gather_read_attributes(f, &given);
        a = &given;
    }
    if (f->status != 0)
        return;

    /* X: T[*P, D@axis, *Q] */
    const int32_t axis_of_X = tn_rt_axis(f, a->axis, in_X->ndim, in_X->ndim - 1);
    P->rank = tn_rt_pack_rank(f, axis_of_X);
    tn_rt_pack(f, in_X, 0, 0);
    D = tn_rt_size(f, in_X, P->rank);
    Q->rank = tn_rt_pack_rank(f, in_X->ndim - P->rank - 1);
    tn_rt_pack(f, in_X, P->rank + 1, 1);

    /* Ix: I[*J] */
    J->rank = tn_rt_pack_rank(f, in_Ix->ndim);
    tn_rt_pack(f, in_Ix, 0, 2);

    /* Y: T[*P, *J, *Q] */
    tn_operand *const out_Y = tn_rt_output(f, 0, TN_TYPE_VARIABLE + 0);
    tn_rt_put_pack(f, out_Y, 0);
    tn_rt_put_pack(f, out_Y, 2);
    tn_rt_put_pack(f, out_Y, 1);
    tn_rt_close(f, out_Y, 0);

    /* what the kernels take */
    f->symbol[0] = D;
}

extern const tn_op tn_op_gather;
static const tn_argument gather_arguments_0[] = {{0, 0x0, NULL} /* X */, {1, 0x0, NULL} /* Ix */,
    {2, 0x0, NULL} /* Y */};
static const tn_source gather_sizes_0[] = {
    {TN_FROM_PACK, 0, TN_WHOLE}, /* P */
    {TN_FROM_SYMBOL, 0, 0}, /* D */
    {TN_FROM_PACK, 1, TN_WHOLE}, /* Q */
    {TN_FROM_PACK, 2, TN_WHOLE}, /* J */
};
static const tn_form gather_forms[] = {
    {gather_arguments_0, gather_sizes_0, NULL, 3, 4, 0, 1},
};
static const tn_entry gather_entries[] = {
    {{TN_F32, TN_I32}, 0, 0, 0x0}, /* gather_u32_i32 */
    {{TN_F32, TN_I64}, 1, 0, 0x0}, /* gather_u32_i64 */
};
extern const tn_core tn_cores_gather_portable[];
extern const tn_core tn_cores_gather_x86_64_v3[];
static const tn_core *const gather_levels[TN_LEVELS] = {
    tn_cores_gather_portable,
#if TN_HAS_X86_64_V3
    tn_cores_gather_x86_64_v3,
#else
    NULL,
#endif
};
static const char *const gather_inputs[] = {"X", "Ix"};
static const char *const gather_outputs[] = {"Y"};
static const char *const gather_attributes[] = {"axis"};
static const uint8_t gather_packs[] = {TN_COLLAPSED, TN_COLLAPSED, TN_COLLAPSED};
const tn_op tn_op_gather = {
    {"gather", 2, 1, 1, gather_inputs, gather_outputs, gather_attributes, 0x0},
    gather_bind, gather_levels, gather_entries, gather_forms, gather_packs, 2, 2, 3
};

/* A typed call of gather as a uniform one. */
typedef struct {
    tn_frame frame;
    tn_shaped tensor[3];
    const tn_tensor *in[2];
    tn_tensor *out[1];
    tn_gather_attrs attrs;
} gather_call;

static void gather_shapes(gather_call *c, const tn_gather_dims *dims)
{
    tn_rt_extents(&c->tensor[0], &dims->P);
    tn_rt_extent(&c->tensor[0], dims->D);
    tn_rt_extents(&c->tensor[0], &dims->Q);
    tn_rt_extents(&c->tensor[1], &dims->J);
}

/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each tensor. */
static int gather_begin(gather_call *c, tn_want want, const tn_gather_dims *dims, const tn_gather_attrs *attrs,
    const int32_t *variable, const int32_t *type, const void *const *data)
{
    if (dims == NULL)
        return TN_E_NULL;
    tn_rt_begin(&c->frame, &tn_op_gather, 0, 0, want);
    memcpy(c->frame.type, variable, 2 * sizeof *variable);
    if (attrs != NULL)
        c->attrs = *attrs;
    else
        tn_gather_defaults(&c->attrs);
    if (attrs != NULL)
        tn_rt_placed_axis(&c->frame, attrs->axis, dims->P.rank, 1 + dims->Q.rank);
    c->attrs.axis = dims->P.rank;
    c->frame.typed = &c->attrs;
    for (int k = 0; k < 3; ++k)
        tn_rt_shaped(&c->tensor[k], type[k], data == NULL ? NULL : data[k]);
    gather_shapes(c, dims);
    for (int k = 0; k < 2; ++k)
        c->in[k] = data != NULL && data[k] == NULL ? NULL : &c->tensor[k].t;
    for (int k = 0; k < 1; ++k)
        c->out[k] = &c->tensor[2 + k].t;
    c->frame.in = c->in;
    c->frame.out = c->out;
    c->frame.is_typed = 1;
    c->frame.ndim = TN_ANY_RANK;
    return c->frame.status;
}

int tn_gather_shape(const tn_gather_dims *dims, const tn_gather_attrs *attrs, tn_dims *Y_shape)
{
    static const int32_t variable[] = {TN_F32, TN_I32}, type_of[] = {TN_F32, TN_I32, TN_F32};
    gather_call call;
    int status = gather_begin(&call, TN_WANT_SHAPES, dims, attrs, variable, type_of, NULL);
    if (status == 0)
        status = tn_rt_infer(&call.frame);
    if (status != 0)
        return status;
    Y_shape->rank = call.tensor[2].t.ndim;
    memcpy(Y_shape->dim, call.tensor[2].shape, sizeof Y_shape->dim);
    return 0;
}

int tn_gather_f32_i32(const tn_gather_dims *dims, const tn_gather_attrs *attrs, const float *X, const int32_t *Ix,
    float *Y, void *workspace, size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32, TN_I32}, type_of[] = {TN_F32, TN_I32, TN_F32};
    const void *const pointers[] = {X, Ix, Y};
    gather_call call;
    const int status = gather_begin(&call, TN_WANT_CALL, dims, attrs, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_gather_f32_i32_workspace(const tn_gather_dims *dims, const tn_gather_attrs *attrs)
{
    static const int32_t variable[] = {TN_F32, TN_I32}, type_of[] = {TN_F32, TN_I32, TN_F32};
    gather_call call;
    int64_t most = 0;
    for (int with = 0; with < 1; ++with) {
        if (gather_begin(&call, TN_WANT_WORKSPACE, dims, attrs, variable, type_of, NULL) != 0)
            return 0;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

int tn_gather_f32_i64(const tn_gather_dims *dims, const tn_gather_attrs *attrs, const float *X, const int64_t *Ix,
    float *Y, void *workspace, size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32, TN_I64}, type_of[] = {TN_F32, TN_I64, TN_F32};
    const void *const pointers[] = {X, Ix, Y};
    gather_call call;
    const int status = gather_begin(&call, TN_WANT_CALL, dims, attrs, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_gather_f32_i64_workspace(const tn_gather_dims *dims, const tn_gather_attrs *attrs)
{
    static const int32_t variable[] = {TN_F32, TN_I64}, type_of[] = {TN_F32, TN_I64, TN_F32};
    gather_call call;
    int64_t most = 0;
    for (int with = 0; with < 1; ++with) {
        if (gather_begin(&call, TN_WANT_WORKSPACE, dims, attrs, variable, type_of, NULL) != 0)
            return 0;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

