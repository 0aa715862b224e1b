/* op_softmax: checks of calls, tables, typed functions. */
#include "tn_internal.h"

/* ---- softmax: exp(X) over its sum along an axis
   m[*p, *q] = max[k](X[*p, k, *q])
   e[*p, d, *q] = exp(X[*p, d, *q] - stop(m[*p, *q]))
   z[*p, *q] = sum[k](e[*p, k, *q])
   Y[*p, d, *q] = e[*p, d, *q]/z[*p, *q]
*/

void tn_softmax_defaults(tn_softmax_attrs *attrs)
{
    attrs->axis = -1;
}

static void softmax_read_attributes(tn_frame *f, tn_softmax_attrs *a)
{
    tn_softmax_defaults(a);
    tn_rt_attr_int(f, "axis", 0, &a->axis, 1);
    tn_rt_attrs_done(f);
}

static void softmax_bind(tn_frame *f)
{
    tn_softmax_attrs given;
    const tn_softmax_attrs *a = f->typed;
    tn_operand *const in_X = tn_rt_input(f, 0, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_dims *const P = &f->pack[0];
    tn_dims *const Q = &f->pack[1];
    int64_t D = 0;
    if (a == NULL) {
        softmax_read_attributes(f, &given);
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

    /* Y: T[*P, D, *Q] */
    tn_operand *const out_Y = tn_rt_output(f, 0, TN_TYPE_VARIABLE + 0);
    tn_rt_put_pack(f, out_Y, 0);
    tn_rt_put(f, out_Y, D);
    tn_rt_put_pack(f, out_Y, 1);
    tn_rt_close(f, out_Y, 0);

    /* what the kernels take */
    f->symbol[0] = D;
}

extern const tn_op tn_op_softmax;
static const tn_argument softmax_arguments_0[] = {{0, 0x0, NULL} /* X */, {1, 0x0, NULL} /* Y */};
static const tn_source softmax_sizes_0[] = {
    {TN_FROM_PACK, 0, TN_WHOLE}, /* P */
    {TN_FROM_SYMBOL, 0, 0}, /* D */
    {TN_FROM_PACK, 1, TN_WHOLE}, /* Q */
};
static const tn_form softmax_forms[] = {
    {softmax_arguments_0, softmax_sizes_0, NULL, 2, 3, 0, 0},
};
static const tn_entry softmax_entries[] = {
    {{TN_F32}, 0, 0, 0x0}, /* softmax_f32 */
};
extern const tn_core tn_cores_softmax_portable[];
extern const tn_core tn_cores_softmax_x86_64_v3[];
static const tn_core *const softmax_levels[TN_LEVELS] = {
    tn_cores_softmax_portable,
#if TN_HAS_X86_64_V3
    tn_cores_softmax_x86_64_v3,
#else
    NULL,
#endif
};
static const char *const softmax_inputs[] = {"X"};
static const char *const softmax_outputs[] = {"Y"};
static const char *const softmax_attributes[] = {"axis"};
static const uint8_t softmax_packs[] = {TN_COLLAPSED, TN_COLLAPSED};
const tn_op tn_op_softmax = {
    {"softmax", 1, 1, 1, softmax_inputs, softmax_outputs, softmax_attributes, 0x0},
    softmax_bind, softmax_levels, softmax_entries, softmax_forms, softmax_packs, 1, 1, 2
};

/* A typed call of softmax as a uniform one. */
typedef struct {
    tn_frame frame;
    tn_shaped tensor[2];
    const tn_tensor *in[1];
    tn_tensor *out[1];
    tn_softmax_attrs attrs;
} softmax_call;

static void softmax_shapes(softmax_call *c, const tn_softmax_dims *dims)
{
    tn_rt_extents(&c->tensor[0], &dims->P);
    tn_rt_extent(&c->tensor[0], dims->D);
    tn_rt_extents(&c->tensor[0], &dims->Q);
}

/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each tensor. */
static int softmax_begin(softmax_call *c, tn_want want, const tn_softmax_dims *dims, const tn_softmax_attrs *attrs,
    const int32_t *variable, const int32_t *type, const void *const *data)
{
    if (dims == NULL)
        return TN_E_NULL;
    tn_rt_begin(&c->frame, &tn_op_softmax, 0, 0, want);
    memcpy(c->frame.type, variable, 1 * sizeof *variable);
    if (attrs != NULL)
        c->attrs = *attrs;
    else
        tn_softmax_defaults(&c->attrs);
    if (attrs != NULL)
        tn_rt_placed_axis(&c->frame, attrs->axis, dims->P.rank, 1 + dims->Q.rank);
    c->attrs.axis = dims->P.rank;
    c->frame.typed = &c->attrs;
    for (int k = 0; k < 2; ++k)
        tn_rt_shaped(&c->tensor[k], type[k], data == NULL ? NULL : data[k]);
    softmax_shapes(c, dims);
    for (int k = 0; k < 1; ++k)
        c->in[k] = data != NULL && data[k] == NULL ? NULL : &c->tensor[k].t;
    for (int k = 0; k < 1; ++k)
        c->out[k] = &c->tensor[1 + k].t;
    c->frame.in = c->in;
    c->frame.out = c->out;
    c->frame.is_typed = 1;
    c->frame.ndim = TN_ANY_RANK;
    return c->frame.status;
}

int tn_softmax_shape(const tn_softmax_dims *dims, const tn_softmax_attrs *attrs, tn_dims *Y_shape)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    softmax_call call;
    int status = softmax_begin(&call, TN_WANT_SHAPES, dims, attrs, variable, type_of, NULL);
    if (status == 0)
        status = tn_rt_infer(&call.frame);
    if (status != 0)
        return status;
    Y_shape->rank = call.tensor[1].t.ndim;
    memcpy(Y_shape->dim, call.tensor[1].shape, sizeof Y_shape->dim);
    return 0;
}

int tn_softmax_f32(const tn_softmax_dims *dims, const tn_softmax_attrs *attrs, const float *X, float *Y,
    void *workspace, size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    const void *const pointers[] = {X, Y};
    softmax_call call;
    const int status = softmax_begin(&call, TN_WANT_CALL, dims, attrs, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_softmax_f32_workspace(const tn_softmax_dims *dims, const tn_softmax_attrs *attrs)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    softmax_call call;
    int64_t most = 0;
    for (int with = 0; with < 1; ++with) {
        if (softmax_begin(&call, TN_WANT_WORKSPACE, dims, attrs, variable, type_of, NULL) != 0)
            return 0;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

