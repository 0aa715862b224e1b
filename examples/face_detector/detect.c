/* Finds faces: detect PICTURE OUT.ppm writes the picture, as the model sees it, with a frame around each face, and prints their places. */
#include <faces_program.h>
#include <stdlib.h>

enum { WIDTH = 320, HEIGHT = 240, ANCHORS = 4420, MOST_FACES = 256 };

typedef struct {
    float score, x0, y0, x1, y1; /* in pixels */
} box;

static unsigned char memory[FACES_ARENA_BYTES + 64];
static float scores[ANCHORS][2], corners[ANCHORS][4]; /* background and face; left, top, right, bottom as shares of the picture */

static float overlap(const box *a, const box *b)
{
    const float w = (a->x1 < b->x1 ? a->x1 : b->x1) - (a->x0 > b->x0 ? a->x0 : b->x0);
    const float h = (a->y1 < b->y1 ? a->y1 : b->y1) - (a->y0 > b->y0 ? a->y0 : b->y0);
    if (w <= 0 || h <= 0)
        return 0;
    return w * h / ((a->x1 - a->x0) * (a->y1 - a->y0) + (b->x1 - b->x0) * (b->y1 - b->y0) - w * h);
}

static int by_score(const void *a, const void *b)
{
    const float x = ((const box *)a)->score, y = ((const box *)b)->score;
    return (x < y) - (x > y);
}

/* The boxes that are surer than `least`, the surest first, without those that cover one that is surer; their number. */
static int choose(float least, float most_overlap, box *faces)
{
    static box all[ANCHORS];
    int n = 0, kept = 0;
    for (int k = 0; k < ANCHORS; k++)
        if (scores[k][1] > least)
            all[n++] = (box){scores[k][1], corners[k][0] * WIDTH, corners[k][1] * HEIGHT, corners[k][2] * WIDTH, corners[k][3] * HEIGHT};
    qsort(all, (size_t)n, sizeof *all, by_score);
    for (int k = 0; k < n && kept < MOST_FACES; k++) {
        int free_place = 1;
        for (int f = 0; f < kept; f++)
            free_place &= overlap(&all[k], &faces[f]) < most_overlap;
        if (free_place)
            faces[kept++] = all[k];
    }
    return kept;
}

static void paint(unsigned char (*pixels)[WIDTH][3], int x, int y)
{
    static const unsigned char green[3] = {0, 255, 64};
    if (x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT)
        memcpy(pixels[y][x], green, 3);
}

static void frame(unsigned char (*pixels)[WIDTH][3], const box *b)
{
    const int x0 = (int)b->x0, y0 = (int)b->y0, x1 = (int)b->x1, y1 = (int)b->y1;
    for (int x = x0; x <= x1; x++) {
        paint(pixels, x, y0);
        paint(pixels, x, y1);
    }
    for (int y = y0; y <= y1; y++) {
        paint(pixels, x0, y);
        paint(pixels, x1, y);
    }
}

/* The model's input back as pixels. */
static void to_pixels(const float *planes, unsigned char (*pixels)[WIDTH][3])
{
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < WIDTH * HEIGHT; k++)
            pixels[k / WIDTH][k % WIDTH][c] = (unsigned char)(planes[c * WIDTH * HEIGHT + k] * 128 + 127.5f);
}

int main(int argc, char **argv)
{
    static const faces_border picture = {"picture", "f32", 4, 4, {1, 3, HEIGHT, WIDTH}, 12L * HEIGHT * WIDTH};
    static unsigned char pixels[HEIGHT][WIDTH][3];
    const faces_image_options options = {1, {127}, {128}, 1, 1, 0, 0, 0, 0, 0}; /* (value - 127)/128 */
    box found[MOST_FACES];
    faces_array array = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: detect PICTURE OUT.ppm\n");
        return 2;
    }
    const faces_source from = {fopen(argv[1], "rb"), argv[1], &picture, NULL};
    if (!from.file || faces_read_image(&from, &options, &array) != 0) {
        fprintf(stderr, "detect: %s cannot be read\n", argv[1]);
        return 1;
    }
    fclose(from.file);
    faces_inputs in = {.input = array.data};
    faces_outputs out = {.scores = &scores[0][0], .boxes = &corners[0][0]};
    const int status = faces_run(&in, &out, memory + (64 - (uintptr_t)memory % 64) % 64, NULL);
    if (status != 0) {
        fprintf(stderr, "detect: %s\n", faces_strerror(status));
        return 1;
    }
    const int n = choose(0.7f, 0.3f, found);
    to_pixels(array.data, pixels);
    printf("%d faces\n", n);
    for (int k = 0; k < n; k++) {
        frame(pixels, &found[k]);
        if (k < 5)
            printf("  %.3f at (%.0f, %.0f), %.0f x %.0f pixels\n", (double)found[k].score, (double)found[k].x0, (double)found[k].y0, (double)(found[k].x1 - found[k].x0), (double)(found[k].y1 - found[k].y0));
    }
    FILE *file = fopen(argv[2], "wb");
    if (!file || fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT) < 0 || fwrite(pixels, 1, sizeof pixels, file) != sizeof pixels || fclose(file) != 0) {
        fprintf(stderr, "detect: %s cannot be written\n", argv[2]);
        return 1;
    }
    return 0;
}
