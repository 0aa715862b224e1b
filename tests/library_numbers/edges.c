/* What library functions compute at the ends of types, shapes and attributes, on every level that this machine runs. */
#include <math.h>
#include <time.h>

#include "expect.h"
#include "uniform.h"

static float unary(const char *op, float x)
{
    const int64_t one[1] = {1};
    float y = 77;
    box in = boxed(TN_F32, &x, 1, one, NULL), out = boxed(TN_F32, &y, 1, one, NULL);
    return call_op(op, TN_F32, &in, 1, &out, 1, NULL, 0) == 0 ? y : NAN;
}

static void limits(void)
{
    static const char *const gates[] = {"gelu", "silu", "swish", "mish", "gelu_tanh", "hard_swish"};
    for (int k = 0; k < LENGTH(gates); ++k) {
        EXPECT(unary(gates[k], -INFINITY) == 0, unary(gates[k], -INFINITY));
        EXPECT(unary(gates[k], INFINITY) == INFINITY, unary(gates[k], INFINITY));
        EXPECT(isnan(unary(gates[k], NAN)), unary(gates[k], NAN));
        EXPECT(unary(gates[k], 0) == 0, unary(gates[k], 0));
    }
    EXPECT(fabsf(unary("gelu", -5.5f) / -1.0444259e-7f - 1) < 1e-5f, unary("gelu", -5.5f));
    EXPECT(unary("silu", -95) < 0, unary("silu", -95));
    EXPECT(unary("softsign", INFINITY) == 1, unary("softsign", INFINITY));
    EXPECT(unary("softsign", -INFINITY) == -1, unary("softsign", -INFINITY));
}

static float reduced(const char *op, const float *x, int n, const char *attr, int64_t value)
{
    float data[64], y = 77;
    const int64_t axis = 0, length = n;
    const tn_attr attrs[2] = {{"axes", 1, &axis, NULL}, {attr, 1, &value, NULL}};
    memcpy(data, x, (size_t)n * sizeof *x);
    box in = boxed(TN_F32, data, 1, &length, NULL), out = boxed(TN_F32, &y, 0, NULL, NULL);
    return call_op(op, TN_F32, &in, 1, &out, 1, attrs, attr == NULL ? 1 : 2) == 0 ? y : NAN;
}

static void reductions(void)
{
    const float far[2] = {3e30f, 4e30f}, near[2] = {3e-38f, 4e-38f}, mixed[2] = {INFINITY, 1}, nan[2] = {NAN, INFINITY}, pair[2] = {1, 3},
                zeros[2] = {0, 0};
    EXPECT(fabsf(reduced("norm_l2", far, 2, NULL, 0) / 5e30f - 1) < 1e-6f, reduced("norm_l2", far, 2, NULL, 0));
    EXPECT(fabsf(reduced("norm_l2", near, 2, NULL, 0) / 5e-38f - 1) < 1e-6f, reduced("norm_l2", near, 2, NULL, 0));
    EXPECT(reduced("norm_l2", mixed, 2, NULL, 0) == INFINITY, reduced("norm_l2", mixed, 2, NULL, 0));
    EXPECT(reduced("norm_l2", zeros, 2, NULL, 0) == 0, reduced("norm_l2", zeros, 2, NULL, 0));
    EXPECT(reduced("logsumexp", mixed, 2, NULL, 0) == INFINITY, reduced("logsumexp", mixed, 2, NULL, 0));
    EXPECT(isnan(reduced("logsumexp", nan, 2, NULL, 0)), reduced("logsumexp", nan, 2, NULL, 0));
    EXPECT(reduced("variance", pair, 2, "ddof", 1) == 2, reduced("variance", pair, 2, "ddof", 1));
    for (int64_t ddof = 2; ddof < 5; ++ddof)
        EXPECT(reduced("std", pair, 2, "ddof", ddof) == INFINITY, reduced("std", pair, 2, "ddof", ddof));
    EXPECT(reduced("variance", pair, 2, "ddof", INT32_MIN) > 0, reduced("variance", pair, 2, "ddof", INT32_MIN));
    EXPECT(isnan(reduced("variance", pair, 2, "ddof", INT64_MIN)), reduced("variance", pair, 2, "ddof", INT64_MIN)); /* refused */
}

