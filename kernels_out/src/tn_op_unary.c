/* op_unary: checks of calls, tables, typed functions. */
#include "tn_internal.h"

/* ---- gelu: X times the normal distribution at X; -inf gives the limit, 0
   Y[*s] = gelu(X[*s])
*/

static void gelu_bind(tn_frame *f)
{
    tn_operand *const in_X = tn_rt_input(f, 0, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_dims *const S = &f->pack[0];
    tn_rt_attrs_done(f);
    if (f->status != 0)
        return;

    /* X: T[*S] */
    S->rank = tn_rt_pack_rank(f, in_X->ndim);
    tn_rt_pack(f, in_X, 0, 0);

    /* Y: T[*S] */
    tn_operand *const out_Y = tn_rt_output(f, 0, TN_TYPE_VARIABLE + 0);
    tn_rt_put_pack(f, out_Y, 0);
    tn_rt_close(f, out_Y, 0);
}

extern const tn_op tn_op_gelu;
static const tn_argument gelu_arguments_0[] = {{0, 0x1, NULL} /* X */, {1, 0x0, NULL} /* Y */};
static const tn_source gelu_sizes_0[] = {
    {TN_FROM_PACK, 0, TN_WHOLE}, /* S */
    {TN_FROM_STRIDE, 0, 0}, /* X_s0 */
};
static const tn_form gelu_forms[] = {
    {gelu_arguments_0, gelu_sizes_0, NULL, 2, 2, 0, 0},
};
static const tn_entry gelu_entries[] = {
    {{TN_F32}, 0, 0, 0x0}, /* gelu_f32 */
};
extern const tn_core tn_cores_gelu_portable[];
extern const tn_core tn_cores_gelu_x86_64_v3[];
static const tn_core *const gelu_levels[TN_LEVELS] = {
    tn_cores_gelu_portable,
#if TN_HAS_X86_64_V3
    tn_cores_gelu_x86_64_v3,
#else
    NULL,
#endif
};
static const char *const gelu_inputs[] = {"X"};
static const char *const gelu_outputs[] = {"Y"};
static const uint8_t gelu_packs[] = {TN_ODOMETER};
const tn_op tn_op_gelu = {
    {"gelu", 1, 1, 0, gelu_inputs, gelu_outputs, NULL, 0x0},
    gelu_bind, gelu_levels, gelu_entries, gelu_forms, gelu_packs, 1, 1, 1
};

/* A typed call of gelu as a uniform one. */
typedef struct {
    tn_frame frame;
    tn_shaped tensor[2];
    const tn_tensor *in[1];
    tn_tensor *out[1];
} gelu_call;

static void gelu_shapes(gelu_call *c, const tn_gelu_dims *dims)
{
    tn_rt_extents(&c->tensor[0], &dims->S);
}

/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each tensor. */
static int gelu_begin(gelu_call *c, tn_want want, const tn_gelu_dims *dims, const void *attrs, const int32_t *variable,
    const int32_t *type, const void *const *data)
{
    if (dims == NULL)
        return TN_E_NULL;
    tn_rt_begin(&c->frame, &tn_op_gelu, 0, 0, want);
    memcpy(c->frame.type, variable, 1 * sizeof *variable);
    (void)attrs;
    for (int k = 0; k < 2; ++k)
        tn_rt_shaped(&c->tensor[k], type[k], data == NULL ? NULL : data[k]);
    gelu_shapes(c, dims);
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

int tn_gelu_shape(const tn_gelu_dims *dims, tn_dims *Y_shape)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    gelu_call call;
    int status = gelu_begin(&call, TN_WANT_SHAPES, dims, NULL, variable, type_of, NULL);
    if (status == 0)
        status = tn_rt_infer(&call.frame);
    if (status != 0)
        return status;
    Y_shape->rank = call.tensor[1].t.ndim;
    memcpy(Y_shape->dim, call.tensor[1].shape, sizeof Y_shape->dim);
    return 0;
}

int tn_gelu_f32(const tn_gelu_dims *dims, const float *X, float *Y, void *workspace, size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    const void *const pointers[] = {X, Y};
    gelu_call call;
    const int status = gelu_begin(&call, TN_WANT_CALL, dims, NULL, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_gelu_f32_workspace(const tn_gelu_dims *dims)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    gelu_call call;
    int64_t most = 0;
    for (int with = 0; with < 1; ++with) {
        if (gelu_begin(&call, TN_WANT_WORKSPACE, dims, NULL, variable, type_of, NULL) != 0)
            return 0;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

/* ---- relu: X where it is positive, else 0; NaN stays
   Y[*s] = max(X[*s], 0)
*/

static void relu_bind(tn_frame *f)
{
    tn_operand *const in_X = tn_rt_input(f, 0, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_dims *const S = &f->pack[0];
    tn_rt_attrs_done(f);
    if (f->status != 0)
        return;

    /* X: T[*S] */
    S->rank = tn_rt_pack_rank(f, in_X->ndim);
    tn_rt_pack(f, in_X, 0, 0);

    /* Y: T[*S] */
    tn_operand *const out_Y = tn_rt_output(f, 0, TN_TYPE_VARIABLE + 0);
    tn_rt_put_pack(f, out_Y, 0);
    tn_rt_close(f, out_Y, 0);
}

extern const tn_op tn_op_relu;
static const tn_argument relu_arguments_0[] = {{0, 0x1, NULL} /* X */, {1, 0x0, NULL} /* Y */};
static const tn_source relu_sizes_0[] = {
    {TN_FROM_PACK, 0, TN_WHOLE}, /* S */
    {TN_FROM_STRIDE, 0, 0}, /* X_s0 */
};
static const tn_form relu_forms[] = {
    {relu_arguments_0, relu_sizes_0, NULL, 2, 2, 0, 0},
};
static const tn_entry relu_entries[] = {
    {{TN_F32}, 0, 0, 0x0}, /* relu_f32 */
};
extern const tn_core tn_cores_relu_portable[];
extern const tn_core tn_cores_relu_x86_64_v3[];
static const tn_core *const relu_levels[TN_LEVELS] = {
    tn_cores_relu_portable,
#if TN_HAS_X86_64_V3
    tn_cores_relu_x86_64_v3,
#else
    NULL,
#endif
};
static const char *const relu_inputs[] = {"X"};
static const char *const relu_outputs[] = {"Y"};
static const uint8_t relu_packs[] = {TN_ODOMETER};
const tn_op tn_op_relu = {
    {"relu", 1, 1, 0, relu_inputs, relu_outputs, NULL, 0x0},
    relu_bind, relu_levels, relu_entries, relu_forms, relu_packs, 1, 1, 1
};

/* A typed call of relu as a uniform one. */
typedef struct {
    tn_frame frame;
    tn_shaped tensor[2];
    const tn_tensor *in[1];
    tn_tensor *out[1];
} relu_call;

static void relu_shapes(relu_call *c, const tn_relu_dims *dims)
{
    tn_rt_extents(&c->tensor[0], &dims->S);
}

/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each tensor. */
static int relu_begin(relu_call *c, tn_want want, const tn_relu_dims *dims, const void *attrs, const int32_t *variable,
    const int32_t *type, const void *const *data)
{
    if (dims == NULL)
        return TN_E_NULL;
    tn_rt_begin(&c->frame, &tn_op_relu, 0, 0, want);
    memcpy(c->frame.type, variable, 1 * sizeof *variable);
    (void)attrs;
    for (int k = 0; k < 2; ++k)
        tn_rt_shaped(&c->tensor[k], type[k], data == NULL ? NULL : data[k]);
    relu_shapes(c, dims);
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

int tn_relu_shape(const tn_relu_dims *dims, tn_dims *Y_shape)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    relu_call call;
    int status = relu_begin(&call, TN_WANT_SHAPES, dims, NULL, variable, type_of, NULL);
    if (status == 0)
        status = tn_rt_infer(&call.frame);
    if (status != 0)
        return status;
    Y_shape->rank = call.tensor[1].t.ndim;
    memcpy(Y_shape->dim, call.tensor[1].shape, sizeof Y_shape->dim);
    return 0;
}

int tn_relu_f32(const tn_relu_dims *dims, const float *X, float *Y, void *workspace, size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    const void *const pointers[] = {X, Y};
    relu_call call;
    const int status = relu_begin(&call, TN_WANT_CALL, dims, NULL, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_relu_f32_workspace(const tn_relu_dims *dims)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32};
    relu_call call;
    int64_t most = 0;
    for (int with = 0; with < 1; ++with) {
        if (relu_begin(&call, TN_WANT_WORKSPACE, dims, NULL, variable, type_of, NULL) != 0)
            return 0;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

