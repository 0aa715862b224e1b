/* Maximum errors of the library's functions over the whole range of f32 and f64, against long double: `accuracy TABLE` fails where a figure is
   above that of the table; without it prints the rows. */
#include <float.h>
#include <math.h>

#include "uniform.h"

typedef long double real;
typedef struct {
    const char *op;
    real (*truth)(real);
} row;

static real gated(real x, real t) { return t < 0 ? x * expl(t) / (1 + expl(t)) : x / (1 + expl(-t)); }
static real softplus(real x) { return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x)); }
static real of_sigmoid(real x) { return gated(1, x); }
static real of_silu(real x) { return x == -INFINITY ? -0.0L : gated(x, x); }
static real of_log_sigmoid(real x) { return -softplus(-x); }
static real of_gelu(real x) { return x == -INFINITY ? -0.0L : x * erfcl(-x * sqrtl(0.5L)) / 2; }
static real of_gelu_tanh(real x)
{
    return x == -INFINITY ? -0.0L : gated(x, 1.59576912160573071175978L * (x + 0.044715L * x * x * x));
}
static real of_mish(real x)
{
    const real e = expl(-fabsl(x));
    if (x == -INFINITY)
        return -0.0L;
    return x < 0 ? x * e * (e + 2) / (e * (e + 2) + 2) : x * (1 + 2 * e) / (1 + 2 * e * (1 + e));
}
static real of_softsign(real x) { return isinf(x) ? copysignl(1, x) : x / (1 + fabsl(x)); }
static real of_hard_swish(real x) { return x <= -3 ? -0.0L : x >= 3 ? x : x * (x / 6 + 0.5L); }
static real of_elu(real x) { return x > 0 ? x : expm1l(x); }
static real of_selu(real x) { return 1.0507009873554805L * (x > 0 ? x : 1.6732632423543772L * expm1l(x)); }
static real of_reciprocal(real x) { return 1 / x; }
static real of_rsqrt(real x) { return 1 / sqrtl(x); }

static const row rows[] = {
    {"exp", expl},           {"exp2", exp2l},           {"expm1", expm1l},       {"log", logl},           {"log2", log2l},
    {"log10", log10l},       {"log1p", log1pl},         {"sqrt", sqrtl},         {"rsqrt", of_rsqrt},     {"cbrt", cbrtl},
    {"reciprocal", of_reciprocal}, {"sin", sinl},       {"cos", cosl},           {"tan", tanl},           {"asin", asinl},
    {"acos", acosl},         {"atan", atanl},           {"sinh", sinhl},         {"cosh", coshl},         {"tanh", tanhl},
    {"asinh", asinhl},       {"acosh", acoshl},         {"atanh", atanhl},       {"erf", erfl},           {"erfc", erfcl},
    {"sigmoid", of_sigmoid}, {"log_sigmoid", of_log_sigmoid}, {"silu", of_silu}, {"gelu", of_gelu},       {"gelu_tanh", of_gelu_tanh},
    {"mish", of_mish},       {"softplus", softplus},    {"softsign", of_softsign}, {"elu", of_elu},       {"selu", of_selu},
    {"hard_swish", of_hard_swish},
};

/* Units of the last place at `want`; 1e9 where one of the two is not a number and the other is, or an infinity is missing. */
static double ulps(real got, real want, int digits, int least, real top)
{
    int exponent;
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : 1e9;
    if (isinf(got) || fabsl(want) > top)
        return fabsl(want) > top * (1 - ldexpl(1, -digits)) && fabsl(got) >= top && (got > 0) == (want > 0) ? 0 : 1e9;
    if (want == 0)
        return got == 0 ? 0 : 1e9;
    frexpl(want, &exponent);
    return (double)(fabsl(got - want) / ldexpl(1, (exponent < least ? least : exponent) - digits));
}

enum { COUNT = 1 << 17 };

/* All signs and exponents evenly, then the numbers between -128 and 128, with both zeros, both infinities and NaN among them. */
static void fill(float *f, double *d)
{
    uint64_t state = 1;
    for (int k = 0; k < COUNT; ++k) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t low = (uint32_t)(state >> 32) & 0x7fff;
        const uint32_t a = (uint32_t)k << 15 | low;
        const uint64_t b = (uint64_t)k << 47 | (uint64_t)low << 32 | (state >> 32 & 0xffff0000u);
        memcpy(&f[k], &a, sizeof a);
        memcpy(&d[k], &b, sizeof b);
        if (k % 2 != 0)
            f[k] = (float)(d[k] = ((double)(state >> 11) / 9007199254740992.0 - 0.5) * 256);
    }
    const double ends[6] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1};
    for (int k = 0; k < 6; ++k)
        f[k] = (float)(d[k] = ends[k]);
}

static double worst(const row *r, tn_dtype type, double *where)
{
    static float f[COUNT], g[COUNT];
    static double d[COUNT], e[COUNT];
    const int64_t count = COUNT;
    const int single = type == TN_F32;
    double most = 0;
    fill(f, d);
    for (int l = 0; l < 5; ++l) {
        if (tn_force_isa(levels[l]) != 0)
            continue;
        box in = boxed(type, single ? (void *)f : d, 1, &count, NULL), out = boxed(type, single ? (void *)g : e, 1, &count, NULL);
        if (call_op(r->op, type, &in, 1, &out, 1, NULL, 0) != 0)
            return 1e9;
        for (int k = 0; k < COUNT; ++k) {
            const real want = r->truth(single ? f[k] : d[k]);
            const double error = single ? ulps(g[k], want, 24, FLT_MIN_EXP, FLT_MAX) : ulps(e[k], want, 53, DBL_MIN_EXP, DBL_MAX);
            if (error > most) {
                most = error;
                *where = single ? f[k] : d[k];
            }
        }
    }
    return most;
}

/* The figures of the table's row; 0 if it has none. */
static int stated(const char *table, const char *op, double *single, double *twice)
{
    char line[500], name[100];
    FILE *in = fopen(table, "r");
    int found = 0;
    while (in != NULL && !found && fgets(line, sizeof line, in) != NULL)
        found = sscanf(line, "| `%99[a-z0-9_]` | %lf | %lf", name, single, twice) == 3 && strcmp(name, op) == 0;
    if (in != NULL)
        fclose(in);
    return found;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    if (LDBL_MANT_DIG < 64)
        return 77;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        double at[2] = {0, 0}, limit[2] = {0, 0};
        const double single = worst(&rows[k], TN_F32, &at[0]), twice = worst(&rows[k], TN_F64, &at[1]);
        if (argc < 2) {
            printf("| `%s` | %.2f | %.2f |\n", rows[k].op, single, twice);
            fprintf(stderr, "%s at %.9g and %.17g\n", rows[k].op, at[0], at[1]);
        } else if (!stated(argv[1], rows[k].op, &limit[0], &limit[1])) {
            wrong = printf("%s: no row of the table\n", rows[k].op);
        } else if (single > limit[0] || twice > limit[1]) {
            wrong = printf("%s: %.3f ULP of f32 at %.9g, %.3f of f64 at %.17g; the table says %g and %g\n", rows[k].op, single, at[0], twice, at[1],
                           limit[0], limit[1]);
        }
    }
    return wrong != 0;
}
