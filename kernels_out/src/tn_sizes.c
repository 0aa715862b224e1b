/* Arithmetic of sizes: integers that never wrap, and the few functions of real numbers that a definition may use. */
#include "tn_internal.h"

int64_t tn_rt_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t tn_rt_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t tn_rt_abs(int64_t a)
{
    return a >= 0 ? a : a == INT64_MIN ? INT64_MAX : -a;
}

int64_t tn_rt_sign(int64_t a)
{
    return (a > 0) - (a < 0);
}

int64_t tn_rt_popcount(int64_t a)
{
    int64_t n = 0;
    for (uint64_t u = (uint64_t)a; u != 0; u &= u - 1)
        ++n;
    return n;
}

int64_t tn_rt_clz(int64_t a)
{
    int64_t n = 64;
    for (uint64_t u = (uint64_t)a; u != 0; u >>= 1)
        --n;
    return n;
}

double tn_rt_fmin(double a, double b)
{
    return a < b ? a : b;
}

double tn_rt_fmax(double a, double b)
{
    return a > b ? a : b;
}

double tn_rt_fabs(double a)
{
    return a < 0 ? -a : a;
}

double tn_rt_fsign(double a)
{
    return a > 0 ? 1 : a < 0 ? -1 : a;
}

static int64_t does_not_fit(tn_frame *f)
{
    tn_rt_fail(f, TN_E_SHAPE);
    return 0;
}

int64_t tn_rt_add(tn_frame *f, int64_t a, int64_t b)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return does_not_fit(f);
    return a + b;
}

int64_t tn_rt_sub(tn_frame *f, int64_t a, int64_t b)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
        return does_not_fit(f);
    return a - b;
}

int64_t tn_rt_mul(tn_frame *f, int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return 0;
    if (a == INT64_MIN || b == INT64_MIN)
        return a == 1 || b == 1 ? a * b : does_not_fit(f);
    if (tn_rt_abs(a) > INT64_MAX / tn_rt_abs(b))
        return does_not_fit(f);
    return a * b;
}

