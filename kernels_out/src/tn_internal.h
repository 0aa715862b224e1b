/* What the sources of this library share: how a call is checked, laid out and handed to a kernel. Not for callers. */
#ifndef TN_INTERNAL_H
#define TN_INTERNAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tn.h"

enum {
    TN_MAX_OPERANDS = 4,     /* inputs, outputs and extents that depend on data, of one operator */
    TN_MAX_EXTENTS = 1,      /* extents that depend on data, of one operator */
    TN_MAX_TYPES = 2,        /* type variables of one operator */
    TN_MAX_PACKS = 3,        /* packs: groups of dimensions whose number is known at the call only */
    TN_MAX_SYMBOLS = 3,      /* scalar sizes that a kernel may take */
    TN_MAX_SCALARS = 2,      /* attribute values that a kernel may take */
    TN_MAX_SIZES = 9,       /* entries of a kernel's size[] */
    TN_MAX_VIEW = 16,        /* logical dimensions of an operand: stored ones, some of them split */
    TN_MAX_KERNEL_DIMS = 3  /* dimensions of an operand as a kernel sees it */
};

/* ---- kernels */

/* An attribute value on its way into a kernel. */
typedef union {
    int64_t i;
    double f;
} tn_scalar;

/* One kernel at one instruction set level. run: 0 or a negative status, before the first store. workspace: the bytes that it takes;
   NULL: none. */
typedef struct {
    int (*run)(const int64_t *size, const tn_scalar *attr, const void *const *in, void *const *out, void *workspace);
    int64_t (*workspace)(const int64_t *size, const tn_scalar *attr);
} tn_core;

/* Where an entry of a kernel's size[] comes from. */
enum {
    TN_FROM_SYMBOL,      /* a: which scalar size */
    TN_FROM_PACK,        /* a: which pack, b: dimension of eight, TN_WHOLE or TN_OUTER */
    TN_FROM_STRIDE,      /* a: which argument of the kernel, b: dimension of it */
    TN_FROM_PACK_ATTR,   /* a: which list, b: dimension of eight */
    TN_FROM_PACK_BASE,   /* a: which pack; the linear index of the first element of this run */
    TN_FROM_PACK_RANK,   /* a: which pack; how many dimensions it has */
    TN_OUTER = 254,
    TN_WHOLE = 255
};
typedef struct {
    uint8_t from, a, b;
} tn_source;

/* A tensor argument of a kernel: which operand, and in which dimensions the kernel takes any stride. In the others it
   expects the strides of a contiguous tensor; an operand that has others is copied to the workspace first. */
typedef struct {
    uint8_t operand;
    uint32_t any_stride;
    const void *without;         /* what the kernel reads where the operand is not given; NULL: it asks, or has no such calls */
} tn_argument;

/* How the arguments of a kernel are made. Inputs come before outputs. */
typedef struct {
    const tn_argument *arguments;
    const tn_source *sizes;
    const uint8_t *scalars;      /* positions in tn_frame.scalar */
    uint8_t n_arguments, n_sizes, n_scalars;
    uint8_t may_fail;            /* the kernel examines data, so it runs in one go or into the workspace */
} tn_form;

/* One entry of an operator: dtypes and optional inputs that it answers to, and the kernel that does the work. */
typedef struct {
    uint16_t type[TN_MAX_TYPES]; /* tn_dtype of each type variable */
    uint16_t core;               /* row of the level's table */
    uint16_t form;
    uint32_t present;            /* bit k: optional input k is given */
} tn_entry;

typedef struct tn_frame tn_frame;

/* An operator: its names, its checks, its kernels. */
typedef struct {
    tn_op_info info;
    void (*bind)(tn_frame *f);
    const tn_core *const *levels;   /* one table of kernels for each level, or NULL */
    const tn_entry *entries;
    const tn_form *forms;
    const uint8_t *pack_kinds;      /* TN_COLLAPSED, … of each pack */
    uint16_t n_entries;
    uint8_t n_types, n_packs;
} tn_op;

/* ---- a call */

/* What a dimension (or a pack) of the definition is to a kernel. */
enum {
    TN_ONE,         /* one dimension */
    TN_COLLAPSED,   /* all dimensions of the pack as one, their product */
    TN_FIXED,       /* eight dimensions, those in front of extent 1 */
    TN_ODOMETER,    /* the innermost one after merging; the others are walked by the caller */
    TN_PLANE        /* the same with one of the others */
};
typedef struct {
    uint8_t kind, pack, first, count;   /* [first, first + count) of the view */
} tn_group;

