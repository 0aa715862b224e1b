/* Reductions of permuted and reversed views: the same numbers as of copies, no copy where one order of dimensions does,
   copies of parts where rows are apart, and none where the reduced dimensions of a dense tensor are apart. Copies of such views: a view is copied first where most of it is used.
   Transposes whose inner planes are tiny or long. */
#include <math.h>

#include "uniform.h"

enum { RANK = 3, ELEMENTS = 5 * 6 * 7 };

static const int64_t stored[RANK] = {5, 6, 7}, stored_strides[RANK] = {42, 7, 1};
static float x[ELEMENTS];
static const char *level;
static int wrong;

static double element(const int64_t *strides, const int64_t *at, int from_last)
{
    int64_t offset = from_last;
    for (int d = 0; d < RANK; ++d)
        offset += strides[d] * at[d];
    return x[offset];
}

/* What `op` is over the axes of the mask, at the output element with these positions. */
static double reduced(const char *op, const int64_t *shape, const int64_t *strides, int first, unsigned mask, int64_t *at)
{
    double sum = 0, most = -INFINITY;
    int64_t where = 0, n[RANK];
    for (int d = 0; d < RANK; ++d)
        n[d] = (mask >> d & 1) != 0 ? shape[d] : 1;
    for (int64_t k = 0; k < n[0] * n[1] * n[2]; ++k) {
        const int64_t r[RANK] = {k / (n[1] * n[2]), k / n[2] % n[1], k % n[2]};
        for (int d = 0; d < RANK; ++d)
            if ((mask >> d & 1) != 0)
                at[d] = r[d];
        const double v = element(strides, at, first);
        sum += v;
        if (v > most)
            most = v, where = k;
    }
    return strcmp(op, "sum") == 0 ? sum : strcmp(op, "max") == 0 ? most : (double)where;
}

/* One call on the view, compared element by element. */
static void check(const char *op, const int64_t *shape, const int64_t *strides, int first, unsigned mask)
{
    int64_t axes[RANK], kept[RANK], out_axis[RANK], outputs = 1, y_index[ELEMENTS];
    float y[ELEMENTS];
    int n_axes = 0, n_kept = 0;
    const int is_arg = strcmp(op, "argmax") == 0;
    for (int d = 0; d < RANK; ++d)
        if ((mask >> d & 1) != 0) {
            axes[n_axes++] = d;
        } else {
            out_axis[n_kept] = d;
            kept[n_kept++] = shape[d];
            outputs *= shape[d];
        }
    const tn_attr attrs[1] = {{is_arg ? "axis" : "axes", is_arg ? 1 : n_axes, axes, NULL}};
    box in = boxed(TN_F32, x + first, RANK, shape, strides);
    box out = is_arg ? boxed(TN_I64, y_index, n_kept, kept, NULL) : boxed(TN_F32, y, n_kept, kept, NULL);
    const int status = call_op(op, TN_F32, &in, 1, &out, 1, attrs, 1);
    for (int64_t k = 0; k < outputs && status == 0; ++k) {
        int64_t at[RANK] = {0}, rest = k;
        for (int d = n_kept - 1; d >= 0; rest /= kept[d--])
            at[out_axis[d]] = rest % kept[d];
        const double want = reduced(op, shape, strides, first, mask, at), got = is_arg ? (double)y_index[k] : y[k];
        if (want != got && ++wrong < 20)
            printf("%s, %s: axes %x of strides %d %d %d: element %d is %g, not %g\n", level, op, mask, (int)strides[0],
                   (int)strides[1], (int)strides[2], (int)k, got, want);
    }
    if (status != 0 && ++wrong < 20)
        printf("%s, %s: axes %x: status %d\n", level, op, mask, status);
}

