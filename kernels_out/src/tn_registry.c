/* The table of all operators: tn_find and the calls through its handles. */
#include "tn_internal.h"

struct tn_kernel {
    uint16_t op, key;   /* row of ops, tn_dtype */
    int16_t ndim;
};

extern const tn_op tn_op_add;
extern const tn_op tn_op_gather;
extern const tn_op tn_op_gelu;
extern const tn_op tn_op_gemm;
extern const tn_op tn_op_layernorm;
extern const tn_op tn_op_relu;
extern const tn_op tn_op_softmax;

/* Sorted by name. */
static const tn_op *const all_ops[] = {
    &tn_op_add,
    &tn_op_gather,
    &tn_op_gelu,
    &tn_op_gemm,
    &tn_op_layernorm,
    &tn_op_relu,
    &tn_op_softmax,
};
enum { N_OPS = sizeof all_ops / sizeof all_ops[0] };

/* Sorted by operator, key and rank. */
static const struct tn_kernel all_kernels[] = {
    {0, TN_F32, 0}, {0, TN_F32, 1}, {0, TN_F32, 2}, {0, TN_F32, 3}, {0, TN_F32, 4}, {0, TN_F32, 5}, {0, TN_F32, 6}, {0, TN_F32, 7}, {0, TN_F32, 8},
    {1, TN_F32, 1}, {1, TN_F32, 2}, {1, TN_F32, 3}, {1, TN_F32, 4}, {1, TN_F32, 5}, {1, TN_F32, 6}, {1, TN_F32, 7}, {1, TN_F32, 8},
    {2, TN_F32, 0}, {2, TN_F32, 1}, {2, TN_F32, 2}, {2, TN_F32, 3}, {2, TN_F32, 4}, {2, TN_F32, 5}, {2, TN_F32, 6}, {2, TN_F32, 7}, {2, TN_F32, 8},
    {3, TN_F32, 2},
    {4, TN_F32, 0}, {4, TN_F32, 1}, {4, TN_F32, 2}, {4, TN_F32, 3}, {4, TN_F32, 4}, {4, TN_F32, 5}, {4, TN_F32, 6}, {4, TN_F32, 7}, {4, TN_F32, 8},
    {5, TN_F32, 0}, {5, TN_F32, 1}, {5, TN_F32, 2}, {5, TN_F32, 3}, {5, TN_F32, 4}, {5, TN_F32, 5}, {5, TN_F32, 6}, {5, TN_F32, 7}, {5, TN_F32, 8},
    {6, TN_F32, 1}, {6, TN_F32, 2}, {6, TN_F32, 3}, {6, TN_F32, 4}, {6, TN_F32, 5}, {6, TN_F32, 6}, {6, TN_F32, 7}, {6, TN_F32, 8},
};

/* Where the rows of each operator begin; one more at the end. */
static const uint32_t first_row[N_OPS + 1] = {
    0,
    9,
    17,
    26,
    27,
    36,
    45,
    53
};

static int compare_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        ++a, ++b;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

static int find_op(const char *name)
{
    int low = 0, high = N_OPS - 1;
    while (low <= high) {
        const int middle = (low + high) / 2, order = compare_text(name, all_ops[middle]->info.op);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return -1;
}

const tn_kernel *tn_find(const char *op, tn_dtype key, int ndim)
{
    const int k = op == NULL ? -1 : find_op(op);
    if (k < 0)
        return NULL;
    uint32_t low = first_row[k], high = first_row[k + 1];
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const tn_kernel *row = &all_kernels[middle];
        if (row->key == (int)key && row->ndim == ndim)
            return row;
        if (row->key < (int)key || (row->key == (int)key && row->ndim < ndim))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* A frame for a call through a handle, or a negative status. */
static int begin_call(tn_frame *f, const tn_kernel *kernel, tn_want want)
{
    if (kernel == NULL)
        return TN_E_NULL;
    tn_rt_begin(f, all_ops[kernel->op], kernel->key, kernel->ndim, want);
    return 0;
}

int tn_infer(const tn_kernel *kernel, const tn_tensor *const *in, const tn_attr *attrs, int n_attrs, tn_tensor *const *out)
{
    tn_frame f;
    const int status = begin_call(&f, kernel, TN_WANT_SHAPES);
    if (status != 0)
        return status;
    f.in = in;
    f.out = out;
    f.attrs = attrs;
    f.n_attrs = n_attrs;
    return tn_rt_infer(&f);
}

int64_t tn_workspace(const tn_kernel *kernel, const tn_tensor *const *in, const tn_attr *attrs, int n_attrs)
{
    tn_frame f;
    const int status = begin_call(&f, kernel, TN_WANT_WORKSPACE);
    if (status != 0)
        return status;
    f.in = in;
    f.attrs = attrs;
    f.n_attrs = n_attrs;
    return tn_rt_workspace(&f);
}

int tn_call(const tn_kernel *kernel, const tn_tensor *const *in, const tn_attr *attrs, int n_attrs, tn_tensor *const *out,
            void *workspace, size_t workspace_bytes)
{
    tn_frame f;
    const int status = begin_call(&f, kernel, TN_WANT_CALL);
    if (status != 0)
        return status;
    f.in = in;
    f.out = out;
    f.attrs = attrs;
    f.n_attrs = n_attrs;
    return tn_rt_call(&f, workspace, workspace_bytes);
}

int tn_describe(const tn_kernel *kernel, tn_op_info *info)
{
    if (kernel == NULL || info == NULL)
        return TN_E_NULL;
    *info = all_ops[kernel->op]->info;
    return 0;
}
