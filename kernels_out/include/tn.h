/* A library of 7 operators. Statuses: 0, or one of the TN_E_… below. */
#ifndef TN_H
#define TN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types */

/* Element types: DLPack code << 8 | bits. */
typedef enum {
    TN_I8 = 0x008,
    TN_I16 = 0x010,
    TN_I32 = 0x020,
    TN_I64 = 0x040,
    TN_U8 = 0x108,
    TN_U16 = 0x110,
    TN_U32 = 0x120,
    TN_U64 = 0x140,
    TN_F16 = 0x210,
    TN_F32 = 0x220,
    TN_F64 = 0x240,
    TN_BF16 = 0x410,
    TN_C64 = 0x540,
    TN_C128 = 0x580,
    TN_BOOL = 0x608,
    TN_I4 = 0x004,
    TN_U4 = 0x104,
    TN_I2 = 0x002,
    TN_U2 = 0x102,
    TN_F8E4M3FN = 0xa08,
    TN_F8E4M3FNUZ = 0xb08,
    TN_F8E5M2 = 0xc08,
    TN_F8E5M2FNUZ = 0xd08,
    TN_F8E8M0 = 0xe08,
    TN_F4E2M1 = 0x1104
} tn_dtype;

/* Statuses: 0 is done, all others are negative. */
enum {
    TN_E_NULL = -1,      /* a pointer that is needed is NULL */
    TN_E_DTYPE = -2,     /* a dtype that the operator does not take there */
    TN_E_SHAPE = -3,     /* ranks or extents that do not fit together */
    TN_E_STRIDE = -4,    /* an output that is not contiguous, or a stride out of bounds */
    TN_E_ALIGN = -5,     /* data that is not aligned to its elements */
    TN_E_ATTR = -6,      /* an attribute unknown, missing, ill-typed or out of bounds */
    TN_E_RANGE = -7,     /* an index, a divisor or the like in the data that is out of range */
    TN_E_WORKSPACE = -8, /* a workspace that is too small */
    TN_E_ISA = -9,       /* a level that is not compiled in, or not on this machine */
    TN_E_OVERLAP = -10   /* an output that overlaps another tensor */
};

enum { TN_MAX_NDIM = 8 };

/* Extents of some dimensions. */
typedef struct {
    int32_t rank;
    int64_t dim[8];
} tn_dims;

/* Attributes that are lists of any length. */
typedef struct {
    int32_t count;
    const int64_t *values;
} tn_ints;
typedef struct {
    int32_t count;
    const double *values;
} tn_reals;

/* An attribute of an operator's element type: i for integers (and bool), f[0] for floating types, f[0] + f[1] i for complex ones. */
typedef union {
    int64_t i;
    double f[2];
} tn_value;

typedef struct {
    float re, im;
} tn_c64;
typedef struct {
    double re, im;
} tn_c128;

/* ---- any operator on any tensors

   A tensor is laid out as DLPack's DLTensor. `strides` count elements; NULL is contiguous. Inputs may have any strides (zero and negative
   too), may overlap each other, and are at any address that is aligned to their elements; outputs are contiguous. */
typedef struct {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} tn_tensor;

/* An attribute: exactly one of i and f is given; count is 1 for a scalar. Enumerations are positions in their list, bool is 0 or 1,
   an attribute of the operator's element type travels in i for integers and in f for floating types. */
typedef struct {
    const char *name;
    int32_t count;
    const int64_t *i;
    const double *f;
} tn_attr;

typedef struct {
    const char *op;
    int32_t n_in, n_out, n_attrs;
    const char *const *in, *const *out, *const *attrs;
    uint32_t optional; /* bit k: input k may be NULL; bit n_in + k: output k may be */
} tn_op_info;

/* An operator for one key and one rank; it lives as long as the program. */
typedef struct tn_kernel tn_kernel;

