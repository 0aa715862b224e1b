/* argmax and argmin of rows and of columns, of few values that repeat and of NaN, against a plain loop. */
#include <math.h>

#include "uniform.h"

enum { MOST = 200, ROWS = 70, LONG = 16385, ROOM = LONG > MOST * ROWS ? LONG : MOST * ROWS };

static double numbers[ROOM];
static double memory[ROOM];
static const char *level;
static int calls, wrong;

static void store(tn_dtype type, int i, double v)
{
    if (type == TN_F32)
        ((float *)memory)[i] = (float)v;
    else if (type == TN_F64)
        memory[i] = v;
    else if (type == TN_I32)
        ((int32_t *)memory)[i] = (int32_t)v;
    else if (type == TN_U8)
        ((uint8_t *)memory)[i] = (uint8_t)(v + 10); /* in the same order */
    else if (type == TN_I8)
        ((int8_t *)memory)[i] = (int8_t)v;
    else
        ((int64_t *)memory)[i] = (int64_t)v;
}

/* The first element that no other one beats, or the last: NaN beats numbers. */
static int64_t plain(int most, int last, const double *v, int n, int step)
{
    int64_t best = 0;
    for (int i = 1; i < n; ++i) {
        const double a = v[i * step], b = v[best * step];
        const int same = isnan(a) ? isnan(b) : a == b;
        const int better = !isnan(b) && (isnan(a) || (most ? a > b : a < b));
        if (better || (last && same))
            best = i;
    }
    return best;
}

static void compare(tn_dtype type, int n, int axis, unsigned seed)
{
    const int is_float = type == TN_F32 || type == TN_F64;
    for (int i = 0; i < n * ROWS; ++i) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned r = seed >> 20;
        numbers[i] = is_float && r % 97 == 0 ? (double)NAN : (double)(r / 97 % 5) - 2;
        store(type, i, numbers[i]);
    }
    const int64_t shape[2] = {axis == 1 ? ROWS : n, axis == 1 ? n : ROWS}, left[1] = {axis == 1 ? ROWS : shape[1]};
    for (int64_t last = 0; last < 2; ++last)
        for (int most = 0; most < 2; ++most) {
            const int64_t at = axis;
            const tn_attr attrs[2] = {{"axis", 1, &at, NULL}, {"last", 1, &last, NULL}};
            int64_t y[ROWS];
            memset(y, 0xff, sizeof y);
            box in = boxed(type, memory, 2, shape, NULL), out = boxed(TN_I64, y, 1, left, NULL);
            int holds = call_op(most ? "argmax" : "argmin", type, &in, 1, &out, 1, attrs, 2) == 0;
            for (int p = 0; p < ROWS; ++p)
                holds = holds && y[p] == (axis == 1 ? plain(most, last != 0, numbers + p * n, n, 1)
                                                    : plain(most, last != 0, numbers + p, n, ROWS));
            ++calls;
            if (!holds) {
                printf("%s: %s of type %d, axis %d, %d elements, last %d\n", level, most ? "argmax" : "argmin",
                       (int)type, axis, n, (int)last);
                wrong = 1;
            }
        }
}

/* Long rows with extremes at two places only, around the ends of blocks. */
static void compare_long(tn_dtype type, int n)
{
    const int64_t shape[1] = {n}, axis = 0;
    const int places[] = {0, 255, 256, 511, n - 1025, n - 1024, n - 257, n - 256, n - 1};
    const int count = sizeof places / sizeof places[0];
    for (int k = 0; k < count * count * 4; ++k) {
        const int64_t last = k & 1;
        const int most = k >> 1 & 1;
        for (int i = 0; i < n; ++i)
            numbers[i] = i % 7 - 3;
        numbers[places[k / 4 % count]] = numbers[places[k / 4 / count]] = most ? 5 : -5;
        for (int i = 0; i < n; ++i)
            store(type, i, numbers[i]);
        const tn_attr attrs[2] = {{"axis", 1, &axis, NULL}, {"last", 1, &last, NULL}};
        int64_t y = -1;
        box in = boxed(type, memory, 1, shape, NULL), out = boxed(TN_I64, &y, 0, NULL, NULL);
        const int status = call_op(most ? "argmax" : "argmin", type, &in, 1, &out, 1, attrs, 2);
        ++calls;
        if (status != 0 || y != plain(most, last != 0, numbers, n, 1)) {
            printf("%s: %s of type %d, %d elements, last %d, is %d\n", level, most ? "argmax" : "argmin", (int)type, n,
                   (int)last, (int)y);
            wrong = 1;
        }
    }
}

int main(void)
{
    static const int lengths[] = {1026, 1280, 2049, LONG};
    static const tn_dtype types[] = {TN_F32, TN_F64, TN_I8, TN_U8, TN_I32, TN_I64};
    for (size_t v = 0; v < sizeof levels / sizeof levels[0]; ++v) {
        level = levels[v];
        if (tn_force_isa(level) != 0)
            continue;
        for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
            for (int n = 1; n <= MOST; n += 1 + n / 9)
                for (int axis = 0; axis < 2; ++axis)
                    compare(types[t], n, axis, (unsigned)n * 31u + (unsigned)t);
        for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
            for (size_t n = 0; n < (types[t] == TN_I8 || types[t] == TN_U8 ? sizeof lengths / sizeof lengths[0] : 1); ++n)
                compare_long(types[t], lengths[n]);
    }
    printf("positions: %s in %d calls\n", wrong == 0 ? "passed" : "failed", calls);
    return wrong != 0;
}