/* What `tile` and `pad` make of a view: Y[o] is X[(o - before) % shape], or 0 outside of X for `pad`. */
static void check_copy(const char *op, const int64_t *shape, const int64_t *strides, int first)
{
    static const int64_t reps[RANK] = {2, 1, 3}, before[RANK] = {1, 0, 2}, after[RANK] = {0, 2, 1};
    static float y[6 * ELEMENTS + 1000];
    const int pads = strcmp(op, "pad") == 0;
    const tn_attr attrs[2] = {{pads ? "before" : "reps", RANK, pads ? before : reps, NULL}, {"after", RANK, after, NULL}};
    int64_t made[RANK];
    for (int d = 0; d < RANK; ++d)
        made[d] = pads ? shape[d] + before[d] + after[d] : shape[d] * reps[d];
    box in = boxed(TN_F32, x + first, RANK, shape, strides), out = boxed(TN_F32, y, RANK, made, NULL);
    const int status = call_op(op, TN_F32, &in, 1, &out, 1, attrs, pads ? 2 : 1);
    for (int64_t k = 0; k < made[0] * made[1] * made[2] && status == 0; ++k) {
        const int64_t o[RANK] = {k / (made[1] * made[2]), k / made[2] % made[1], k % made[2]};
        int64_t at[RANK];
        int inside = 1;
        for (int d = 0; d < RANK; ++d) {
            at[d] = pads ? o[d] - before[d] : o[d] % shape[d];
            inside &= at[d] >= 0 && at[d] < shape[d];
        }
        const double want = inside ? element(strides, at, first) : 0;
        if (want != y[k] && ++wrong < 20)
            printf("%s, %s: strides %d %d %d: element %d is %g, not %g\n", level, op, (int)strides[0], (int)strides[1],
                   (int)strides[2], (int)k, y[k], want);
    }
    if (status != 0 && ++wrong < 20)
        printf("%s, %s: status %d\n", level, op, status);
}

static void orders(void)
{
    static const int order[6][RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int o = 0; o < 6; ++o)
        for (int reversed = 0; reversed < 1 << RANK; ++reversed)
        {
            int64_t shape[RANK], strides[RANK];
            int first = 0;
            for (int d = 0; d < RANK; ++d) {
                const int back = reversed >> d & 1;
                shape[d] = stored[order[o][d]];
                strides[d] = stored_strides[order[o][d]] * (back ? -1 : 1);
                first += back ? (int)(stored_strides[order[o][d]] * (shape[d] - 1)) : 0;
            }
            check_copy("tile", shape, strides, first);
            check_copy("pad", shape, strides, first);
            for (unsigned mask = 1; mask < 1u << RANK; ++mask) {
                check("sum", shape, strides, first, mask);
                check("max", shape, strides, first, mask);
                if (mask == 1 || mask == 2 || mask == 4)
                    check("argmax", shape, strides, first, mask);
            }
        }
}

/* Transposes of 2, 3 and 20 elements in every order, to every order. */
static void transposes(void)
{
    static const int64_t extents[RANK] = {2, 3, 20};
    static const int64_t order[6][RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 36; ++k) {
        const int64_t *from = order[k / 6], *perm = order[k % 6];
        const int64_t shape[RANK] = {extents[from[0]], extents[from[1]], extents[from[2]]};
        const int64_t strides[RANK] = {shape[1] * shape[2], shape[2], 1};
        const int64_t made[RANK] = {shape[perm[0]], shape[perm[1]], shape[perm[2]]};
        float y[2 * 3 * 20];
        const tn_attr attrs[1] = {{"perm", RANK, perm, NULL}};
        box in = boxed(TN_F32, x, RANK, shape, NULL), out = boxed(TN_F32, y, RANK, made, NULL);
        const int status = call_op("transpose", TN_F32, &in, 1, &out, 1, attrs, 1);
        int same = status == 0;
        for (int64_t i = 0; i < 2 * 3 * 20 && same; ++i) {
            const int64_t o[RANK] = {i / (made[1] * made[2]), i / made[2] % made[1], i % made[2]};
            int64_t at[RANK];
            for (int d = 0; d < RANK; ++d)
                at[perm[d]] = o[d];
            same = y[i] == element(strides, at, 0);
        }
        if (!same && ++wrong < 20)
            printf("%s, transpose: case %d, status %d\n", level, k, status);
    }
}