/* A tensor of the call. First as stored: shape and step. Then as the definition writes it: the view. */
typedef struct {
    const tn_tensor *tensor;                 /* NULL: an absent optional input */
    unsigned char *data;
    int32_t dtype, bytes;                    /* tn_dtype and size of an element */
    int32_t ndim;
    int64_t shape[TN_MAX_NDIM], step[TN_MAX_NDIM];
    int32_t rank, groups;
    int64_t extent[TN_MAX_VIEW], stride[TN_MAX_VIEW];
    uint8_t written[TN_MAX_NDIM];            /* output: 1 + which extent the kernel writes this dimension to, or 0 */
    uint8_t stored_at[TN_MAX_VIEW];          /* output: the stored dimension that a dimension of the view is part of, */
    int64_t inner[TN_MAX_VIEW];              /* and the product of the parts that are inside it */
    tn_group group[TN_MAX_VIEW];
} tn_operand;

enum { TN_ANY_RANK = -1 };
typedef enum { TN_WANT_SHAPES, TN_WANT_WORKSPACE, TN_WANT_CALL } tn_want;

/* Everything that is known of one call. `status` keeps the first error; all functions below then do no harm. */
struct tn_frame {
    const tn_op *op;
    int32_t key, ndim;                       /* what tn_find was asked for; TN_ANY_RANK in typed calls */
    tn_want want;
    int status;
    const tn_tensor *const *in;
    tn_tensor *const *out;
    const tn_attr *attrs;
    int n_attrs, n_attrs_read;
    const void *typed;                       /* attributes of a typed call */
    const void *dims;                        /* its extents, where they name numbers that follow from others */
    int is_typed;                            /* outputs have the shapes that follow from the inputs */
    int32_t type[TN_MAX_TYPES];              /* dtype bound to each type variable, 0: none yet */
    tn_operand operand[TN_MAX_OPERANDS];     /* inputs, then outputs, then extents that depend on data */
    int64_t extent[TN_MAX_EXTENTS];          /* as the kernel wrote them */
    tn_dims pack[TN_MAX_PACKS];
    int64_t symbol[TN_MAX_SYMBOLS];
    int64_t list[TN_MAX_PACKS][TN_MAX_NDIM];
    tn_scalar scalar[TN_MAX_SCALARS];
};

/* Keeps the first error. */
static inline void tn_rt_fail(tn_frame *f, int status)
{
    if (f->status == 0)
        f->status = status;
}

/* A check; TN_NO_CHECKS takes them all away. */
static inline void tn_rt_require(tn_frame *f, int holds, int status)
{
#ifdef TN_NO_CHECKS
    (void)f, (void)holds, (void)status;
#else
    if (!holds)
        tn_rt_fail(f, status);
#endif
}

/* Same characters? */
static inline int tn_rt_same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        ++a, ++b;
    return *a == *b;
}

/* ---- tensors */

/* Type of an operand: a dtype, or TN_TYPE_VARIABLE + k. */
enum { TN_TYPE_VARIABLE = 0x10000 };
enum { TN_REQUIRED, TN_OPTIONAL, TN_WIDENED };      /* the last: required, and an output has one more dimension */

/* Opens input k: reads its shape and strides, checks pointers, dtype, alignment, extents. */
tn_operand *tn_rt_input(tn_frame *f, int k, int32_t type, int optional);
/* Opens output k. */
tn_operand *tn_rt_output(tn_frame *f, int k, int32_t type);
/* The operand must have this number of stored dimensions. */
void tn_rt_rank(tn_frame *f, const tn_operand *t, int32_t rank);
/* Number of dimensions of a pack: `rank`, which must not be negative. */
int32_t tn_rt_pack_rank(tn_frame *f, int32_t rank);
/* Stored order → the definition's: stored dimension j is dimension order[j] of n, of which `pack` is a pack (-1: none). */
void tn_rt_stored_as(tn_frame *f, tn_operand *t, const uint8_t *order, int32_t n, int32_t pack);
/* A tensor of `rank` dimensions may lack the first `may_lack`: they count as extents of 1. */
void tn_rt_pad_front(tn_frame *f, tn_operand *t, int32_t rank, int32_t may_lack);
/* An axis attribute: from 0 after counting a negative one from the end; it may be as large as `last`. */
int32_t tn_rt_axis(tn_frame *f, int64_t axis, int32_t ndim, int32_t last);
/* Moves the listed axes together, behind the first `lead` of the others (negative: counted from the end); returns how many. */
int32_t tn_rt_listed_axes(tn_frame *f, tn_operand *t, const tn_ints *axes, int32_t lead);

