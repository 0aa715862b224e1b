/* op_gemm: checks of calls, tables, typed functions. */
#include "tn_internal.h"

/* ---- gemm: Y = alpha*A'*B' + beta*C, each operand transposed on request, C broadcast; an operand whose factor is 0
   does not count, as in BLAS
   Y[m, n] = select(alpha == 0, 0, alpha*sum[k](A[m, k]*B[k, n])) + select(beta == 0, 0, beta*opt(C[m, n], 0))
*/

void tn_gemm_defaults(tn_gemm_attrs *attrs, tn_dtype T)
{
    attrs->transA = 0;
    attrs->transB = 0;
    attrs->alpha = tn_rt_value_int((int32_t)T, 1);
    attrs->beta = tn_rt_value_int((int32_t)T, 1);
}

static void gemm_read_attributes(tn_frame *f, tn_gemm_attrs *a)
{
    tn_gemm_defaults(a, (tn_dtype)f->type[0]);
    tn_rt_attr_int(f, "transA", 0, &a->transA, 1);
    tn_rt_attr_int(f, "transB", 0, &a->transB, 1);
    tn_rt_attr_value(f, "alpha", 0, f->type[0], &a->alpha, 1);
    tn_rt_attr_value(f, "beta", 0, f->type[0], &a->beta, 1);
    tn_rt_attrs_done(f);
}

