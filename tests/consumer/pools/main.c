/* Calls a kernel and a model on two threads: `pools WEIGHTS`, the file of the model. */
#include <net_threads.h>
#include <stdio.h>
#include <tn_threads.h>

static _Alignas(64) unsigned char arena[NET_ARENA_BYTES], weights[NET_WEIGHTS_BYTES + 1];

static int run_library(void)
{
    static float x[1000], y[1000];
    int64_t shape[1] = {1000};
    tn_tensor in = {x, {1, 0}, 1, {2, 32, 1}, shape, NULL, 0}, out = {y, {1, 0}, 1, {2, 32, 1}, shape, NULL, 0};
    const tn_tensor *ins[1] = {&in};
    tn_tensor *outs[1] = {&out};
    tn_context context = {0};
    int status = tn_start_threads(&context, 2);
    x[999] = 2.0f;
    if (status == 0) status = tn_call_on(&context, tn_find("relu", TN_F32, 1), ins, NULL, 0, outs, NULL, 0);
    tn_stop_threads(&context);
    return status != 0 || y[999] != 2.0f;
}

static int run_model(const char *path)
{
    static float x[64], y[10];
    net_inputs in = {.x = x, .N = 1};
    net_outputs out = {.y = y};
    net_context context = {0};
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(weights, 1, sizeof weights, file) : 0;
    int status = net_check_weights(weights, bytes);
    if (file) fclose(file);
    if (status == 0) status = net_start_threads(&context, 2);
    context.weights = weights;
    if (status == 0) status = net_run(&in, &out, arena, &context);
    net_stop_threads(&context);
    return status != 0 || y[0] == 0.0f;
}

int main(int argc, char **argv)
{
    int library = run_library(), model = argc == 2 ? run_model(argv[1]) : 1;
    printf("%d %d\n", library, model);
    return library || model;
}
