/* Writes on: generate COUNT SEED TEXT prints the text and COUNT characters after it, each drawn by the probabilities that the
   trained network gives for what may come next. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <net.h>

enum { WINDOW = 64, CHARACTERS = 128, LONGEST = 1 << 16 };

static const double temperature = 0.8; /* below 1: likely characters are drawn even more often */
static unsigned char memory[NET_ARENA_BYTES + 64];
static char text[LONGEST + 1];

/* A number in 0 … 1, of a counter-based generator. */
static double drawn(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}

static int draw(const float *scores, uint64_t *state)
{
    double most = scores[0], sum = 0, weights[CHARACTERS];
    for (int c = 1; c < CHARACTERS; c++)
        most = fmax(most, scores[c]);
    for (int c = 0; c < CHARACTERS; c++)
        sum += weights[c] = exp((scores[c] - most) / temperature);
    double left = drawn(state) * sum;
    for (int c = 0; c < CHARACTERS; c++)
        if ((left -= weights[c]) < 0)
            return c;
    return CHARACTERS - 1;
}

/* What comes after `n` characters, or -1. The network sees the last ones of them; what is after these changes nothing. */
static int next_character(const char *all, size_t n, uint64_t *state)
{
    static float scores[WINDOW * CHARACTERS];
    const size_t seen = n < WINDOW ? n : WINDOW;
    int64_t window[WINDOW + 1] = {0};
    for (size_t k = 0; k < seen; k++)
        window[k] = (unsigned char)all[n - seen + k];
    net_inputs in = {.x = window};
    net_outputs out = {.y = scores};
    const int status = net_run(&in, &out, memory + (64 - (uintptr_t)memory % 64) % 64, NULL);
    if (status != 0) {
        fprintf(stderr, "generate: %s\n", net_strerror(status));
        return -1;
    }
    return draw(scores + (seen - 1) * CHARACTERS, state);
}

int main(int argc, char **argv)
{
    const long count = argc == 4 ? strtol(argv[1], NULL, 10) : 0;
    const size_t given = argc == 4 ? strlen(argv[3]) : 0;
    if (count < 1 || given < 1 || given + (size_t)count > LONGEST) {
        fprintf(stderr, "usage: generate COUNT SEED TEXT\n");
        return 2;
    }
    uint64_t state = strtoull(argv[2], NULL, 10);
    for (size_t k = 0; k < given; k++)
        if ((unsigned char)argv[3][k] >= CHARACTERS) {
            fprintf(stderr, "generate: the text has a character beyond ASCII\n");
            return 1;
        }
    memcpy(text, argv[3], given);
    for (size_t n = given; n < given + (size_t)count; n++) {
        const int next = next_character(text, n, &state);
        if (next < 0)
            return 1;
        text[n] = (char)next;
    }
    puts(text);
    return 0;
}