/* The error of a sum does not grow with its length, along rows and columns, and an overflow stays an infinity. */
static void long_sums(void)
{
    enum { N = 1 << 22 };
    static float x[N];
    const int64_t shapes[3][2] = {{N, 1}, {1, N}, {N / 3, 3}};
    for (int k = 0; k < 3; ++k) {
        const int64_t axis = k == 1 ? 1 : 0, kept[2] = {k == 1 ? 1 : shapes[k][1], 1};
        const tn_attr attrs[1] = {{"axes", 1, &axis, NULL}};
        float y[3] = {0};
        const double want = 0.1f * (double)shapes[k][axis];
        for (int i = 0; i < N; ++i)
            x[i] = 0.1f;
        box in = boxed(TN_F32, x, 2, shapes[k], NULL), out = boxed(TN_F32, y, 1, kept, NULL);
        EXPECT(call_op("sum", TN_F32, &in, 1, &out, 1, attrs, 1) == 0, k);
        EXPECT(fabs(y[kept[0] - 1] / want - 1) < 1e-6, y[kept[0] - 1]);
        for (int i = 0; i < N; ++i)
            x[i] = i % 7 == 0 ? 3e38f : -1;
        EXPECT(call_op("sum", TN_F32, &in, 1, &out, 1, attrs, 1) == 0, k);
        EXPECT(y[0] == INFINITY, y[0]);
    }
}

static void norms(void)
{
    const int64_t two[1] = {2};
    float x[2] = {3e38f, 3e38f}, y[2] = {0, 0};
    box in = boxed(TN_F32, x, 1, two, NULL), out = boxed(TN_F32, y, 1, two, NULL);
    EXPECT(call_op("l2_normalize", TN_F32, &in, 1, &out, 1, NULL, 0) == 0, 0);
    EXPECT(fabsf(y[0] - 0.70710678f) < 1e-6f, y[0]);
    EXPECT(call_op("l1_normalize", TN_F32, &in, 1, &out, 1, NULL, 0) == 0, 0);
    EXPECT(fabsf(y[0] - 0.5f) < 1e-6f, y[0]);
}

static void empty_argmax(void)
{
    static const char *const ops[] = {"argmax", "argmin"};
    float x[1];
    int64_t places[2] = {7, 7};
    const int64_t none[2] = {2, 0}, nothing[2] = {0, 0}, left[1] = {2}, no[1] = {0};
    for (int k = 0; k < 2; ++k) {
        box in = boxed(TN_F32, x, 2, none, NULL), out = boxed(TN_I64, places, 1, left, NULL);
        EXPECT(call_op(ops[k], TN_F32, &in, 1, &out, 1, NULL, 0) == TN_E_SHAPE && places[0] == 7, places[0]);
        in = boxed(TN_F32, x, 2, nothing, NULL), out = boxed(TN_I64, places, 1, no, NULL);
        EXPECT(call_op(ops[k], TN_F32, &in, 1, &out, 1, NULL, 0) == 0, 0);
    }
}

static void gemm_factors(void)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, c[4] = {NAN, NAN, INFINITY, NAN}, y[4];
    const int64_t two[2] = {2, 2};
    const double zero = 0;
    const tn_attr beta = {"beta", 1, NULL, &zero}, alpha = {"alpha", 1, NULL, &zero};
    box in[3] = {boxed(TN_F32, a, 2, two, NULL), boxed(TN_F32, b, 2, two, NULL), boxed(TN_F32, c, 2, two, NULL)};
    box out = boxed(TN_F32, y, 2, two, NULL);
    EXPECT(call_op("gemm", TN_F32, in, 3, &out, 1, &beta, 1) == 0 && memcmp(y, a, sizeof y) == 0, y[0]);
    in[0] = boxed(TN_F32, c, 2, two, NULL), in[2] = boxed(TN_F32, a, 2, two, NULL);
    EXPECT(call_op("gemm", TN_F32, in, 3, &out, 1, &alpha, 1) == 0 && memcmp(y, a, sizeof y) == 0, y[0]);
}

