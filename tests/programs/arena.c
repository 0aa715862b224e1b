/* A model whose arena is in memory regions beside the same model with one arena: the same bytes of outputs and state from several calls on
   one and on three threads, and no byte around a region is written. INPUTS are rows {kind, bytes}: f floats, b bytes, i small i64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one.h"
#include "one_threads.h"
#include "parts.h"
#include "parts_threads.h"

enum { GUARD = 256, CALLS = 3, MOST = 32 };
static const struct {
    char kind;
    size_t bytes;
} inputs[] = {INPUTS};
static const size_t outputs[] = {OUTPUTS};
enum { N_INPUTS = sizeof inputs / sizeof *inputs, N_OUTPUTS = sizeof outputs / sizeof *outputs };
static const int64_t sizes[] = {SIZES 0};

#ifndef STATE_BYTES
#define STATE_BYTES 0
#define WITH(state)
#else
#define WITH(state) state,
#endif

typedef struct {
    const void *in[MOST];
    void *out[MOST];
} call;

/* Memory between guards. */
static unsigned char *guarded(size_t bytes)
{
    unsigned char *const all = aligned_alloc(64, (bytes + 63) / 64 * 64 + 2 * GUARD);
    if (all == NULL) exit(2);
    memset(all, 0xa5, (bytes + 63) / 64 * 64 + 2 * GUARD);
    return all + GUARD;
}

static int is_guarded(const unsigned char *memory, size_t bytes)
{
    for (size_t k = 1; k <= GUARD; ++k)
        if (memory[-(ptrdiff_t)k] != 0xa5 || memory[bytes + k - 1] != 0xa5) return 0;
    return 1;
}

static void fill(char kind, size_t bytes, unsigned char *to, int turn)
{
    for (size_t i = 0; kind == 'f' && i < bytes / 4; ++i) ((float *)(void *)to)[i] = (float)((int)(i * 37 + (size_t)turn * 11) % 101 - 50) / 32.0f;
    for (size_t i = 0; kind == 'b' && i < bytes; ++i) to[i] = (unsigned char)(i * 7 + (size_t)turn);
    for (size_t i = 0; kind == 'i' && i < bytes / 8; ++i) ((int64_t *)(void *)to)[i] = (int64_t)((i + (size_t)turn) % 8);
}

static void prepare(call *one, call *parts)
{
    for (int k = 0; k < N_INPUTS; ++k) one->in[k] = parts->in[k] = guarded(inputs[k].bytes);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes - 1; ++k) one->in[N_INPUTS + k] = parts->in[N_INPUTS + k] = (const void *)(intptr_t)sizes[k];
    for (int k = 0; k < N_OUTPUTS; ++k) {
        one->out[k] = guarded(outputs[k]);
        parts->out[k] = guarded(outputs[k]);
    }
}

static int compare(const call *one, const call *parts)
{
    for (int k = 0; k < N_OUTPUTS; ++k)
        if (memcmp(one->out[k], parts->out[k], outputs[k]) != 0 || !is_guarded(parts->out[k], outputs[k])) {
            printf("output %d differs\n", k);
            return 1;
        }
    return 0;
}

/* What is wrong with an arena, each by its status. */
static int refuses(const call *c, const parts_arena *arena, void *state)
{
    parts_arena wrong = *arena;
    (void)state;
    wrong.a = (unsigned char *)arena->a + 4;
    if (RUN_PARTS((const void *)c->in, (void *)c->out, WITH(state) &wrong, NULL) != PARTS_E_ALIGN) return 0;
    if (RUN_PARTS((const void *)c->in, (void *)c->out, WITH(state) NULL, NULL) != PARTS_E_NULL) return 0;
    wrong.a = NULL;
    if (PARTS_ARENA_A_BYTES > 0 && RUN_PARTS((const void *)c->in, (void *)c->out, WITH(state) &wrong, NULL) != PARTS_E_NULL) return 0;
    wrong.a = wrong.b;
    return PARTS_ARENA_A_BYTES == 0 || PARTS_ARENA_B_BYTES == 0 ||
           RUN_PARTS((const void *)c->in, (void *)c->out, WITH(state) &wrong, NULL) == PARTS_E_OVERLAP;
}

int main(void)
{
    static call one, parts;
    void *const arena = guarded(ONE_ARENA_BYTES), *const state[] = {guarded(STATE_BYTES), guarded(STATE_BYTES)};
    const parts_arena regions = {guarded(PARTS_ARENA_A_BYTES), guarded(PARTS_ARENA_B_BYTES), guarded(PARTS_ARENA_C_BYTES)};
    prepare(&one, &parts);
#if STATE_BYTES
    if (one_state_init(state[0], NULL) != 0 || parts_state_init(state[1], NULL) != 0) return 2;
#endif
    if (!refuses(&parts, &regions, state[1])) return printf("a wrong arena is taken\n"), 1;
    for (int threads = 1; threads <= 3; threads += 2) {
        one_context with = {0};
        parts_context also = {0};
        if (threads > 1 && (one_start_threads(&with, threads) != 0 || parts_start_threads(&also, threads) != 0)) return 2;
        for (int turn = 0; turn < CALLS; ++turn) {
            for (int k = 0; k < N_INPUTS; ++k) fill(inputs[k].kind, inputs[k].bytes, (unsigned char *)one.in[k], turn);
            const int first = RUN_ONE((const void *)one.in, (void *)one.out, WITH(state[0]) arena, &with);
            const int second = RUN_PARTS((const void *)parts.in, (void *)parts.out, WITH(state[1]) &regions, &also);
            if (first != 0 || second != 0) return printf("status %d and %d\n", first, second), 1;
            if (compare(&one, &parts) != 0 || memcmp(state[0], state[1], STATE_BYTES) != 0) return printf("on %d threads\n", threads), 1;
            if (!is_guarded(regions.a, PARTS_ARENA_A_BYTES) || !is_guarded(regions.b, PARTS_ARENA_B_BYTES) ||
                !is_guarded(regions.c, PARTS_ARENA_C_BYTES))
                return printf("bytes around a region were written\n"), 1;
        }
        if (threads > 1) {
            one_stop_threads(&with);
            parts_stop_threads(&also);
        }
    }
    return 0;
}
