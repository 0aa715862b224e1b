/* Quotients of complex numbers near the ends of the range, on every level that this machine runs. */
#include <math.h>

#include "expect.h"
#include "uniform.h"

/* What is on the way to a result inside of the range stays inside. */
static void divide(void)
{
    static const struct {
        float a[2], b[2], want[2];
    } f32[] = {{{3e38f, 3e38f}, {3e38f, 3e38f}, {1, 0}},     {{1e-40f, 1e-40f}, {2e-40f, 0}, {0.5f, 0.5f}}, {{1, -1}, {0, 0}, {INFINITY, -INFINITY}},
               {{1, 2}, {INFINITY, INFINITY}, {0, 0}},       {{1, 2}, {-INFINITY, 3}, {0, 0}},              {{5, 5}, {1, 2}, {3, -1}}};
    static const struct {
        double a[2], b[2], want[2];
    } f64[] = {{{1.5e308, 1.5e308}, {1.5e308, 1.5e308}, {1, 0}}, {{1e-310, 1e-310}, {2e-310, 0}, {0.5, 0.5}}, {{1e308, 0}, {0, 1e308}, {0, -1}},
               {{1e-200, 1e-200}, {1e-300, 0}, {1e100, 1e100}},  {{1, -1}, {0, 0}, {INFINITY, -INFINITY}},   {{1, 2}, {INFINITY, 3}, {0, 0}}};
    const int64_t one[1] = {1};
    for (int k = 0; k < LENGTH(f32); ++k) {
        float a[2] = {f32[k].a[0], f32[k].a[1]}, b[2] = {f32[k].b[0], f32[k].b[1]}, y[2] = {77, 77};
        box in[2] = {boxed(TN_C64, a, 1, one, NULL), boxed(TN_C64, b, 1, one, NULL)}, out = boxed(TN_C64, y, 1, one, NULL);
        EXPECT(call_op("div", TN_C64, in, 2, &out, 1, NULL, 0) == 0, k);
        for (int p = 0; p < 2; ++p)
            EXPECT(y[p] == f32[k].want[p] || fabsf(y[p] - f32[k].want[p]) <= 1e-5f * fabsf(f32[k].want[1 - p] + f32[k].want[p]), y[p]);
    }
    for (int k = 0; k < LENGTH(f64); ++k) {
        double a[2] = {f64[k].a[0], f64[k].a[1]}, b[2] = {f64[k].b[0], f64[k].b[1]}, y[2] = {77, 77};
        box in[2] = {boxed(TN_C128, a, 1, one, NULL), boxed(TN_C128, b, 1, one, NULL)}, out = boxed(TN_C128, y, 1, one, NULL);
        EXPECT(call_op("div", TN_C128, in, 2, &out, 1, NULL, 0) == 0, k);
        for (int p = 0; p < 2; ++p)
            EXPECT(y[p] == f64[k].want[p] || fabs(y[p] - f64[k].want[p]) <= 1e-12 * fabs(f64[k].want[1 - p] + f64[k].want[p]), y[p]);
    }
}

int main(void)
{
    for (int l = 0; l < LENGTH(levels); ++l) {
        if (tn_force_isa(levels[l]) != 0)
            continue;
        level = levels[l];
        divide();
    }
    return wrong;
}
