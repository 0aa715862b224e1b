/* op_arithmetic: checks of calls, tables, typed functions. */
#include "tn_internal.h"

/* ---- add
   Y[*s] = A[*s] + B[*s]
*/

static void add_bind(tn_frame *f)
{
    tn_operand *const in_A = tn_rt_input(f, 0, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_operand *const in_B = tn_rt_input(f, 1, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_rt_attrs_done(f);
    if (f->status != 0)
        return;

    /* A: T[~*S] */
    /* B: T[~*S] */
    tn_rt_broadcast_pack(f, 0, in_A, 0, in_A->ndim);
    tn_rt_broadcast_pack(f, 0, in_B, 0, in_B->ndim);
    tn_rt_stretch_pack(f, in_A, 0, in_A->ndim, 0);
    tn_rt_stretch_pack(f, in_B, 0, in_B->ndim, 0);

    /* Y: T[*S] */
    tn_operand *const out_Y = tn_rt_output(f, 0, TN_TYPE_VARIABLE + 0);
    tn_rt_put_pack(f, out_Y, 0);
    tn_rt_close(f, out_Y, 0);
}

extern const tn_op tn_op_add;
static const tn_argument add_arguments_0[] = {{0, 0x1, NULL} /* A */, {1, 0x1, NULL} /* B */, {2, 0x0, NULL} /* Y */};
static const tn_source add_sizes_0[] = {
    {TN_FROM_PACK, 0, TN_WHOLE}, /* S */
    {TN_FROM_STRIDE, 0, 0}, /* A_s0 */
    {TN_FROM_STRIDE, 1, 0}, /* B_s0 */
};
static const tn_form add_forms[] = {
    {add_arguments_0, add_sizes_0, NULL, 3, 3, 0, 0},
};
static const tn_entry add_entries[] = {
    {{TN_F32}, 0, 0, 0x0}, /* add_f32 */
};
extern const tn_core tn_cores_add_portable[];
extern const tn_core tn_cores_add_x86_64_v3[];
static const tn_core *const add_levels[TN_LEVELS] = {
    tn_cores_add_portable,
#if TN_HAS_X86_64_V3
    tn_cores_add_x86_64_v3,
#else
    NULL,
#endif
};
static const char *const add_inputs[] = {"A", "B"};
static const char *const add_outputs[] = {"Y"};
static const uint8_t add_packs[] = {TN_ODOMETER};
const tn_op tn_op_add = {
    {"add", 2, 1, 0, add_inputs, add_outputs, NULL, 0x0},
    add_bind, add_levels, add_entries, add_forms, add_packs, 1, 1, 1
};

/* A typed call of add as a uniform one. */
typedef struct {
    tn_frame frame;
    tn_shaped tensor[3];
    const tn_tensor *in[2];
    tn_tensor *out[1];
} add_call;

static void add_shapes(add_call *c, const tn_add_dims *dims)
{
    tn_rt_extents(&c->tensor[0], &dims->A_shape);
    tn_rt_extents(&c->tensor[1], &dims->B_shape);
}

/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each tensor. */
static int add_begin(add_call *c, tn_want want, const tn_add_dims *dims, const void *attrs, const int32_t *variable,
    const int32_t *type, const void *const *data)
{
    if (dims == NULL)
        return TN_E_NULL;
    tn_rt_begin(&c->frame, &tn_op_add, 0, 0, want);
    memcpy(c->frame.type, variable, 1 * sizeof *variable);
    (void)attrs;
    for (int k = 0; k < 3; ++k)
        tn_rt_shaped(&c->tensor[k], type[k], data == NULL ? NULL : data[k]);
    add_shapes(c, dims);
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

int tn_add_shape(const tn_add_dims *dims, tn_dims *Y_shape)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32};
    add_call call;
    int status = add_begin(&call, TN_WANT_SHAPES, dims, NULL, variable, type_of, NULL);
    if (status == 0)
        status = tn_rt_infer(&call.frame);
    if (status != 0)
        return status;
    Y_shape->rank = call.tensor[2].t.ndim;
    memcpy(Y_shape->dim, call.tensor[2].shape, sizeof Y_shape->dim);
    return 0;
}

int tn_add_f32(const tn_add_dims *dims, const float *A, const float *B, float *Y, void *workspace,
    size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32};
    const void *const pointers[] = {A, B, Y};
    add_call call;
    const int status = add_begin(&call, TN_WANT_CALL, dims, NULL, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_add_f32_workspace(const tn_add_dims *dims)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32};
    add_call call;
    int64_t most = 0;
    for (int with = 0; with < 1; ++with) {
        if (add_begin(&call, TN_WANT_WORKSPACE, dims, NULL, variable, type_of, NULL) != 0)
            return 0;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

