/* Calls a shipped op and the consumer's own through the uniform entry. */
#include <stdio.h>
#include <tn.h>

static int run(const char *op, const float *x, float *y)
{
    int64_t shape[1] = {3};
    tn_tensor in = {(void *)x, {1, 0}, 1, {2, 32, 1}, shape, NULL, 0}, out = {y, {1, 0}, 1, {2, 32, 1}, shape, NULL, 0};
    const tn_tensor *ins[1] = {&in};
    tn_tensor *outs[1] = {&out};
    const tn_kernel *kernel = tn_find(op, TN_F32, 1);
    return kernel ? tn_call(kernel, ins, NULL, 0, outs, NULL, 0) : -1;
}

int main(void)
{
    const float x[3] = {-1.0f, 0.0f, 2.0f};
    float y[3] = {0}, z[3] = {0};
    int status = run("relu", x, y);
    if (status == 0) status = run("consumer_scale", y, z);
    printf("%g %g %g\n", (double)z[0], (double)z[1], (double)z[2]);
    return status == 0 && z[0] == 0.0f && z[1] == 0.0f && z[2] == 6.0f ? 0 : 1;
}