static void generators(void)
{
    const double ends[2] = {-3e38, 3e38}, plain[2] = {-1, 0.3};
    const int64_t three = 3, twelve = 12, seed = 1, lo = INT64_MIN, hi = INT64_MAX, count[1] = {1000};
    const tn_attr far[3] = {{"start", 1, NULL, &ends[0]}, {"stop", 1, NULL, &ends[1]}, {"count", 1, &three, NULL}};
    const tn_attr usual[3] = {{"start", 1, NULL, &plain[0]}, {"stop", 1, NULL, &plain[1]}, {"count", 1, &twelve, NULL}};
    const tn_attr draw[4] = {{"shape", 1, count, NULL}, {"seed", 1, &seed, NULL}, {"lo", 1, &lo, NULL}, {"hi", 1, &hi, NULL}};
    float y[12];
    static int64_t z[1000];
    box out = boxed(TN_F32, y, 1, &three, NULL);
    EXPECT(call_op("linspace", TN_F32, NULL, 0, &out, 1, far, 3) == 0 && y[0] == -3e38f && y[1] == 0 && y[2] == 3e38f, y[1]);
    out = boxed(TN_F32, y, 1, &twelve, NULL);
    EXPECT(call_op("linspace", TN_F32, NULL, 0, &out, 1, usual, 3) == 0 && y[0] == -1 && y[11] == 0.3f, y[11]);
    out = boxed(TN_I64, z, 1, count, NULL);
    EXPECT(call_op("randint", TN_I64, NULL, 0, &out, 1, draw, 4) == 0, 0);
    int odd = 0, low = 0;
    for (int k = 0; k < 1000; ++k) {
        odd += (int)(z[k] & 1);
        low += z[k] < 0;
    }
    EXPECT(odd > 400 && odd < 600, odd);
    EXPECT(low > 400 && low < 600, low);
}

/* Diagonals, shifts and steps at the ends of their type. */
static void far_attributes(void)
{
    static const char *const triangles[] = {"tril", "triu"};
    const int64_t shape[2] = {2, 3}, two = 2, five[1] = {5}, axis = 0, back = INT64_MIN;
    for (int k = 0; k < 4; ++k) {
        const int64_t far = k < 2 ? INT64_MAX : INT64_MIN;
        const int kept = (k < 2) == (k % 2 == 0);
        const tn_attr attr = {"k", 1, &far, NULL};
        float x[6] = {1, 2, 3, 4, 5, 6}, y[6];
        box in = boxed(TN_F32, x, 2, shape, NULL), out = boxed(TN_F32, y, 2, shape, NULL);
        EXPECT(call_op(triangles[k % 2], TN_F32, &in, 1, &out, 1, &attr, 1) == 0, 0);
        for (int i = 0; i < 6; ++i)
            EXPECT(y[i] == (kept ? x[i] : 0), y[i]);
        const tn_attr eye[3] = {{"rows", 1, &two, NULL}, {"columns", 1, &two, NULL}, {"k", 1, &far, NULL}};
        const int64_t square[2] = {2, 2};
        out = boxed(TN_F32, y, 2, square, NULL);
        EXPECT(call_op("eye", TN_F32, NULL, 0, &out, 1, eye, 3) == 0 && y[0] + y[1] + y[2] + y[3] == 0, y[0]);
    }
    const tn_attr roll[2] = {{"axis", 1, &axis, NULL}, {"shift", 1, &back, NULL}};
    float x[5] = {0, 1, 2, 3, 4}, y[5];
    box in = boxed(TN_F32, x, 1, five, NULL), out = boxed(TN_F32, y, 1, five, NULL);
    EXPECT(call_op("roll", TN_F32, &in, 1, &out, 1, roll, 2) == 0 && y[0] == 3, y[0]);   /* 2^63 % 5 */
}

