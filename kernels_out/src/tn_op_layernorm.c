/* op_layernorm: checks of calls, tables, typed functions. */
#include "tn_internal.h"

/* ---- layernorm: zero mean and unit variance over every dimension from `axis` on, then scaled by G and shifted by B
   mean[*p] = sum[*q](X[*p, *q])/Nq
   var[*p] = sum[*q](sq(X[*p, *q] - mean[*p]))/Nq
   rstd[*p] = 1/sqrt(var[*p] + eps)
   Y[*p, *q] = (X[*p, *q] - mean[*p])*rstd[*p]*G[*q] + opt(B[*q], 0)
*/

void tn_layernorm_defaults(tn_layernorm_attrs *attrs)
{
    attrs->axis = -1;
    attrs->eps = 1e-05;
}

static void layernorm_read_attributes(tn_frame *f, tn_layernorm_attrs *a)
{
    tn_layernorm_defaults(a);
    tn_rt_attr_int(f, "axis", 0, &a->axis, 1);
    tn_rt_attr_real(f, "eps", 0, &a->eps, 1);
    tn_rt_attrs_done(f);
}

static void layernorm_bind(tn_frame *f)
{
    tn_layernorm_attrs given;
    const tn_layernorm_attrs *a = f->typed;
    tn_operand *const in_X = tn_rt_input(f, 0, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_operand *const in_G = tn_rt_input(f, 1, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_operand *const in_B = tn_rt_input(f, 2, TN_TYPE_VARIABLE + 0, TN_OPTIONAL);
    tn_dims *const P = &f->pack[0];
    tn_dims *const Q = &f->pack[1];
    int64_t Nq = 0;
    if (a == NULL) {
        layernorm_read_attributes(f, &given);
        a = &given;
    }
    if (f->status != 0)
        return;

    /* X: T[*P, *Q@axis] */
    const int32_t axis_of_X = tn_rt_axis(f, a->axis, in_X->ndim, in_X->ndim);
    P->rank = tn_rt_pack_rank(f, axis_of_X);
    tn_rt_pack(f, in_X, 0, 0);
    Q->rank = tn_rt_pack_rank(f, in_X->ndim - P->rank);
    tn_rt_pack(f, in_X, P->rank, 1);

    /* Nq = size(Q) */
    Nq = tn_rt_product(f, Q);

    /* G: T[*Q] */
    tn_rt_rank(f, in_G, Q->rank);
    tn_rt_same_pack(f, in_G, 0, 1);

    /* B?: T[*Q] */
    if (in_B->tensor != NULL) {
        tn_rt_rank(f, in_B, Q->rank);
        tn_rt_same_pack(f, in_B, 0, 1);
    }

    /* Y: T[*P, *Q] */
    tn_operand *const out_Y = tn_rt_output(f, 0, TN_TYPE_VARIABLE + 0);
    tn_rt_put_pack(f, out_Y, 0);
    tn_rt_put_pack(f, out_Y, 1);
    tn_rt_close(f, out_Y, 0);

    /* what the kernels take */
    f->symbol[0] = Nq;
    f->scalar[0].f = a->eps;
}

extern const tn_op tn_op_layernorm;
static const tn_argument layernorm_arguments_0[] = {{0, 0x0, NULL} /* X */, {1, 0x0, NULL} /* G */,
    {2, 0x0, NULL} /* B */, {3, 0x0, NULL} /* Y */};
static const tn_source layernorm_sizes_0[] = {
    {TN_FROM_PACK, 0, TN_WHOLE}, /* P */
    {TN_FROM_PACK, 1, TN_WHOLE}, /* Q */
    {TN_FROM_SYMBOL, 0, 0}, /* Nq */
};
static const uint8_t layernorm_scalars_0[] = {0};
static const tn_argument layernorm_arguments_1[] = {{0, 0x0, NULL} /* X */, {1, 0x0, NULL} /* G */,
    {3, 0x0, NULL} /* Y */};
static const tn_source layernorm_sizes_1[] = {
    {TN_FROM_PACK, 0, TN_WHOLE}, /* P */
    {TN_FROM_PACK, 1, TN_WHOLE}, /* Q */
    {TN_FROM_SYMBOL, 0, 0}, /* Nq */
};
static const uint8_t layernorm_scalars_1[] = {0};
static const tn_form layernorm_forms[] = {
    {layernorm_arguments_0, layernorm_sizes_0, layernorm_scalars_0, 4, 3, 1, 0},
    {layernorm_arguments_1, layernorm_sizes_1, layernorm_scalars_1, 3, 3, 1, 0},
};
static const tn_entry layernorm_entries[] = {
    {{TN_F32}, 0, 0, 0x4}, /* layernorm_f32 */
    {{TN_F32}, 1, 1, 0x0}, /* layernorm_f32_noB */
};
extern const tn_core tn_cores_layernorm_portable[];
extern const tn_core tn_cores_layernorm_x86_64_v3[];
static const tn_core *const layernorm_levels[TN_LEVELS] = {
    tn_cores_layernorm_portable,
#if TN_HAS_X86_64_V3
    tn_cores_layernorm_x86_64_v3,
#else
    NULL,
#endif
};
static const char *const layernorm_inputs[] = {"X", "G", "B"};
static const char *const layernorm_outputs[] = {"Y"};
static const char *const layernorm_attributes[] = {"axis", "eps"};
static const uint8_t layernorm_packs[] = {TN_COLLAPSED, TN_COLLAPSED};
const tn_op tn_op_layernorm = {
    {"layernorm", 3, 1, 2, layernorm_inputs, layernorm_outputs, layernorm_attributes, 0x4},
    layernorm_bind, layernorm_levels, layernorm_entries, layernorm_forms, layernorm_packs, 2, 1, 2
};

/* A typed call of layernorm as a uniform one. */
typedef struct {
    tn_frame frame;
    tn_shaped tensor[4];
    const tn_tensor *in[3];
    tn_tensor *out[1];
    tn_layernorm_attrs attrs;
} layernorm_call;

static void layernorm_shapes(layernorm_call *c, const tn_layernorm_dims *dims)
{
    tn_rt_extents(&c->tensor[0], &dims->P);
    tn_rt_extents(&c->tensor[0], &dims->Q);
    tn_rt_extents(&c->tensor[1], &dims->Q);
    tn_rt_extents(&c->tensor[2], &dims->Q);
}

/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each tensor. */
static int layernorm_begin(layernorm_call *c, tn_want want, const tn_layernorm_dims *dims,
    const tn_layernorm_attrs *attrs, const int32_t *variable, const int32_t *type, const void *const *data)
{
    if (dims == NULL)
        return TN_E_NULL;
    tn_rt_begin(&c->frame, &tn_op_layernorm, 0, 0, want);
    memcpy(c->frame.type, variable, 1 * sizeof *variable);
    if (attrs != NULL)
        c->attrs = *attrs;
    else
        tn_layernorm_defaults(&c->attrs);
    if (attrs != NULL)
        tn_rt_placed_axis(&c->frame, attrs->axis, dims->P.rank, dims->Q.rank);
    c->attrs.axis = dims->P.rank;
    c->frame.typed = &c->attrs;
    for (int k = 0; k < 4; ++k)
        tn_rt_shaped(&c->tensor[k], type[k], data == NULL ? NULL : data[k]);
    layernorm_shapes(c, dims);
    for (int k = 0; k < 3; ++k)
        c->in[k] = data != NULL && data[k] == NULL ? NULL : &c->tensor[k].t;
    for (int k = 0; k < 1; ++k)
        c->out[k] = &c->tensor[3 + k].t;
    c->frame.in = c->in;
    c->frame.out = c->out;
    c->frame.is_typed = 1;
    c->frame.ndim = TN_ANY_RANK;
    return c->frame.status;
}

int tn_layernorm_shape(const tn_layernorm_dims *dims, const tn_layernorm_attrs *attrs, tn_dims *Y_shape)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32, TN_F32};
    layernorm_call call;
    int status = layernorm_begin(&call, TN_WANT_SHAPES, dims, attrs, variable, type_of, NULL);
    if (status == 0)
        status = tn_rt_infer(&call.frame);
    if (status != 0)
        return status;
    Y_shape->rank = call.tensor[3].t.ndim;
    memcpy(Y_shape->dim, call.tensor[3].shape, sizeof Y_shape->dim);
    return 0;
}

int tn_layernorm_f32(const tn_layernorm_dims *dims, const tn_layernorm_attrs *attrs, const float *X, const float *G,
    const float *B /* or NULL */, float *Y, void *workspace, size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32, TN_F32};
    const void *const pointers[] = {X, G, B, Y};
    layernorm_call call;
    const int status = layernorm_begin(&call, TN_WANT_CALL, dims, attrs, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_layernorm_f32_workspace(const tn_layernorm_dims *dims, const tn_layernorm_attrs *attrs)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32, TN_F32};
    layernorm_call call;
    int64_t most = 0;
    for (int with = 0; with < 2; ++with) { /* without and with the optional inputs */
        if (layernorm_begin(&call, TN_WANT_WORKSPACE, dims, attrs, variable, type_of, NULL) != 0)
            return 0;
        if (!with)
            call.in[2] = NULL;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

