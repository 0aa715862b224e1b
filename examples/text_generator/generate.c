/* Greedy decoding: generate COUNT WORDS|- TOKEN... prints the tokens given and COUNT more, each the one with the
   highest score after the last few, of which none is said again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpt.h>
#include <head.h>

enum { VOCABULARY = 20, WIDTH = 4, WINDOW = 8, MOST_TOKENS = 4096, LONGEST_WORD = 64 };

static unsigned char gpt_memory[GPT_ARENA_BYTES + 64], head_memory[HEAD_ARENA_BYTES + 64];
static char words[VOCABULARY][LONGEST_WORD];

static void *aligned(unsigned char *memory)
{
    return memory + (64 - (uintptr_t)memory % 64) % 64;
}

static int contains(const int64_t *tokens, int64_t n, int token)
{
    while (n-- > 0)
        if (tokens[n] == token)
            return 1;
    return 0;
}

/* The token after `n` tokens, or -1. */
static int next_token(const int64_t *tokens, int64_t n)
{
    float hidden[WINDOW * WIDTH], scores[VOCABULARY];
    gpt_inputs in = {.input_ids = tokens, .seq_len = n};
    gpt_outputs out = {.hidden_states = hidden};
    int status = gpt_run(&in, &out, aligned(gpt_memory), NULL);
    if (status != 0) {
        fprintf(stderr, "generate: %s\n", gpt_strerror(status));
        return -1;
    }
    head_inputs head_in = {.hidden = hidden + (n - 1) * WIDTH};
    head_outputs head_out = {.scores = scores};
    if (head_run(&head_in, &head_out, aligned(head_memory), NULL) != 0)
        return -1;
    int best = -1;
    for (int t = 0; t < VOCABULARY; t++)
        if (!contains(tokens, n, t) && (best < 0 || scores[t] > scores[best]))
            best = t;
    return best;
}

/* A word a line, in the order of the tokens; without a file tokens are printed as numbers. */
static int read_words(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : NULL;
    for (int t = 0; t < VOCABULARY; t++) {
        snprintf(words[t], LONGEST_WORD, "%d", t);
        if (file && !fgets(words[t], LONGEST_WORD, file))
            return 1;
        words[t][strcspn(words[t], "\r\n")] = '\0';
    }
    if (file)
        fclose(file);
    return !file && strcmp(path, "-");
}

int main(int argc, char **argv)
{
    static int64_t tokens[MOST_TOKENS];
    int64_t n = 0;
    const long count = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
    if (count < 1 || count + argc - 3 > MOST_TOKENS) {
        fprintf(stderr, "usage: generate COUNT WORDS|- TOKEN...\n");
        return 2;
    }
    if (read_words(argv[2]) != 0) {
        fprintf(stderr, "generate: %s: %d words, one a line, are expected\n", argv[2], VOCABULARY);
        return 1;
    }
    for (int k = 3; k < argc; k++) {
        char *end;
        tokens[n] = strtol(argv[k], &end, 10);
        if (*end != '\0' || end == argv[k] || tokens[n] < 0 || tokens[n] >= VOCABULARY) {
            fprintf(stderr, "generate: '%s' is not a token: 0 to %d\n", argv[k], VOCABULARY - 1);
            return 1;
        }
        printf("%s%s", n ? " " : "", words[tokens[n]]);
        ++n;
    }
    printf(" |");
    for (long k = 0; k < count; k++) {
        const int64_t seen = n < WINDOW ? n : WINDOW;
        const int token = next_token(tokens + n - seen, seen);
        if (token < 0)
            return 1;
        printf(" %s", words[token]);
        tokens[n++] = token;
    }
    printf("\n");
    return 0;
}