/* Strides and pads that indices cannot be computed with, extents whose product does not fit, a workspace that no memory has. */
static void far_windows(void)
{
    const int64_t image[4] = {1, 1, 2, 2}, window[2] = {1, 1}, far[2] = {INT64_MAX - 1, 1}, pads[4] = {INT64_MIN + 1, 0, INT64_MAX, 0};
    const tn_attr strides[2] = {{"kernel", 2, window, NULL}, {"stride", 2, far, NULL}};
    const tn_attr padded[2] = {{"kernel", 2, window, NULL}, {"pads", 4, pads, NULL}};
    float x[4] = {1, 2, 3, 4}, y[4];
    box in = boxed(TN_F32, x, 4, image, NULL), out = boxed(TN_F32, y, 3, image, NULL);
    EXPECT(call_op("im2col", TN_F32, &in, 1, &out, 1, strides, 2) == TN_E_ATTR, 0);
    EXPECT(call_op("im2col", TN_F32, &in, 1, &out, 1, padded, 2) == TN_E_ATTR, 0);

    const int64_t wide[3] = {(int64_t)1 << 45, (int64_t)1 << 45, 0}, axis = 2;
    const tn_attr axes = {"axes", 1, &axis, NULL};
    in = boxed(TN_F32, x, 3, wide, NULL);
    EXPECT(call_op("sum", TN_F32, &in, 1, &out, 1, &axes, 1) == TN_E_SHAPE, 0);

    const int64_t long_rows[3] = {1, (int64_t)1 << 32, 2}, repeated[3] = {0, 0, 0};
    in = boxed(TN_F32, x, 3, long_rows, repeated);
    in.t.shape = in.shape;
    in.t.strides = in.strides;
    const tn_tensor* const ins[1] = {&in.t};
    EXPECT(tn_workspace(tn_find("dft", TN_F32, 3), ins, NULL, 0) >= (int64_t)1 << 57, 0);
}

static void far_steps(void)
{
    const int64_t cases[][4] = {{0, 5, INT64_MAX, 0}, {4, INT64_MIN, INT64_MIN, 4}, {-1, INT64_MIN, -INT64_MAX, 4}};
    const int64_t five[1] = {5}, six = 6, axis = 0;
    const tn_attr attrs[2] = {{"axis", 1, &axis, NULL}, {"size", 1, &six, NULL}};
    float x[5] = {0, 1, 2, 3, 4}, y[6];
    for (int k = 0; k <= LENGTH(cases); ++k) {
        int64_t begin = k < 3 ? cases[k][0] : 0, end = k < 3 ? cases[k][1] : 5, step = k < 3 ? cases[k][2] : 0, count = -9;
        box in[4] = {boxed(TN_F32, x, 1, five, NULL), boxed(TN_I64, &begin, 0, NULL, NULL), boxed(TN_I64, &end, 0, NULL, NULL),
                     boxed(TN_I64, &step, 0, NULL, NULL)};
        box out[2] = {boxed(TN_F32, y, 1, &six, NULL), boxed(TN_I64, &count, 0, NULL, NULL)};
        const int status = call_op("slice_axis", TN_F32, in, 4, out, 2, attrs, 2);
        if (k == 3)
            EXPECT(status == TN_E_RANGE && count == -9, status);
        else
            EXPECT(status == 0 && count == 1 && y[0] == (float)cases[k][3], count);
    }
}

static void nonzero_of_views(void)
{
    float x[12] = {0, 1, 0, 2, 0, 0, 3, 0, 4, 5, 0, 0};
    const int64_t shape[2] = {4, 3}, turned[2] = {1, 4}, room[2] = {2, 12};
    int64_t places[24];
    box in = boxed(TN_F32, x, 2, shape, turned), out = boxed(TN_I64, places, 2, room, NULL);
    EXPECT(call_op("nonzero", TN_F32, &in, 1, &out, 1, NULL, 0) == 0 && out.shape[1] == 5, out.shape[1]);
    const int64_t want[10] = {0, 1, 1, 2, 3, 2, 0, 2, 1, 0};
    EXPECT(memcmp(places, want, sizeof want) == 0, places[0]);
}

