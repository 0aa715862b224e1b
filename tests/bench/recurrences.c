// The kernels of recurrences.yaml as one writes them by hand: plain loops for the C compiler to optimise.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void selective_scan(const int64_t *n, float *const *p) {
    const int64_t B = n[0], L = n[1], C = n[2], S = n[3];
    const float *restrict X = p[0], *restrict D = p[1], *restrict A = p[2], *restrict P = p[3], *restrict Q = p[4];
    float *restrict Y = p[5];
    float *restrict h = malloc(sizeof(float) * (size_t)(C * S));
    for (int64_t b = 0; b < B; ++b) {
        memset(h, 0, sizeof(float) * (size_t)(C * S));
        for (int64_t t = b * L; t < (b + 1) * L; ++t)
            for (int64_t c = 0; c < C; ++c) {
                const float d = D[t * C + c], x = d * X[t * C + c];
                float y = 0;
                for (int64_t s = 0; s < S; ++s) {
                    h[c * S + s] = expf(d * A[c * S + s]) * h[c * S + s] + x * P[t * S + s];
                    y += h[c * S + s] * Q[t * S + s];
                }
                Y[t * C + c] = y;
            }
    }
    free(h);
}

// y[j] = sum over k of x[k]*w[k,j], for the three gates of a row each
static void gates(int64_t K, int64_t H, const float *restrict x, const float *restrict w, float *restrict y) {
    memset(y, 0, sizeof(float) * (size_t)(3 * H));
    for (int64_t k = 0; k < K; ++k)
        for (int64_t j = 0; j < 3 * H; ++j) y[j] += x[k] * w[k * 3 * H + j];
}

void gru(const int64_t *n, float *const *p) {
    const int64_t L = n[0], B = n[1], D = n[2], H = n[3];
    const float *X = p[0], *W = p[1], *R = p[2], *H0 = p[3];
    float *Y = p[4], *x = malloc(sizeof(float) * (size_t)(6 * H)), *h = x + 3 * H;
    for (int64_t t = 0; t < L; ++t)
        for (int64_t b = 0; b < B; ++b) {
            const float *before = t ? Y + ((t - 1) * B + b) * H : H0 + b * H;
            gates(D, H, X + (t * B + b) * D, W, x);
            gates(H, H, before, R, h);
            for (int64_t j = 0; j < H; ++j) {
                const float z = 1 / (1 + expf(-(x[j] + h[j]))), r = 1 / (1 + expf(-(x[H + j] + h[H + j])));
                Y[(t * B + b) * H + j] = (1 - z) * tanhf(x[2 * H + j] + r * h[2 * H + j]) + z * before[j];
            }
        }
    free(x);
}

void biquad(const int64_t *n, float *const *p) {
    const float b0 = 0.2f, b1 = 0.3f, b2 = 0.1f, a1 = -0.5f, a2 = 0.25f;
    for (int64_t c = 0; c < n[0]; ++c) {
        const float *restrict X = p[0] + c * n[1];
        float *restrict Y = p[1] + c * n[1];
        float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (int64_t i = 0; i < n[1]; ++i) {
            const float y = b0 * X[i] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
            x2 = x1, x1 = X[i], y2 = y1, y1 = y;
            Y[i] = y;
        }
    }
}

void edit_distance(const int64_t *n, void *const *p) {
    const int64_t N = n[0], M = n[1], Q = M + 1;
    const uint8_t *restrict A = p[0], *restrict B = p[1];
    int32_t *D = p[2];
    for (int64_t j = 0; j <= M; ++j) D[j] = (int32_t)j;
    for (int64_t i = 1; i <= N; ++i) {
        D[i * Q] = (int32_t)i;
        for (int64_t j = 1; j <= M; ++j) {
            const int32_t up = D[(i - 1) * Q + j] + 1, left = D[i * Q + j - 1] + 1;
            const int32_t change = D[(i - 1) * Q + j - 1] + (A[i - 1] != B[j - 1]);
            const int32_t step = up < left ? up : left;
            D[i * Q + j] = step < change ? step : change;
        }
    }
}

void lower_solve(const int64_t *n, float *const *p) {
    const int64_t N = n[0], M = n[1];
    const float *restrict L = p[0], *restrict B = p[1];
    float *X = p[2];
    for (int64_t i = 0; i < N; ++i) {
        float *restrict x = X + i * M;
        for (int64_t k = 0; k < M; ++k) x[k] = B[i * M + k];
        for (int64_t j = 0; j < i; ++j)
            for (int64_t k = 0; k < M; ++k) x[k] -= L[i * N + j] * X[j * M + k];
        for (int64_t k = 0; k < M; ++k) x[k] /= L[i * N + i];
    }
}

void csr_product(const int64_t *n, void *const *p) {
    const int64_t M = n[0] - 1, N = n[3];
    const int32_t *restrict Ptr = p[0], *restrict Col = p[1];
    const float *restrict V = p[2], *restrict X = p[3];
    float *restrict Y = p[4];
    for (int64_t m = 0; m < M; ++m) {
        memset(Y + m * N, 0, sizeof(float) * (size_t)N);
        for (int32_t e = Ptr[m]; e < Ptr[m + 1]; ++e)
            for (int64_t k = 0; k < N; ++k) Y[m * N + k] += V[e] * X[Col[e] * N + k];
    }
}
