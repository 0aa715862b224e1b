/* A model with state beside the same model whose state is fed back by hand: the same bytes from each of 20 calls. */
#include <stdio.h>
#include <string.h>

#include "kept.h"
#include "plain.h"

static _Alignas(64) unsigned char state[KEPT_STATE_BYTES + 64], kept_arena[KEPT_ARENA_BYTES + 64], plain_arena[PLAIN_ARENA_BYTES + 64];

int main(void)
{
    static float x[120], y[2][40], before[2][120], h[2][120], c[2][160], cache[2][320], g[2][120], v[2][120], w[2][120];
    static int64_t k[2], at[1];
    static _Alignas(64) unsigned char other[KEPT_STATE_BYTES + 64];
    if (kept_state_init(NULL, NULL) != KEPT_E_NULL || kept_state_init(state + 4, NULL) != KEPT_E_ALIGN || kept_state_init(state, NULL) != 0)
        return 1;
    memcpy(other, state, KEPT_STATE_BYTES);
    for (int call = 0; call < 20; ++call) {
        const int now = call % 2, next = 1 - now;
        kept_inputs in = {x, at};
        kept_outputs out = {y[0], before[0]};
        plain_inputs plain_in = {x, at, h[now], &k[now], c[now], cache[now], g[now], v[now], w[now]};
        plain_outputs plain_out = {y[1], before[1], h[next], &k[next], c[next], cache[next], g[next], v[next], w[next]};
        for (int i = 0; i < 120; ++i)
            x[i] = (float)((i * 37 + call * 11) % 64) / 64.0f - 0.5f;
        at[0] = call * 3 % 8;
        if (kept_run(&in, &out, NULL, kept_arena, NULL) != KEPT_E_NULL || kept_run(&in, &out, state + 4, kept_arena, NULL) != KEPT_E_ALIGN)
            return 1;
        if (kept_run(&in, &out, state, kept_arena, NULL) != 0 || plain_run(&plain_in, &plain_out, plain_arena, NULL) != 0)
            return 1;
        if (memcmp(y[0], y[1], sizeof y[0]) != 0 || memcmp(before[0], before[1], sizeof before[0]) != 0) {
            printf("call %d: other outputs\n", call);
            return 1;
        }
        if (memcmp(state + KEPT_STATE_OFFSET_h, h[next], sizeof h[0]) != 0 || memcmp(state + KEPT_STATE_OFFSET_k, &k[next], sizeof k[0]) != 0 ||
            memcmp(state + KEPT_STATE_OFFSET_c, c[next], sizeof c[0]) != 0 || memcmp(state + KEPT_STATE_OFFSET_cache, cache[next], sizeof cache[0]) != 0 ||
            memcmp(state + KEPT_STATE_OFFSET_g, g[next], sizeof g[0]) != 0 || memcmp(state + KEPT_STATE_OFFSET_v, v[next], sizeof v[0]) != 0 ||
            memcmp(state + KEPT_STATE_OFFSET_w, w[next], sizeof w[0]) != 0) {
            printf("call %d: another state\n", call);
            return 1;
        }
    }
    return kept_state_init(state, NULL) != 0 || memcmp(other, state, KEPT_STATE_BYTES) != 0;
}