static void ranks_above_the_limit(void)
{
    int64_t ones[TN_MAX_NDIM] = {1, 1, 1, 1, 1, 1, 1, 1}, index = 0, depth = 1, axis = 0;
    float x = 0, y = 77;
    const tn_attr attr = {"depth", 1, &depth, NULL}, at = {"axis", 1, &axis, NULL};
    box in = boxed(TN_I64, &index, TN_MAX_NDIM, ones, NULL), out = boxed(TN_F32, &y, TN_MAX_NDIM, ones, NULL);
    out.t.ndim = TN_MAX_NDIM + 1;
    EXPECT(call_op("one_hot", TN_F32, &in, 1, &out, 1, &attr, 1) < 0 && y == 77, y);
    in = boxed(TN_F32, &x, TN_MAX_NDIM, ones, NULL);
    EXPECT(call_op("stack", TN_F32, &in, 1, &out, 1, &at, 1) == TN_E_SHAPE && y == 77, y);
}

static void empty_and_huge(void)
{
    const int64_t much = INT64_C(1) << 40, ones[3] = {1, 1, 1};
    float x[1], y[1];
    for (int k = 0; k < 3; ++k) {
        int64_t shape[3] = {much, much, much};
        shape[k] = 0;
        box in = boxed(TN_F32, x, 3, shape, k == 1 ? ones : NULL), out = boxed(TN_F32, y, 3, shape, NULL);
        const clock_t begin = clock();
        EXPECT(call_op("softmax", TN_F32, &in, 1, &out, 1, NULL, 0) == 0, 0);
        EXPECT((double)(clock() - begin) / CLOCKS_PER_SEC < 0.5, k);
    }
}

/* A view across memory: planes, rows and columns of 3 x 48 x 80 elements are read as 3 x 80 x 48, backwards on one axis. */
static void turned_views(void)
{
    enum { planes = 3, high = 48, wide = 80, all = planes * high * wide };
    static float x[all], y[all];
    static int64_t a[all], b[planes * wide];
    for (int k = 0; k < all; ++k) {
        x[k] = (float)(k % 997) / 64 - 7;
        a[k] = k * k % 1009;
    }
    const int64_t shape[3] = {planes, wide, high}, turned[3] = {high * wide, 1, wide}, back[3] = {high * wide, -1, wide};
    box in = boxed(TN_F32, x, 3, shape, turned), out = boxed(TN_F32, y, 3, shape, NULL);
    EXPECT(call_op("hard_swish", TN_F32, &in, 1, &out, 1, NULL, 0) == 0, 0);
    int same = 1;
    for (int p = 0; p < planes; ++p)
        for (int i = 0; i < wide; ++i)
            for (int j = 0; j < high; ++j)
                same = same && y[(p * wide + i) * high + j] == unary("hard_swish", x[(p * high + j) * wide + i]);
    EXPECT(same, same);
    const int64_t axis = 2, sums[2] = {planes, wide};
    const tn_attr attr = {"axes", 1, &axis, NULL};
    box from = boxed(TN_I64, a + wide - 1, 3, shape, back), to = boxed(TN_I64, b, 2, sums, NULL);
    EXPECT(call_op("sum", TN_I64, &from, 1, &to, 1, &attr, 1) == 0, 0);
    for (int p = 0; p < planes; ++p)
        for (int i = 0; i < wide; ++i) {
            int64_t want = 0;
            for (int j = 0; j < high; ++j)
                want += a[(p * high + j) * wide + wide - 1 - i];
            EXPECT(b[p * wide + i] == want, b[p * wide + i]);
        }
}

