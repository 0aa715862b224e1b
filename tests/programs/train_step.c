/* The step of a training graph in a program of its own: the loss falls, and two runs from the same state have the same bytes. */
#include <stdio.h>
#include <string.h>

#include "net_train.h"

static _Alignas(64) unsigned char state[2][NET_TRAIN_STATE_BYTES], arena[NET_TRAIN_ARENA_BYTES + 64];

/* 20 steps on one batch: the loss of the last. */
static float train(unsigned char *kept, const unsigned char *x, const int64_t *t)
{
    static float loss[1], w1[64 * 32], b1[32], w2[32 * 10], b2[10];
    net_train_inputs in = {x, t, 32};
    net_train_outputs out = {loss, w1, b1, w2, b2};
    float first = 0;
    if (net_train_state_init(kept, NULL) != 0)
        return -1;
    for (int step = 0; step < 20; ++step) {
        if (net_train_step(&in, &out, kept, arena, NULL) != 0)
            return -1;
        if (step == 0)
            first = loss[0];
    }
    return loss[0] < 0.8f * first ? loss[0] : -1;
}

int main(void)
{
    static unsigned char x[32 * 64];
    static int64_t t[32];
    for (int k = 0; k < 32 * 64; ++k)
        x[k] = (unsigned char)(k * 7 % 17);
    for (int k = 0; k < 32; ++k)
        t[k] = k % 10;
    const float a = train(state[0], x, t), b = train(state[1], x, t);
    printf("%g %g\n", (double)a, (double)b);
    return !(a > 0 && a <= b && a >= b && memcmp(state[0], state[1], NET_TRAIN_STATE_BYTES) == 0);
}
