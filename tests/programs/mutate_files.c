/* Damages a file in memory many times and gives each version to a reader of the generated program: mutate_files npy|image|sound FILE COUNT.
   Under sanitizers, whatever a reader believes too early ends the program. Prints how many versions were taken and how many refused. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdlib.h>

#include "net_program.h"

enum { ROOM = 4096 };

static uint64_t state = 1;

static unsigned draw(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % n;
}

/* Changes one thing of the text; its new length. */
static size_t damage(unsigned char *text, size_t n)
{
    static const unsigned char telling[] = {0, 1, 9, 10, 32, '\'', '(', ')', ',', '-', '0', '9', ':', '{', '}', 127, 128, 255};
    const size_t at = draw((unsigned)n), head = draw(2) ? at : at % 128 % n;
    switch (draw(7)) {
    case 0:
        text[head] ^= (unsigned char)(1u << draw(8));
        return n;
    case 1:
        text[head] = telling[draw(sizeof telling)];
        return n;
    case 2:
        return at;
    case 3: /* a piece twice */
        if (n + 16 > ROOM)
            return n;
        memmove(text + head + 16 % (n - head + 1), text + head, n - head);
        return n + 16 % (n - head + 1);
    case 4: /* a piece lost */
        memmove(text + head, text + head + (n - head) / 2, n - head - (n - head) / 2);
        return n - (n - head) / 2;
    case 5:
        for (size_t k = head; k < n && k < head + 4; ++k)
            text[k] = 255;
        return n;
    default: /* a digit more */
        if (n + 1 > ROOM)
            return n;
        memmove(text + head + 1, text + head, n - head);
        text[head] = (unsigned char)('0' + draw(10));
        return n + 1;
    }
}

static int read_one(const char *kind, const net_source *from, net_array *a)
{
    const net_image_options image = {1, {0}, {1, 1, 1}, 1, 1, 0, 0, 0, 0, 0};
    const net_sound_options sound = {0, 1, 1};
    if (strcmp(kind, "image") == 0)
        return net_read_image(from, &image, a);
    return strcmp(kind, "sound") == 0 ? net_read_sound(from, &sound, a) : net_read_npy(from, a);
}

int main(int argc, char **argv)
{
    static unsigned char whole[ROOM], text[ROOM];
    static const net_border borders[] = {{"x", "f32", 4, 2, {-1, 6}, 4 * 6 * 6}, {"x", "f32", 4, 4, {1, 3, -1, -2}, 4 * 3 * 64}, {"x", "f32", 4, 2, {1, -1}, 4 * 64}, {"x", "bool", 1, 1, {-1}, 64}, {"x", "i16", 2, 2, {1, -1}, 2 * 64}};
    long taken = 0, refused = 0;
    FILE *f = argc == 4 ? fopen(argv[2], "rb") : NULL;
    const size_t n = f ? fread(whole, 1, ROOM, f) : 0;
    if (n == 0 || !freopen("/dev/null", "w", stderr))
        return 2;
    fclose(f);
    for (long k = atol(argv[3]); k > 0; --k) {
        net_size sizes[2] = {{"N", 0, 6, -1}, {"M", 0, 8, -1}};
        net_array a = {0};
        size_t length = n;
        memcpy(text, whole, n);
        for (unsigned times = draw(4); length > 0; --times) {
            length = damage(text, length);
            if (times == 0)
                break;
        }
        const net_border *b = &borders[argv[1][0] == 'i' ? 1 : argv[1][0] == 's' ? 2 + 2 * draw(2) : draw(2) * 3];
        if (argv[1][0] == 's')
            sizes[0].high = 64;
        const net_source from = {fmemopen(text, length ? length : 1, "rb"), "mutated", b, sizes};
        const int status = from.file ? read_one(argv[1], &from, &a) : 2;
        if (from.file)
            fclose(from.file);
        if (status == 0 && net_count(&a) * b->item > b->max_bytes)
            return 3;
        for (long long at = 0; status == 0 && at < net_count(&a) * b->item; ++at) /* every byte is there */
            state += ((const unsigned char *)a.data)[at] == 77;
        free(a.data);
        if (status != 0 && status != 1)
            return 4;
        *(status == 0 ? &taken : &refused) += 1;
    }
    printf("%ld taken, %ld refused\n", taken, refused);
    return taken > 0 && refused > 0 ? 0 : 5;
}