static void typed_axes(void)
{
    const float x[6] = {1, 5, 3, 4, 2, 6};
    int64_t y[3] = {9, 9, 9};
    static unsigned char room[1 << 16];
    const tn_argmax_dims last = {{1, {2}}, 3, {0, {0}}}, first = {{0, {0}}, 2, {1, {3}}};
    tn_argmax_attrs a;
    tn_argmax_defaults(&a);
    EXPECT(tn_argmax_f32(&last, &a, x, y, room, sizeof room) == 0 && y[0] == 1 && y[1] == 2, y[0]);
    EXPECT(tn_argmax_f32(&first, &a, x, y, room, sizeof room) == TN_E_ATTR, y[0]);
    EXPECT(tn_argmax_f32(&first, NULL, x, y, room, sizeof room) == 0 && y[0] == 1 && y[1] == 0 && y[2] == 1, y[0]);
    a.axis = 0;
    EXPECT(tn_argmax_f32(&last, &a, x, y, room, sizeof room) == TN_E_ATTR, y[0]);
    EXPECT(tn_argmax_f32(&first, &a, x, y, room, sizeof room) == 0, y[0]);
    const tn_sum_dims rows = {{1, {2}}, {1, {3}}, {0, {0}}};
    const int64_t one[1] = {1}, zero[1] = {0}, minus[1] = {-1};
    tn_sum_attrs s;
    float z[2];
    tn_sum_defaults(&s);
    s.axes.count = 1;
    s.axes.values = one;
    EXPECT(tn_sum_f32(&rows, &s, x, z, room, sizeof room) == 0 && z[0] == 9 && z[1] == 12, z[0]);
    s.axes.values = minus;
    EXPECT(tn_sum_f32(&rows, &s, x, z, room, sizeof room) == 0, z[0]);
    s.axes.values = zero;
    EXPECT(tn_sum_f32(&rows, &s, x, z, room, sizeof room) == TN_E_ATTR, z[0]);
}

/* 2^60 + 2^52 is between two values of bf16, and one more decides. */
static void wide_integers_to_bf16(void)
{
    const tn_cast_dims two = {{1, {2}}};
    int64_t x[2] = {((int64_t)1 << 60) + ((int64_t)1 << 52), ((int64_t)1 << 60) + ((int64_t)1 << 52) + 1};
    for (int sign = 0; sign < 2; ++sign) {
        uint16_t y[2] = {77, 77};
        EXPECT(tn_cast_i64_bf16(&two, x, y, NULL, 0) == 0, sign);
        EXPECT(y[0] == (sign ? 0xdd80 : 0x5d80), y[0]);
        EXPECT(y[1] == (sign ? 0xdd81 : 0x5d81), y[1]);
        x[0] = -x[0];
        x[1] = -x[1];
    }
}

static void powers_of_pools(void)
{
    const int64_t image[4] = {1, 1, 1, 2}, point[4] = {1, 1, 1, 1}, kernel[2] = {1, 2};
    const double powers[2] = {3, INFINITY};
    const float wants[2][2] = {{3.7797631e30f, 3e30f}, {3.7797631e-30f, 3e-30f}};
    for (int far = 0; far < 2; ++far)
        for (int k = 0; k < 2; ++k) {
            const float unit = far == 0 ? 1e30f : 1e-30f;
            float x[2] = {3 * unit, -3 * unit}, y = 77, z = 77;
            const tn_attr attrs[2] = {{"p", 1, NULL, &powers[k]}, {"kernel", 2, kernel, NULL}};
            box in = boxed(TN_F32, x, 4, image, NULL), out = boxed(TN_F32, &y, 4, point, NULL), all = boxed(TN_F32, &z, 4, point, NULL);
            EXPECT(call_op("lppool2d", TN_F32, &in, 1, &out, 1, attrs, 2) == 0 && fabsf(y / wants[far][k] - 1) < 1e-5f, y);
            EXPECT(call_op("global_lppool", TN_F32, &in, 1, &all, 1, attrs, 1) == 0 && fabsf(z / wants[far][k] - 1) < 1e-5f, z);
        }
}

int main(void)
{
    void (*const groups[])(void) = {limits,          reductions,       long_sums,        norms,          empty_argmax, gemm_factors,
                                    generators,      far_attributes,   far_windows,   far_steps,      nonzero_of_views,
                                    ranks_above_the_limit, empty_and_huge, typed_axes,       turned_views,
                                    wide_integers_to_bf16, powers_of_pools};
    for (int l = 0; l < LENGTH(levels); ++l) {
        if (tn_force_isa(levels[l]) != 0)
            continue;
        level = levels[l];
        for (int k = 0; k < LENGTH(groups); ++k)
            groups[k]();
    }
    return wrong;
}