int64_t tn_rt_floordiv(tn_frame *f, int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return does_not_fit(f);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t tn_rt_ceildiv(tn_frame *f, int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return does_not_fit(f);
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

int64_t tn_rt_mod(tn_frame *f, int64_t a, int64_t b)
{
    if (b == 0)
        return does_not_fit(f);
    if (b == -1)
        return 0;
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}

int64_t tn_rt_power(tn_frame *f, int64_t a, int64_t b)
{
    int64_t r = 1;
    if (b < 0 || b > 64)
        return does_not_fit(f);
    for (int64_t k = 0; k < b; ++k)
        r = tn_rt_mul(f, r, a);
    return r;
}

int64_t tn_rt_shl(tn_frame *f, int64_t a, int64_t b)
{
    if (b < 0 || b > 62)
        return a == 0 && b >= 0 ? 0 : does_not_fit(f);
    return tn_rt_mul(f, a, INT64_C(1) << b);
}

int64_t tn_rt_shr(tn_frame *f, int64_t a, int64_t b)
{
    if (b < 0)
        return does_not_fit(f);
    return b > 62 ? -(a < 0) : tn_rt_floordiv(f, a, INT64_C(1) << b);
}

int64_t tn_rt_product(tn_frame *f, const tn_dims *pack)
{
    int64_t n = 1;
    for (int32_t d = 0; d < pack->rank; ++d)
        n = tn_rt_mul(f, n, pack->dim[d]);
    return n;
}

int64_t tn_rt_to_int(tn_frame *f, double x)
{
    if (!(x > -9223372036854775808.0 && x < 9223372036854775808.0))
        return does_not_fit(f);
    return (int64_t)x;
}

int64_t tn_rt_at(tn_frame *f, const tn_dims *pack, int64_t at)
{
    const int64_t k = at < 0 ? at + pack->rank : at;
    return k >= 0 && k < pack->rank ? pack->dim[k] : does_not_fit(f);
}

int64_t tn_rt_int_at(tn_frame *f, const tn_ints *list, int64_t at)
{
    const int64_t k = at < 0 ? at + list->count : at;
    if (k >= 0 && k < list->count)
        return list->values[k];
    tn_rt_fail(f, TN_E_ATTR);
    return 0;
}

void tn_rt_set_rank(tn_frame *f, tn_dims *pack, int64_t rank)
{
    pack->rank = 0;
    if (rank >= 0 && rank <= TN_MAX_NDIM)
        pack->rank = (int32_t)rank;
    else
        tn_rt_fail(f, TN_E_SHAPE);
}

/* ---- real numbers */

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

double tn_rt_inf(void)
{
    return from_bits(UINT64_C(0x7ff0000000000000));
}

double tn_rt_floor(double x)
{
    if (!(tn_rt_fabs(x) < 4503599627370496.0))       /* 2^52: whole already */
        return x;
    const double t = (double)(int64_t)x;
    return t > x ? t - 1 : t;
}

double tn_rt_ceil(double x)
{
    return -tn_rt_floor(-x);
}

double tn_rt_trunc(double x)
{
    return x < 0 ? tn_rt_ceil(x) : tn_rt_floor(x);
}

double tn_rt_round(double x)
{
    const double below = tn_rt_floor(x), part = x - below;
    if (part == 0.5)
        return 2 * tn_rt_floor(0.5 * (below + 1));
    return part < 0.5 ? below : below + 1;
}

/* One bit of the root at a time: exact, and rounded once. */
double tn_rt_sqrt(double x)
{
    uint64_t u = bits_of(x), root = 0, rest = 0;
    int exponent = (int)(u >> 52);
    if (!(x > 0) || x == tn_rt_inf())
        return x == 0 || x > 0 ? x : from_bits(UINT64_C(0x7ff8000000000000));
    if (exponent == 0)                                            /* subnormal: scale by an even power */
        return tn_rt_sqrt(x * 18014398509481984.0) / 134217728.0; /* 2^54, 2^27 */
    u = (u & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
    exponent -= 1023;
    if (exponent % 2 != 0) {
        u <<= 1;
        --exponent;
    }
    for (int k = 0; k < 54; ++k) {                                /* 54 bits of the root of u * 2^54 */
        const int at = 52 - 2 * k;
        rest = rest << 2 | (at >= 0 ? u >> at & 3 : 0);
        root <<= 1;
        if (rest >= 2 * root + 1) {
            rest -= 2 * root + 1;
            ++root;
        }
    }
    root = (root >> 1) + (root & 1);                              /* never a tie: a root has no 54 bits exactly */
    return from_bits(((uint64_t)(exponent / 2 + 1023) << 52) + (root - UINT64_C(0x10000000000000)));
}

static double power_of_two(int n)
{
    double r = 1;
    if (n < -1074)
        return 0;
    if (n > 1023)
        return tn_rt_inf();
    for (; n < -1022; ++n)
        r *= 0.5;
    return r * from_bits((uint64_t)(n + 1023) << 52);
}

double tn_rt_exp(double x)
{
    if (!(x == x))
        return x;
    if (x > 709.8 || x < -745.2)
        return x > 0 ? tn_rt_inf() : 0;
    const double n = tn_rt_round(x * 1.4426950408889634);
    const double r = (x - n * 0.69314718036912382) - n * 1.9082149292705877e-10;
    double sum = 1;
    for (int k = 18; k > 0; --k)                                  /* Horner's form of the series, |r| <= ln 2 / 2 */
        sum = 1 + sum * r / k;
    return n > 1000 ? sum * power_of_two(1000) * power_of_two((int)n - 1000) : sum * power_of_two((int)n);
}

/* The logarithm of x*2^-n, and n; x is positive and finite. */
static double log_of_fraction(double x, int *n)
{
    *n = 0;
    for (; x < 2.3e-308; *n -= 54)
        x *= 18014398509481984.0;
    *n += (int)(bits_of(x) >> 52) - 1023;
    x = from_bits((bits_of(x) & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000));
    if (x > 1.4142135623730951) {
        x *= 0.5;
        ++*n;
    }
    const double z = (x - 1) / (x + 1);                           /* log x = 2 artanh z */
    double sum = 0;
    for (int k = 23; k > 0; k -= 2)
        sum = sum * z * z + 1.0 / k;
    return 2 * z * sum;
}

/* Whether x is outside of the logarithm's range; y is what it has there. */
static int has_no_log(double x, double *y)
{
    if (x > 0 && x < tn_rt_inf())
        return 0;
    *y = x == 0 ? -tn_rt_inf() : x > 0 || x != x ? x : from_bits(UINT64_C(0x7ff8000000000000));
    return 1;
}

double tn_rt_log(double x)
{
    int n;
    double y;
    if (has_no_log(x, &y))
        return y;
    y = log_of_fraction(x, &n);
    return n * 0.69314718055994531 + y;
}

/* Exact for powers of two. */
double tn_rt_log2(double x)
{
    int n;
    double y;
    if (has_no_log(x, &y))
        return y;
    y = log_of_fraction(x, &n);
    return n + y * 1.4426950408889634;
}

double tn_rt_pow(double x, double y)
{
    const double twice = 2 * y;
    if (twice == tn_rt_floor(twice) && tn_rt_fabs(twice) <= 128) {
        int n = (int)tn_rt_fabs(twice);
        double r = n % 2 != 0 ? tn_rt_sqrt(x) : 1, base = x;
        for (n /= 2; n > 0; n /= 2, base *= base)
            if (n % 2 != 0)
                r *= base;
        return y < 0 ? 1 / r : r;
    }
    return tn_rt_exp(y * tn_rt_log(x));
}

/* Exact for powers of ten that are whole. */
double tn_rt_log10(double x)
{
    const double y = tn_rt_log(x) * 0.43429448190325182, whole = tn_rt_round(y);
    return whole >= 0 && whole <= 22 && tn_rt_pow(10, whole) == x ? whole : y;
}

/* Exact for cubes of integers. */
double tn_rt_cbrt(double x)
{
    const double size = tn_rt_fabs(x);
    if (!(size > 0) || size == tn_rt_inf())
        return x;
    const double y = tn_rt_exp(tn_rt_log(size) / 3), whole = tn_rt_round(y), root = whole * whole * whole == size ? whole : y;
    return x < 0 ? -root : root;
}