/* key: the dtype of the operator's first type variable (without one: of its first tensor). ndim: rank of the first input, or of the first
   output if there is no input. NULL: not compiled in. */
const tn_kernel *tn_find(const char *op, tn_dtype key, int ndim);
/* Fills dtype, ndim and shape of the outputs; `shape` has room for TN_MAX_NDIM extents. Returns a status. */
int tn_infer(const tn_kernel *kernel, const tn_tensor *const *in, const tn_attr *attrs, int n_attrs, tn_tensor *const *out);
/* Bytes of workspace that tn_call needs, or a negative status. */
int64_t tn_workspace(const tn_kernel *kernel, const tn_tensor *const *in, const tn_attr *attrs, int n_attrs);
/* Runs the operator. Inputs and outputs are in the order of the definition; an absent optional input is NULL. The workspace may be at
   any address. Returns a status; if it is negative, no output has been touched. */
int tn_call(const tn_kernel *kernel, const tn_tensor *const *in, const tn_attr *attrs, int n_attrs, tn_tensor *const *out,
            void *workspace, size_t workspace_bytes);
/* Names and counts of inputs, outputs and attributes. Returns a status. */
int tn_describe(const tn_kernel *kernel, tn_op_info *info);

/* One line that says what a status means; never NULL. */
const char *tn_strerror(int status);
/* Makes all later calls use one level: 0, or TN_E_ISA if it is not compiled in or not on this machine. */
int tn_force_isa(const char *name);
/* The level that calls use, or "none". */
const char *tn_active_isa(void);

/* ---- typed functions

   Tensors are contiguous. `attrs` may be NULL where all attributes have defaults; NAME_defaults fills a struct with them.
   NAME_workspace tells the bytes of workspace that NAME needs (0 for arguments that NAME refuses), NAME_shape the shapes of the outputs.
   f16 and bf16 travel as their bits in uint16_t, bool as 0 or 1 in uint8_t. */

/* add
   (A [~*S], B [~*S]) -> Y [*S] */
typedef struct {
    tn_dims A_shape; /* of A, broadcast to [*S] */
    tn_dims B_shape; /* of B, broadcast to [*S] */
} tn_add_dims;
int tn_add_shape(const tn_add_dims *dims, tn_dims *Y_shape);
int tn_add_f32(const tn_add_dims *dims, const float *A, const float *B, float *Y, void *workspace,
    size_t workspace_bytes);
size_t tn_add_f32_workspace(const tn_add_dims *dims);

/* gather: slices of X along an axis, at the places that Ix names
   (X [*P, D@axis, *Q], Ix [*J]) -> Y [*P, *J, *Q] */
typedef struct {
    tn_dims P;
    int64_t D;
    tn_dims Q;
    tn_dims J;
} tn_gather_dims;
typedef struct {
    int64_t axis; /* default 0 */
} tn_gather_attrs;
void tn_gather_defaults(tn_gather_attrs *attrs);
int tn_gather_shape(const tn_gather_dims *dims, const tn_gather_attrs *attrs, tn_dims *Y_shape);
int tn_gather_f32_i32(const tn_gather_dims *dims, const tn_gather_attrs *attrs, const float *X, const int32_t *Ix,
    float *Y, void *workspace, size_t workspace_bytes);
size_t tn_gather_f32_i32_workspace(const tn_gather_dims *dims, const tn_gather_attrs *attrs);
int tn_gather_f32_i64(const tn_gather_dims *dims, const tn_gather_attrs *attrs, const float *X, const int64_t *Ix,
    float *Y, void *workspace, size_t workspace_bytes);
size_t tn_gather_f32_i64_workspace(const tn_gather_dims *dims, const tn_gather_attrs *attrs);

/* gelu: X times the normal distribution at X; -inf gives the limit, 0
   (X [*S]) -> Y [*S] */