/* Workspace for a reduction of a view. */
static int64_t bytes_of_view(const char *op, int rank, const int64_t *shape, const int64_t *strides, int64_t axis)
{
    static float data[1];
    const tn_attr attrs[1] = {{strcmp(op, "argmax") == 0 ? "axis" : "axes", 1, &axis, NULL}};
    box in = boxed(TN_F32, data, rank, shape, strides);
    const tn_tensor *ins[1] = {&in.t};
    in.t.shape = in.shape;
    in.t.strides = in.strides;
    return tn_workspace(tn_find(op, TN_F32, rank), ins, attrs, 1);
}

/* Of a square matrix. */
static int64_t bytes(const char *op, int64_t n, int64_t row, int64_t column, int64_t axis)
{
    const int64_t shape[2] = {n, n}, strides[2] = {row, column};
    return bytes_of_view(op, 2, shape, strides, axis);
}

static void no_copies(void)
{
    static const char *const ops[] = {"sum", "max", "mean", "norm_l1", "argmax"};
    for (int k = 0; k < 5; ++k)
        for (int64_t axis = 0; axis < 2; ++axis)
            if (bytes(ops[k], 64, 1, 64, axis) >= 64 * 64 * (int64_t)sizeof(float)) {  // strips of columns take less
                printf("%s, %s: a transposed matrix is copied\n", level, ops[k]);
                ++wrong;
            }
    /* both dimensions that stay change sides: the results are copied, and strips of 8 KB of columns */
    static const int64_t cube[RANK] = {64, 64, 64}, backwards[RANK] = {1, 64, 64 * 64};
    for (int k = 0; k < 4; ++k)
        for (int64_t axis = 0; axis < RANK; ++axis)
            if (bytes_of_view(ops[k], RANK, cube, backwards, axis) >= 64 * 64 * (int64_t)sizeof(float) + 32768) {
                printf("%s, %s: planes stored the other way round are copied for axis %d\n", level, ops[k], (int)axis);
                ++wrong;
            }
    for (int k = 0; k < 5; ++k)
        if (bytes(ops[k], 1000, 1003, 1, 1) >= 16384 || bytes(ops[k], 1000, 2003, 2, 1) >= 65536) {
            printf("%s, %s: a matrix whose rows are apart is copied as a whole\n", level, ops[k]);
            ++wrong;
        }
}

/* Sums, maxima, means and magnitudes over axes of a dense tensor, stored in this order, that are apart: within rounding, and a
   workspace for less than a tenth of a channel. */
static void apart(const char *op, const int64_t *extent, const int *order, unsigned mask)
{
    enum { DIMS = 4, MOST = 4096 };
    static float in_memory[MOST], y[MOST], want[MOST];
    int64_t shape[DIMS], strides[DIMS], kept[DIMS], axes[DIMS], elements = 1, results = 1;
    int n_axes = 0, n_kept = 0;
    for (int d = DIMS - 1; d >= 0; --d) {
        shape[order[d]] = extent[d];
        strides[order[d]] = elements;
        elements *= extent[d];
    }
    int64_t step[DIMS] = {0};
    for (int d = DIMS - 1; d >= 0; --d)
        if ((mask >> d & 1) == 0) {
            step[d] = results;
            results *= shape[d];
        }
    for (int d = 0; d < DIMS; ++d)
        if ((mask >> d & 1) != 0)
            axes[n_axes++] = d;
        else
            kept[n_kept++] = shape[d];
    const int is_max = strcmp(op, "max") == 0;
    for (int64_t k = 0; k < results; ++k)
        want[k] = is_max ? -INFINITY : 0;
    for (int64_t k = 0; k < elements; ++k) {
        const float v = (float)((k * 37 + k / 11 * 5) % 251 - 125);
        int64_t to = 0;
        for (int d = 0; d < DIMS; ++d)
            to += k / strides[d] % shape[d] * step[d];
        in_memory[k] = v;
        want[to] = is_max ? fmaxf(want[to], v) : want[to] + (strcmp(op, "norm_l1") == 0 ? fabsf(v) : v);
    }
    for (int64_t k = 0; k < results && strcmp(op, "mean") == 0; ++k)
        want[k] /= (float)(elements / results);
    const tn_attr attrs[1] = {{"axes", n_axes, axes, NULL}};
    box in = boxed(TN_F32, in_memory, DIMS, shape, strides), out = boxed(TN_F32, y, n_kept, kept, NULL);
    memset(y, 0xa5, sizeof y);
    const int status = call_op(op, TN_F32, &in, 1, &out, 1, attrs, 1);
    for (int64_t k = 0; k < results; ++k)
        if ((status != 0 || !(fabsf(y[k] - want[k]) <= 1e-5f * fabsf(want[k]))) && ++wrong < 20)
            printf("%s, %s: axes %x, status %d: element %d is %g, not %g\n", level, op, mask, status, (int)k, y[k], want[k]);
}

