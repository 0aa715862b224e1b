/* Writes the images as arrays for training, every sixth one as arrays of its own to look at: split IMAGES.txt FOLDER */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 64, MOST = 2000 };

/* Images and labels that go to the same pair of files. */
typedef struct {
    unsigned char pixels[MOST][PIXELS];
    long long labels[MOST];
    int count;
} digits;

static int write_array(const char *folder, const char *name, const char *shape, const char *type, const void *data, size_t bytes)
{
    char path[4096], text[128];
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        perror(path);
        return 1;
    }
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    fprintf(f, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, text);
    const int bad = fwrite(data, 1, bytes, f) != bytes;
    return fclose(f) != 0 || bad;
}

static int write_digits(const char *folder, const char *kind, const digits *d)
{
    char name[64], shape[64];
    snprintf(name, sizeof name, "%s_x", kind);
    snprintf(shape, sizeof shape, "%d, %d", d->count, PIXELS);
    if (write_array(folder, name, shape, "|u1", d->pixels, (size_t)d->count * PIXELS) != 0)
        return 1;
    snprintf(name, sizeof name, "%s_t", kind);
    snprintf(shape, sizeof shape, "%d,", d->count);
    return write_array(folder, name, shape, "<i8", d->labels, (size_t)d->count * sizeof d->labels[0]);
}

int main(int argc, char **argv)
{
    static digits learned, held;
    static const char codes[] = "0123456789abcdefg";
    char line[256];
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: split IMAGES.txt FOLDER\n");
        return 2;
    }
    for (int n = 0; fgets(line, sizeof line, f) != NULL;) {
        if (line[0] == '#' || strlen(line) < PIXELS + 2)
            continue;
        digits *const d = n++ % 6 == 0 ? &held : &learned;
        if (d->count == MOST)
            break;
        for (int k = 0; k < PIXELS; ++k)
            d->pixels[d->count][k] = (unsigned char)(strchr(codes, line[k]) - codes);
        d->labels[d->count++] = line[PIXELS + 1] - '0';
    }
    fclose(f);
    return write_digits(argv[2], "train", &learned) || write_digits(argv[2], "held", &held);
}
