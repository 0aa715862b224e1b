/* Decodes files with a generated library: from stdin a number of bytes and the file, again and again, to stdout for each the extents and pixels
   of decode_jpeg, decode_jpeg with bgr, and decode_jpeg_gray. Buffers are as large as they have to be, so that sanitizers see what is outside.
   decode [MUTATIONS]: also so many damaged copies of each file, of which nothing is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tn.h"

static uint64_t state = 1;

static uint32_t drawn(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void check(int sound, const char *what)
{
    if (!sound) {
        fprintf(stderr, "decode: %s\n", what);
        exit(1);
    }
}

/* kind 0: red, green, blue; 1: reversed; 2: luma. */
static void decode(const uint8_t *file, int64_t size, int64_t height, int64_t width, int kind, FILE *to)
{
    const tn_decode_jpeg_dims dims = {size};
    const tn_decode_jpeg_gray_dims gray_dims = {size};
    const tn_decode_jpeg_attrs attrs = {height, width, kind};
    const tn_decode_jpeg_gray_attrs gray_attrs = {height, width};
    const size_t most = (size_t)(height * width) * (kind == 2 ? 1 : 3);
    const size_t need = kind == 2 ? tn_decode_jpeg_gray_workspace(&gray_dims, &gray_attrs) : tn_decode_jpeg_workspace(&dims, &attrs);
    uint8_t *x = malloc((size_t)size + (size == 0)), *y = malloc(most + (most == 0));
    void *work = malloc(need);
    int64_t extents[2] = {-1, -1};
    check(x != NULL && y != NULL && work != NULL, "no memory");
    memcpy(x, file, (size_t)size);
    memset(work, 0xa5, need);
    check((kind == 2 ? tn_decode_jpeg_gray(&gray_dims, &gray_attrs, x, y, &extents[0], &extents[1], work, need)
                     : tn_decode_jpeg(&dims, &attrs, x, y, &extents[0], &extents[1], work, need)) == 0, "a call failed");
    check(extents[0] >= 0 && extents[0] <= height && extents[1] >= 0 && extents[1] <= width, "extents out of bounds");
    if (to != NULL) {
        fwrite(extents, sizeof extents, 1, to);
        fwrite(y, (size_t)(extents[0] * extents[1]) * (kind == 2 ? 1 : 3), 1, to);
    }
    free(x);
    free(y);
    free(work);
}

/* Some bytes changed, a piece left out or repeated, or the end cut off. */
static int64_t damage(const uint8_t *from, uint8_t *to, int64_t size)
{
    int64_t n = size;
    memcpy(to, from, (size_t)size);
    for (uint32_t k = 0, changes = drawn() % 4; k <= changes && n > 0; ++k) {
        const int64_t at = drawn() % n, length = drawn() % 16;
        if (drawn() % 8 == 0 && at + length <= n) {
            memmove(to + at, to + at + length, (size_t)(n - at - length));
            n -= length;
        } else if (drawn() % 16 == 0) {
            n = at;
        } else {
            to[at] = (uint8_t)(drawn() % 4 == 0 ? 255 : drawn());
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    const long mutations = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    int64_t head[3];  /* bytes, height, width */
    while (fread(head, sizeof head, 1, stdin) == 1) {
        uint8_t *file = malloc((size_t)head[0]), *damaged = malloc((size_t)head[0]);
        check(file != NULL && damaged != NULL && fread(file, (size_t)head[0], 1, stdin) == 1, "no file");
        for (int kind = 0; kind < 3; ++kind)
            decode(file, head[0], head[1], head[2], kind, stdout);
        for (long k = 0; k < mutations; ++k)
            decode(damaged, damage(file, damaged, head[0]), head[1] + drawn() % 3, head[2] + drawn() % 3, (int)(drawn() % 3), NULL);
        free(file);
        free(damaged);
    }
    return 0;
}
