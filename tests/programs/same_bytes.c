/* Runs the graph of images.yaml again and again on some threads, which all begin at once, and compares each result with that of one thread.
   ThreadSanitizer cannot take the place of the comparison: it does not see the masked stores of vectors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"

typedef void (*work)(void *arg, int64_t begin, int64_t end, int worker);
typedef struct {
    work task;
    void *arg;
    int64_t begin, end;
    int worker;
    pthread_barrier_t *start;
} part;

static void *carry_out(void *p)
{
    part *own = p;
    pthread_barrier_wait(own->start);
    own->task(own->arg, own->begin, own->end, own->worker);
    return NULL;
}

/* Equal runs of iterations, each on a thread of its own. */
static void on_threads(void *pool, int64_t n, int64_t grain, work task, void *arg)
{
    enum { MOST = 8 };
    const int64_t chunks = (n + grain - 1) / grain, most = *(int *)pool, count = chunks < most ? chunks : most;
    pthread_t threads[MOST];
    pthread_barrier_t start;
    part parts[MOST];
    if (count == 0) return;
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int64_t k = 0; k < count; ++k) {
        const int64_t end = k + 1 == count ? n : chunks * (k + 1) / count * grain;
        parts[k] = (part){task, arg, chunks * k / count * grain, end, (int)k, &start};
        if (pthread_create(&threads[k], NULL, carry_out, &parts[k]) != 0) exit(2);
    }
    for (int64_t k = 0; k < count; ++k) pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&start);
}

enum { X = 4 * 4 * 9 * 14, GELU = 4 * 40 * 3 * 5, SILU = 4 * 40 * 5 * 7, SWISH = 4 * 64 * 5 * 7, SCALED = 4 * 48 * 5 * 7 };

typedef struct {
    float gelu_of[GELU], silu_of[SILU], swish_of[SWISH], scaled[SCALED];
} results;

static int run(const float *x, results *r, void *arena, const net_context *context)
{
    const net_inputs in = {.x = x};
    net_outputs out = {.gelu_of = r->gelu_of, .silu_of = r->silu_of, .swish_of = r->swish_of, .scaled = r->scaled};
    return net_run(&in, &out, arena, context);
}

/* usage: same_bytes TURNS LEVEL */
int main(int argc, char **argv)
{
    static const int counts[] = {2, 3, 4, 8};
    static results one, now;
    static float x[X];
    const int turns = argc > 1 ? atoi(argv[1]) : 1;
    void *arena = aligned_alloc(64, (NET_ARENA_BYTES + 127) / 64 * 64);
    if (!arena || (argc > 2 && net_force_isa(argv[2]) != 0)) return 2;
    for (int i = 0; i < X; ++i) x[i] = (float)(i * 37 % 101 - 50) / 32.0f;
    if (run(x, &one, arena, NULL) != 0) return 2;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        int workers = counts[c];
        const net_context context = {.parallel_for = on_threads, .pool = &workers, .workers = workers};
        for (int turn = 0; turn < turns; ++turn) {
            if (run(x, &now, arena, &context) != 0) return 2;
            if (memcmp(&one, &now, sizeof one) == 0) continue;
            printf("other bytes on %d threads, in turn %d\n", workers, turn);
            return 1;
        }
    }
    return 0;
}