/* The least of the listed axes; `ndim` if there is none. */
int32_t tn_rt_lowest_axis(tn_frame *f, const tn_ints *axes, int32_t ndim);

/* Each of the following adds dimensions to the operand's view. `at`: stored dimension. */
int64_t tn_rt_size(tn_frame *f, tn_operand *t, int32_t at);                      /* a new size: returns it */
void tn_rt_same(tn_frame *f, tn_operand *t, int32_t at, int64_t size);           /* must be that size */
void tn_rt_stretch(tn_frame *f, tn_operand *t, int32_t at, int64_t size);        /* that size, or 1 and repeated */
void tn_rt_split(tn_frame *f, tn_operand *t, int32_t at, const int64_t *parts, int32_t n); /* product of parts, outermost first */
void tn_rt_pack(tn_frame *f, tn_operand *t, int32_t at, int pack);               /* a new pack, whose rank is set */
/* The dimensions of a view that is one pack, in another order: dimension d is dimension order[d], as those of the pack `pack` are. */
void tn_rt_permute(tn_frame *f, tn_operand *t, int pack, const tn_dims *order);
void tn_rt_same_pack(tn_frame *f, tn_operand *t, int32_t at, int pack);          /* must be that pack */
/* `count` stored dimensions from `at` on, aligned at the end of the pack; each is as the pack's, or 1 and repeated. */
void tn_rt_stretch_pack(tn_frame *f, tn_operand *t, int32_t at, int32_t count, int pack);
/* Broadcasting: what comes of two extents, or of a pack and `count` stored dimensions from `at` on. */
int64_t tn_rt_stored_extent(tn_frame *f, const tn_operand *t, int32_t at);
int64_t tn_rt_broadcast(tn_frame *f, int64_t size, int64_t other);
void tn_rt_broadcast_pack(tn_frame *f, int pack, const tn_operand *t, int32_t at, int32_t count);

/* The part of a split dimension that is not known: whole / parts, which must divide. */
int64_t tn_rt_part(tn_frame *f, int64_t whole, int64_t parts);

/* Dimensions of an output, in order; then tn_rt_close compares them with the tensor given, or fills it in. */
void tn_rt_put(tn_frame *f, tn_operand *t, int64_t extent);
/* An extent that depends on data, number k of the operator: `bound` until the kernel has run. */
void tn_rt_put_upto(tn_frame *f, tn_operand *t, int64_t bound, int k);
void tn_rt_put_split(tn_frame *f, tn_operand *t, const int64_t *parts, int32_t n);
void tn_rt_put_pack(tn_frame *f, tn_operand *t, int pack);
void tn_rt_put_stored_as(tn_frame *f, tn_operand *t, const uint8_t *order, int32_t n, int32_t pack);
void tn_rt_put_listed_axes(tn_frame *f, tn_operand *t, const tn_ints *axes, int32_t lead);
void tn_rt_close(tn_frame *f, tn_operand *t, int k);

/* A list of sizes that is computed: the pack's rank, which a tensor can have. */
void tn_rt_set_rank(tn_frame *f, tn_dims *pack, int64_t rank);
/* Value of an `int[*P]` attribute: one for each dimension of a pack; `neutral` stands for those in front. */
void tn_rt_give_list(tn_frame *f, int k, const tn_dims *list, int64_t neutral);

/* ---- attributes: each looks up one name and stores its value; absent, the default stays */
void tn_rt_attr_int(tn_frame *f, const char *name, int required, int64_t *to, int32_t count);
void tn_rt_attr_real(tn_frame *f, const char *name, int required, double *to, int32_t count);
void tn_rt_attr_value(tn_frame *f, const char *name, int required, int32_t dtype, tn_value *to, int32_t count);
void tn_rt_attr_ints(tn_frame *f, const char *name, int required, tn_ints *to);
void tn_rt_attr_reals(tn_frame *f, const char *name, int required, tn_reals *to);
/* One for each dimension of a pack: at most eight; rank -1 stands for the default. */
void tn_rt_attr_dims(tn_frame *f, const char *name, int required, tn_dims *to);
/* All attributes that were given have been read. */
void tn_rt_attrs_done(tn_frame *f);
/* A list given once for each dimension of the pack, or left to its default. */
void tn_rt_per_dim(tn_frame *f, tn_dims *list, const tn_dims *pack, int64_t neutral);
/* A number as an attribute of type `dtype`: integers saturate. */
tn_value tn_rt_value(int32_t dtype, double x);
/* The same from an integer, exact for all integer types. */
tn_value tn_rt_value_int(int32_t dtype, int64_t x);
/* Real (part 0) and imaginary (part 1) half as a kernel's argument. */
tn_scalar tn_rt_scalar(int32_t dtype, const tn_value *v, int part);
/* Is the type one of floating point (or complex)? */
int tn_rt_is_float(int32_t dtype);