static void gemm_bind(tn_frame *f)
{
    tn_gemm_attrs given;
    const tn_gemm_attrs *a = f->typed;
    tn_operand *const in_A = tn_rt_input(f, 0, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_operand *const in_B = tn_rt_input(f, 1, TN_TYPE_VARIABLE + 0, TN_REQUIRED);
    tn_operand *const in_C = tn_rt_input(f, 2, TN_TYPE_VARIABLE + 0, TN_OPTIONAL);
    int64_t K = 0, M = 0, N = 0;
    if (a == NULL) {
        gemm_read_attributes(f, &given);
        a = &given;
    }
    tn_rt_require(f, a->transA >= 0 && a->transA < 2, TN_E_ATTR);
    tn_rt_require(f, a->transB >= 0 && a->transB < 2, TN_E_ATTR);
    if (f->status != 0)
        return;

    /* A: T[M, K], stored as [K, M] if transA */
    if (a->transA != 0)
        tn_rt_stored_as(f, in_A, (const uint8_t[]){1, 0}, 2, -1);
    tn_rt_rank(f, in_A, 2);
    M = tn_rt_size(f, in_A, 0);
    K = tn_rt_size(f, in_A, 1);

    /* B: T[K, N], stored as [N, K] if transB */
    if (a->transB != 0)
        tn_rt_stored_as(f, in_B, (const uint8_t[]){1, 0}, 2, -1);
    tn_rt_rank(f, in_B, 2);
    tn_rt_same(f, in_B, 0, K);
    N = tn_rt_size(f, in_B, 1);

    /* C?: T[~M, ~N] */
    if (in_C->tensor != NULL) {
        tn_rt_pad_front(f, in_C, 2, 2);
    }
    if (in_C->tensor != NULL) {
        tn_rt_rank(f, in_C, 2);
        tn_rt_stretch(f, in_C, 0, M);
        tn_rt_stretch(f, in_C, 1, N);
    }

    /* Y: T[M, N] */
    tn_operand *const out_Y = tn_rt_output(f, 0, TN_TYPE_VARIABLE + 0);
    tn_rt_put(f, out_Y, M);
    tn_rt_put(f, out_Y, N);
    tn_rt_close(f, out_Y, 0);

    /* what the kernels take */
    f->symbol[0] = M;
    f->symbol[1] = K;
    f->symbol[2] = N;
    f->scalar[0] = tn_rt_scalar(f->type[0], &a->alpha, 0);
    f->scalar[1] = tn_rt_scalar(f->type[0], &a->beta, 0);
}

extern const tn_op tn_op_gemm;
static const tn_argument gemm_arguments_0[] = {{0, 0x3, NULL} /* A */, {1, 0x3, NULL} /* B */, {2, 0x3, NULL} /* C */,
    {3, 0x0, NULL} /* Y */};
static const tn_source gemm_sizes_0[] = {
    {TN_FROM_SYMBOL, 0, 0}, /* M */
    {TN_FROM_SYMBOL, 1, 0}, /* K */
    {TN_FROM_SYMBOL, 2, 0}, /* N */
    {TN_FROM_STRIDE, 0, 0}, /* A_s0 */
    {TN_FROM_STRIDE, 0, 1}, /* A_s1 */
    {TN_FROM_STRIDE, 1, 0}, /* B_s0 */
    {TN_FROM_STRIDE, 1, 1}, /* B_s1 */
    {TN_FROM_STRIDE, 2, 0}, /* C_s0 */
    {TN_FROM_STRIDE, 2, 1}, /* C_s1 */
};
static const uint8_t gemm_scalars_0[] = {0, 1};
static const tn_argument gemm_arguments_1[] = {{0, 0x3, NULL} /* A */, {1, 0x3, NULL} /* B */, {3, 0x0, NULL} /* Y */};
static const tn_source gemm_sizes_1[] = {
    {TN_FROM_SYMBOL, 0, 0}, /* M */
    {TN_FROM_SYMBOL, 1, 0}, /* K */
    {TN_FROM_SYMBOL, 2, 0}, /* N */
    {TN_FROM_STRIDE, 0, 0}, /* A_s0 */
    {TN_FROM_STRIDE, 0, 1}, /* A_s1 */
    {TN_FROM_STRIDE, 1, 0}, /* B_s0 */
    {TN_FROM_STRIDE, 1, 1}, /* B_s1 */
};
static const uint8_t gemm_scalars_1[] = {0, 1};
static const tn_form gemm_forms[] = {
    {gemm_arguments_0, gemm_sizes_0, gemm_scalars_0, 4, 9, 2, 0},
    {gemm_arguments_1, gemm_sizes_1, gemm_scalars_1, 3, 7, 2, 0},
};
static const tn_entry gemm_entries[] = {
    {{TN_F32}, 0, 0, 0x4}, /* gemm_f32 */
    {{TN_F32}, 1, 1, 0x0}, /* gemm_f32_noC */
};
extern const tn_core tn_cores_gemm_portable[];
extern const tn_core tn_cores_gemm_x86_64_v3[];
static const tn_core *const gemm_levels[TN_LEVELS] = {
    tn_cores_gemm_portable,
#if TN_HAS_X86_64_V3
    tn_cores_gemm_x86_64_v3,
#else
    NULL,
#endif
};
static const char *const gemm_inputs[] = {"A", "B", "C"};
static const char *const gemm_outputs[] = {"Y"};
static const char *const gemm_attributes[] = {"transA", "transB", "alpha", "beta"};
const tn_op tn_op_gemm = {
    {"gemm", 3, 1, 4, gemm_inputs, gemm_outputs, gemm_attributes, 0x4},
    gemm_bind, gemm_levels, gemm_entries, gemm_forms, NULL, 2, 1, 0
};

/* A typed call of gemm as a uniform one. */
typedef struct {
    tn_frame frame;
    tn_shaped tensor[4];
    const tn_tensor *in[3];
    tn_tensor *out[1];
    tn_gemm_attrs attrs;
} gemm_call;

static void gemm_shapes(gemm_call *c, const tn_gemm_dims *dims)
{
    const tn_gemm_attrs *a = &c->attrs;
    if (a->transA != 0) {
        tn_rt_extent(&c->tensor[0], dims->K);
        tn_rt_extent(&c->tensor[0], dims->M);
    } else {
        tn_rt_extent(&c->tensor[0], dims->M);
        tn_rt_extent(&c->tensor[0], dims->K);
    }
    if (a->transB != 0) {
        tn_rt_extent(&c->tensor[1], dims->N);
        tn_rt_extent(&c->tensor[1], dims->K);
    } else {
        tn_rt_extent(&c->tensor[1], dims->K);
        tn_rt_extent(&c->tensor[1], dims->N);
    }
    tn_rt_extents(&c->tensor[2], &dims->C_shape);
}

/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each tensor. */
static int gemm_begin(gemm_call *c, tn_want want, const tn_gemm_dims *dims, const tn_gemm_attrs *attrs,
    const int32_t *variable, const int32_t *type, const void *const *data)
{
    if (dims == NULL)
        return TN_E_NULL;
    tn_rt_begin(&c->frame, &tn_op_gemm, 0, 0, want);
    memcpy(c->frame.type, variable, 1 * sizeof *variable);
    if (attrs != NULL)
        c->attrs = *attrs;
    else
        tn_gemm_defaults(&c->attrs, (tn_dtype)variable[0]);
    c->frame.typed = &c->attrs;
    for (int k = 0; k < 4; ++k)
        tn_rt_shaped(&c->tensor[k], type[k], data == NULL ? NULL : data[k]);
    gemm_shapes(c, dims);
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

int tn_gemm_shape(const tn_gemm_dims *dims, const tn_gemm_attrs *attrs, tn_dtype T, int64_t Y_shape[2])
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32, TN_F32};
    const int32_t chosen[] = {(int32_t)T};
    const int32_t types[] = {chosen[0], chosen[0], chosen[0], chosen[0]};
    gemm_call call;
    int status = gemm_begin(&call, TN_WANT_SHAPES, dims, attrs, chosen, types, NULL);
    (void)type_of, (void)variable;
    if (status == 0)
        status = tn_rt_infer(&call.frame);
    if (status != 0)
        return status;
    memcpy(Y_shape, call.tensor[3].shape, 2 * sizeof call.tensor[3].shape[0]);
    return 0;
}

int tn_gemm_f32(const tn_gemm_dims *dims, const tn_gemm_attrs *attrs, const float *A, const float *B,
    const float *C /* or NULL */, float *Y, void *workspace, size_t workspace_bytes)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32, TN_F32};
    const void *const pointers[] = {A, B, C, Y};
    gemm_call call;
    const int status = gemm_begin(&call, TN_WANT_CALL, dims, attrs, variable, type_of, pointers);
    return status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);
}

size_t tn_gemm_f32_workspace(const tn_gemm_dims *dims, const tn_gemm_attrs *attrs)
{
    static const int32_t variable[] = {TN_F32}, type_of[] = {TN_F32, TN_F32, TN_F32, TN_F32};
    gemm_call call;
    int64_t most = 0;
    for (int with = 0; with < 2; ++with) { /* without and with the optional inputs */
        if (gemm_begin(&call, TN_WANT_WORKSPACE, dims, attrs, variable, type_of, NULL) != 0)
            return 0;
        if (!with)
            call.in[2] = NULL;
        most = tn_rt_max(most, tn_rt_workspace(&call.frame));
    }
    return (size_t)most;
}

