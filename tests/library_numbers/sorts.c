/* sort along an axis, on every level that this machine runs: many rows at once, few, long ones, columns; stable, NaN last, both zeros equal.
   topk is the beginning of that. unique of single elements, and the positions that searchsorted finds among them. */
#include <math.h>

#include "uniform.h"

enum { most = 16 * 1100 };
static int wrong;
static uint64_t state = 1;

static uint32_t drawn(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* How elements are drawn: from all numbers of an interval, from few, from all patterns of bits, or close together but for a few. */
enum { spread_out, few, patterns, close_together, ways };

/* An element of the type; floats include NaN and both zeros. */
static void draw(tn_dtype type, void *x, int64_t k, int way)
{
    const uint32_t n = way == few ? drawn() % 7 : drawn();
    const double near = n % 16 == 0 ? ((double)n - 0x3fffffff) * 1e20 : 1 + (double)(n % 64) * (type == TN_F32 ? 1e-7 : 1e-15);
    const double value = way == few ? (double[]){0, -0.0, NAN, 1, -1, INFINITY, -2}[n] : way == spread_out ? ((double)n - 0x3fffffff) / 1024 : near;
    const uint64_t bits = (uint64_t)n << 33 ^ (uint64_t)drawn() << 16 ^ drawn();
    if (type == TN_F32)
        ((float *)x)[k] = (float)value;
    else if (type == TN_F64)
        ((double *)x)[k] = way == spread_out ? 1 + value * 1e-18 : value;
    else if (type == TN_I64)
        ((int64_t *)x)[k] = way == spread_out ? (int64_t)bits : n % 16 == 0 ? (int64_t)n << 30 : (int64_t)(n % 64) - 3;
    else if (type == TN_I32)
        ((int32_t *)x)[k] = way == spread_out ? (int32_t)(n << 1) : way == few ? INT32_MIN + (int32_t)n : (int32_t)(n % 64) - 3;
    else
        ((uint8_t *)x)[k] = (uint8_t)n;
    if (way == patterns)
        memcpy((char *)x + k * (int64_t)((type & 0xff) / 8), &bits, (type & 0xff) / 8);
}

/* -1, 0, 1: how two elements of a row are in order. */
static int compared(tn_dtype type, const void *x, int64_t a, int64_t b)
{
    if (type == TN_I64) {
        const int64_t p = ((const int64_t *)x)[a], q = ((const int64_t *)x)[b];
        return (p > q) - (p < q);
    }
    if (type == TN_I32) {
        const int32_t p = ((const int32_t *)x)[a], q = ((const int32_t *)x)[b];
        return (p > q) - (p < q);
    }
    const double p = type == TN_F32 ? (double)((const float *)x)[a] : type == TN_F64 ? ((const double *)x)[a] : ((const uint8_t *)x)[a];
    const double q = type == TN_F32 ? (double)((const float *)x)[b] : type == TN_F64 ? ((const double *)x)[b] : ((const uint8_t *)x)[b];
    if (isnan(p) || isnan(q))
        return (isnan(p) != 0) - (isnan(q) != 0);
    return (p > q) - (p < q);
}

static void check(const char *level, tn_dtype type, int way, int64_t P, int64_t D, int64_t Q, int64_t descending)
{
    static double x[most], y[most];
    static int64_t from[most];
    static char seen[most];
    const int64_t shape[3] = {P, D, Q}, axis = 1;
    const size_t bytes = (type & 0xff) / 8;
    for (int64_t k = 0; k < P * D * Q; ++k)
        draw(type, x, k, way);
    const tn_attr attrs[2] = {{"axis", 1, &axis, NULL}, {"descending", 1, &descending, NULL}};
    box in = boxed(type, x, 3, shape, NULL), out[2] = {boxed(type, y, 3, shape, NULL), boxed(TN_I64, from, 3, shape, NULL)};
    int bad = call_op("sort", type, &in, 1, out, 2, attrs, 2) != 0;
    memset(seen, 0, sizeof seen);
    for (int64_t p = 0; p < P; ++p)
        for (int64_t q = 0; q < Q; ++q)
            for (int64_t d = 0; d < D && !bad; ++d) {
                const int64_t first = p * D * Q + q, here = first + d * Q, at = first + from[here] * Q;
                bad = from[here] < 0 || from[here] >= D || seen[at]++ != 0 || memcmp((char *)y + here * (int64_t)bytes, (char *)x + at * (int64_t)bytes, bytes) != 0;
                if (!bad && d > 0) {
                    const int64_t before = from[here - Q], order = compared(type, x, first + before * Q, at);
                    bad = order == 0 ? before > from[here] : (order > 0) != (descending != 0);
                }
            }
    if (bad)
        printf("sorts.c: %s: %d bits, %lld rows of %lld, %lld columns, descending %lld, way %d\n", level, (int)(type & 0xff), (long long)P, (long long)D, (long long)Q,
               (long long)descending, way), wrong = 1;
}

/* Many elements sorted along the dimension in the middle, largest first or last. */
typedef struct {
    const char *level;
    tn_dtype type;
    int way;
    int64_t shape[3], largest;
    double values[most];
    int64_t places[most];
} sorted;

static double drawn_elements[most];

/* Draws elements of this shape, and sorts them. */
static void sort_drawn(sorted *s, const char *level, tn_dtype type, int way, const int64_t shape[3], int64_t largest)
{
    const int64_t axis = 1;
    s->level = level, s->type = type, s->way = way, s->largest = largest;
    memcpy(s->shape, shape, sizeof s->shape);
    for (int64_t d = 0; d < shape[0] * shape[1] * shape[2]; ++d)
        draw(type, drawn_elements, d, way);
    const tn_attr attrs[2] = {{"axis", 1, &axis, NULL}, {"descending", 1, &largest, NULL}};
    box in = boxed(type, drawn_elements, 3, shape, NULL), out[2] = {boxed(type, s->values, 3, shape, NULL), boxed(TN_I64, s->places, 3, shape, NULL)};
    if (call_op("sort", type, &in, 1, out, 2, attrs, 2) != 0)
        printf("sorts.c: %s: sort of %d bits\n", level, (int)(type & 0xff)), wrong = 1;
}

/* The first k of them, of the elements that were drawn last. */
static void check_topk(const sorted *s, int64_t k)
{
    static double first[most];
    static int64_t place[most];
    const int64_t P = s->shape[0], D = s->shape[1], Q = s->shape[2], kept[3] = {P, k, Q}, axis = 1;
    const size_t bytes = (s->type & 0xff) / 8;
    const tn_attr attrs[3] = {{"k", 1, &k, NULL}, {"axis", 1, &axis, NULL}, {"largest", 1, &s->largest, NULL}};
    box in = boxed(s->type, drawn_elements, 3, s->shape, NULL), out[2] = {boxed(s->type, first, 3, kept, NULL), boxed(TN_I64, place, 3, kept, NULL)};
    int bad = call_op("topk", s->type, &in, 1, out, 2, attrs, 3) != 0;
    for (int64_t p = 0; p < P && !bad; ++p)
        bad = memcmp((char *)first + p * k * Q * (int64_t)bytes, (const char *)s->values + p * D * Q * (int64_t)bytes, (size_t)(k * Q) * bytes) != 0 ||
              memcmp(place + p * k * Q, s->places + p * D * Q, (size_t)(k * Q) * sizeof *place) != 0;
    if (bad)
        printf("sorts.c: %s: first %lld, %d bits, %lld rows of %lld, %lld columns, largest %lld, way %d\n", s->level, (long long)k, (int)(s->type & 0xff), (long long)P,
               (long long)D, (long long)Q, (long long)s->largest, s->way), wrong = 1;
}

/* Some of each length up to that of a row, from elements that are drawn once for each direction. */
static void check_topks(const char *level, tn_dtype type, int way, int64_t P, int64_t D, int64_t Q)
{
    static sorted s;
    for (int64_t largest = 0; largest < 2; ++largest) {
        sort_drawn(&s, level, type, way, (const int64_t[3]){P, D, Q}, largest);
        for (int64_t first = 1; first <= D; first += first < 3 ? 1 : first < 33 ? 7 : 200)
            if (((way ^ first) & 1) == largest)
                check_topk(&s, first);
    }
}

/* One long row, of which few are kept, or a third. */
static void check_long(const char *level, tn_dtype type, int way, int64_t D)
{
    static sorted s;
    const int64_t shape[3] = {1, D, 1};
    check(level, type, way, 1, D, 1, way & D & 1);
    sort_drawn(&s, level, type, way, shape, 1);
    check_topk(&s, 1 + D % 30);
    if ((way & 1) == 0)
        sort_drawn(&s, level, type, way, shape, 0);
    check_topk(&s, D / 3);
}

/* Distinct elements in order, where each was first, its number for each element, and counts; then the positions of all elements among the distinct ones. */
static void check_unique(const char *level, tn_dtype type, int way, int64_t D)
{
    static double x[1100], y[1100];
    static int64_t first[1100], number[1100], count[1100], counted[1100], at[1100];
    for (int64_t k = 0; k < D; ++k)
        draw(type, x, k, way);
    box in = boxed(type, x, 1, &D, NULL), out[4] = {boxed(type, y, 1, &D, NULL), boxed(TN_I64, first, 1, &D, NULL), boxed(TN_I64, number, 1, &D, NULL),
                                                    boxed(TN_I64, count, 1, &D, NULL)};
    int bad = call_op("unique", type, &in, 1, out, 4, NULL, 0) != 0;
    const int64_t n = bad ? 0 : out[0].shape[0];
    memset(counted, 0, sizeof counted);
    for (int64_t d = 0; d < D && !bad; ++d) {
        bad = number[d] < 0 || number[d] >= n || first[number[d]] > d || compared(type, x, d, first[number[d]]) != 0;
        if (!bad)
            ++counted[number[d]];
    }
    for (int64_t k = 0; k < n && !bad; ++k)
        bad = count[k] != counted[k] || number[first[k]] != k || compared(type, y, k, k) != 0 || (k > 0 && compared(type, y, k - 1, k) >= 0);
    for (int64_t right = 0; right < 2 && !bad; ++right) {
        const tn_attr attr = {"right", 1, &right, NULL};
        box row_and_values[2] = {boxed(type, y, 1, &n, NULL), boxed(type, x, 1, &D, NULL)}, places = boxed(TN_I64, at, 1, &D, NULL);
        bad = call_op("searchsorted", type, row_and_values, 2, &places, 1, &attr, 1) != 0;
        for (int64_t d = 0; d < D && !bad; ++d)
            bad = at[d] != number[d] + right;
    }
    if (bad)
        printf("sorts.c: %s: unique of %lld elements of %d bits, way %d\n", level, (long long)D, (int)(type & 0xff), way), wrong = 1;
}

int main(void)
{
    static const tn_dtype types[] = {TN_F32, TN_F64, TN_I64, TN_I32, TN_U8};
    static const int64_t lengths[] = {0, 1, 2, 7, 8, 9, 17, 33, 64, 70, 100, 129, 250, 300, 513, 1000, 1100};
    for (int l = 0; l < (int)(sizeof levels / sizeof levels[0]); ++l) {
        if (tn_force_isa(levels[l]) != 0)
            continue;
        for (int t = 0; t < 5; ++t) {
            for (int64_t k = 8190; k < most; k = k < 8193 ? k + 1 : 2 * k)
                for (int way = (int)k & 1; way < ways; way += 2)
                    check_long(levels[l], types[t], way, k);
            for (int k = 0; k < (int)(sizeof lengths / sizeof lengths[0]); ++k)
                for (int way = 0; way < ways; ++way) {
                    if (lengths[k] > 0)
                        check_unique(levels[l], types[t], way, lengths[k]);
                    check(levels[l], types[t], way, 16, lengths[k], 1, (way ^ k) & 1);
                    check(levels[l], types[t], way, 1, lengths[k], 13, k & 1);
                    check(levels[l], types[t], way, 3, lengths[k], 1, way & 1);
                    if (((way ^ k ^ t) & 1) != 0)
                        continue; /* the neighbouring lengths and types have these ways */
                    check_topks(levels[l], types[t], way, 16, lengths[k], 1);
                    check_topks(levels[l], types[t], way, 1, lengths[k], 13);
                    check_topks(levels[l], types[t], way, 2, lengths[k], 1);
                }
        }
    }
    return wrong;
}