/* ---- arithmetic of sizes: 64 bits, an overflow or a division by zero is TN_E_SHAPE */
int64_t tn_rt_add(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_sub(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_mul(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_floordiv(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_ceildiv(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_mod(tn_frame *f, int64_t a, int64_t b);      /* sign of b */
int64_t tn_rt_power(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_shl(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_shr(tn_frame *f, int64_t a, int64_t b);
int64_t tn_rt_sign(int64_t a);
int64_t tn_rt_popcount(int64_t a);
int64_t tn_rt_clz(int64_t a);
int64_t tn_rt_product(tn_frame *f, const tn_dims *pack);
int64_t tn_rt_to_int(tn_frame *f, double x);                /* toward zero; NaN and what does not fit: TN_E_SHAPE */
int64_t tn_rt_at(tn_frame *f, const tn_dims *pack, int64_t at);            /* from the end when negative */
int64_t tn_rt_int_at(tn_frame *f, const tn_ints *list, int64_t at);
int64_t tn_rt_min(int64_t a, int64_t b);
int64_t tn_rt_max(int64_t a, int64_t b);
int64_t tn_rt_abs(int64_t a);
double tn_rt_fmin(double a, double b);
double tn_rt_fmax(double a, double b);
double tn_rt_fabs(double a);
double tn_rt_inf(void);
double tn_rt_floor(double x);
double tn_rt_ceil(double x);
double tn_rt_round(double x);   /* half to even */
double tn_rt_sqrt(double x);    /* correctly rounded */
double tn_rt_exp(double x);
double tn_rt_log(double x);
double tn_rt_log2(double x);
double tn_rt_log10(double x);
double tn_rt_cbrt(double x);
double tn_rt_trunc(double x);
double tn_rt_fsign(double x);
double tn_rt_pow(double x, double y);   /* exact roots for y a multiple of 1/2 */

/* ---- running */

/* Begins a call: everything but in, out and the attributes is set. */
void tn_rt_begin(tn_frame *f, const tn_op *op, int32_t key, int32_t ndim, tn_want want);
/* Checks the inputs and fills in dtypes and shapes of the outputs. */
int tn_rt_infer(tn_frame *f);
/* Checks the call and tells its workspace in bytes, or a negative status. */
int64_t tn_rt_workspace(tn_frame *f);
/* Checks the call and runs it. */
int tn_rt_call(tn_frame *f, void *workspace, size_t workspace_bytes);

/* Copies a box of elements of `bytes` bytes each; strides in elements. */
typedef struct {
    int32_t rank;
    int64_t extent[TN_MAX_VIEW], to[TN_MAX_VIEW], from[TN_MAX_VIEW];
} tn_box;
void tn_rt_copy(void *to, const void *from, const tn_box *box, int32_t bytes);

/* ---- typed calls: a tensor with room for its shape */
typedef struct {
    tn_tensor t;
    int64_t shape[TN_MAX_NDIM];
} tn_shaped;
void tn_rt_shaped(tn_shaped *s, int32_t dtype, const void *data);
void tn_rt_extent(tn_shaped *s, int64_t extent);
void tn_rt_extents(tn_shaped *s, const tn_dims *dims);
void tn_rt_placed_axis(tn_frame *f, int64_t axis, int32_t at, int32_t behind);
void tn_rt_placed_axes(tn_frame *f, const tn_ints *axes, int32_t at, int32_t count, int32_t behind);

/* ---- levels of the instruction set */
enum {
    TN_LEVEL_PORTABLE,
    TN_LEVEL_X86_64_V3,
    TN_LEVELS
};
#if 1
#define TN_HAS_PORTABLE 1
#else
#define TN_HAS_PORTABLE 0
#endif
#if defined(__x86_64__) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12))
#define TN_HAS_X86_64_V3 1
#else
#define TN_HAS_X86_64_V3 0
#endif
/* The level that runs, or -1 where none of those compiled in does. */
int tn_rt_level(void);

#endif