/* No copy either where these axes are apart. */
static void dims_apart(void)
{
    static const char *const ops[] = {"sum", "max", "mean", "norm_l1"};
    static const int64_t extents[][4] = {{4, 3, 8, 16}, {2, 7, 1, 5}, {5, 2, 3, 2}, {1, 6, 4, 33}};
    static const int orders[][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {3, 1, 0, 2}};
    for (int op = 0; op < 4; ++op)
        for (int e = 0; e < 4; ++e)
            for (int o = 0; o < 3; ++o)
                for (unsigned mask = 1; mask < 15; ++mask)
                    apart(ops[op], extents[e], orders[o], mask);
    static const int64_t shape[4] = {16, 4, 64, 64}, axes[3] = {0, 2, 3};
    static float data[1];
    for (int op = 0; op < 4; ++op) {
        const tn_attr attrs[1] = {{"axes", 3, axes, NULL}};
        box in = boxed(TN_F32, data, 4, shape, NULL);
        const tn_tensor *ins[1] = {&in.t};
        in.t.shape = in.shape;
        const int64_t bytes = tn_workspace(tn_find(ops[op], TN_F32, 4), ins, attrs, 1);
        if (bytes < 0 || bytes >= 16 * 64 * 64 * (int64_t)sizeof(float) / 10) {
            printf("%s, %s: a channel of all images is copied\n", level, ops[op]);
            ++wrong;
        }
    }
}

/* Workspace for a piece of a transposed square matrix of 64 rows. */
static int64_t bytes_of_slice(int64_t n)
{
    int64_t shape[2] = {64, 64}, strides[2] = {1, 64}, size[2] = {n, n};
    static float data[1];
    const tn_attr attrs[1] = {{"size", 2, size, NULL}};
    box in = boxed(TN_F32, data, 2, shape, strides);
    const tn_tensor *ins[1] = {&in.t};
    in.t.shape = in.shape;
    in.t.strides = in.strides;
    return tn_workspace(tn_find("slice", TN_F32, 2), ins, attrs, 1);
}

static void copies_of_most(void)
{
    if (bytes_of_slice(60) < 64 * 64 * (int64_t)sizeof(float) || bytes_of_slice(4) != 0) {
        printf("%s, slice: of a transposed matrix the whole is copied for a piece, or nothing for most of it\n", level);
        ++wrong;
    }
}

int main(void)
{
    for (int k = 0; k < ELEMENTS; ++k)
        x[k] = (float)((k * 37 + k / 11 * 5) % 251 - 125);
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; ++k) {
        level = levels[k];
        if (tn_force_isa(level) != 0)
            continue;
        orders();
        transposes();
        no_copies();
        dims_apart();
        copies_of_most();
    }
    puts(wrong == 0 ? "views: passed" : "views: failed");
    return wrong != 0;
}