typedef struct {
    tn_dims S;
} tn_gelu_dims;
int tn_gelu_shape(const tn_gelu_dims *dims, tn_dims *Y_shape);
int tn_gelu_f32(const tn_gelu_dims *dims, const float *X, float *Y, void *workspace, size_t workspace_bytes);
size_t tn_gelu_f32_workspace(const tn_gelu_dims *dims);

/* gemm: Y = alpha*A'*B' + beta*C, each operand transposed on request, C broadcast; an operand whose factor is 0 does
   not count, as in BLAS
   (A [M, K], B [K, N], C? [~M, ~N]) -> Y [M, N] */
typedef struct {
    int64_t M;
    int64_t K;
    int64_t N;
    tn_dims C_shape; /* of C, broadcast to [M, N] */
} tn_gemm_dims;
typedef struct {
    int64_t transA; /* 0 or 1; default false */
    int64_t transB; /* 0 or 1; default false */
    tn_value alpha; /* of type T; default 1 */
    tn_value beta; /* of type T; default 1 */
} tn_gemm_attrs;
void tn_gemm_defaults(tn_gemm_attrs *attrs, tn_dtype T);
int tn_gemm_shape(const tn_gemm_dims *dims, const tn_gemm_attrs *attrs, tn_dtype T, int64_t Y_shape[2]);
int tn_gemm_f32(const tn_gemm_dims *dims, const tn_gemm_attrs *attrs, const float *A, const float *B,
    const float *C /* or NULL */, float *Y, void *workspace, size_t workspace_bytes);
size_t tn_gemm_f32_workspace(const tn_gemm_dims *dims, const tn_gemm_attrs *attrs);

/* layernorm: zero mean and unit variance over every dimension from `axis` on, then scaled by G and shifted by B
   (X [*P, *Q@axis], G [*Q], B? [*Q]) -> Y [*P, *Q] */
typedef struct {
    tn_dims P;
    tn_dims Q;
} tn_layernorm_dims;
typedef struct {
    int64_t axis; /* default -1 */
    double eps; /* default 1e-5 */
} tn_layernorm_attrs;
void tn_layernorm_defaults(tn_layernorm_attrs *attrs);
int tn_layernorm_shape(const tn_layernorm_dims *dims, const tn_layernorm_attrs *attrs, tn_dims *Y_shape);
int tn_layernorm_f32(const tn_layernorm_dims *dims, const tn_layernorm_attrs *attrs, const float *X, const float *G,
    const float *B /* or NULL */, float *Y, void *workspace, size_t workspace_bytes);
size_t tn_layernorm_f32_workspace(const tn_layernorm_dims *dims, const tn_layernorm_attrs *attrs);

/* relu: X where it is positive, else 0; NaN stays
   (X [*S]) -> Y [*S] */
typedef struct {
    tn_dims S;
} tn_relu_dims;
int tn_relu_shape(const tn_relu_dims *dims, tn_dims *Y_shape);
int tn_relu_f32(const tn_relu_dims *dims, const float *X, float *Y, void *workspace, size_t workspace_bytes);
size_t tn_relu_f32_workspace(const tn_relu_dims *dims);

/* softmax: exp(X) over its sum along an axis
   (X [*P, D@axis, *Q]) -> Y [*P, D, *Q] */
typedef struct {
    tn_dims P;
    int64_t D;
    tn_dims Q;
} tn_softmax_dims;
typedef struct {
    int64_t axis; /* default -1 */
} tn_softmax_attrs;
void tn_softmax_defaults(tn_softmax_attrs *attrs);
int tn_softmax_shape(const tn_softmax_dims *dims, const tn_softmax_attrs *attrs, tn_dims *Y_shape);
int tn_softmax_f32(const tn_softmax_dims *dims, const tn_softmax_attrs *attrs, const float *X, float *Y,
    void *workspace, size_t workspace_bytes);
size_t tn_softmax_f32_workspace(const tn_softmax_dims *dims, const tn_softmax_attrs *attrs);

#ifdef __cplusplus
}
#endif

#endif
