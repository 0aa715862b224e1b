/* Reads images of digits, asks the generated model what they are, and prints pictures, accuracy and time. */
#include <digits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PIXELS = 64, CLASSES = 10, MOST_IMAGES = 256, SHOWN = 6, REPEAT = 2000 };

static float pixels[MOST_IMAGES][PIXELS];
static float scores[MOST_IMAGES][CLASSES];
static int labels[MOST_IMAGES];
static unsigned char memory[DIGITS_ARENA_BYTES + 64];

/* Reads "label: 64 pixels" a line, lines that begin with # apart. Returns the number of images, or -1. */
static int read_images(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0, c;
    if (!file) return -1;
    while (count < MOST_IMAGES && (c = getc(file)) != EOF) {
        if (c == '#') {
            while (c != '\n' && c != EOF) c = getc(file);
            continue;
        }
        ungetc(c, file);
        if (fscanf(file, "%d:", &labels[count]) != 1) break;
        for (int p = 0; p < PIXELS; p++)
            if (fscanf(file, "%f", &pixels[count][p]) != 1) count = -2;
        if (count < 0 || fscanf(file, " ") == EOF) {
            count++;
            break;
        }
        count++;
    }
    fclose(file);
    return count;
}

static int largest(const float *values)
{
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (values[c] > values[best]) best = c;
    return best;
}

/* Three images next to each other, their answers below. */
static void show(int first)
{
    static const char ink[] = " .:-=+*#%@";
    for (int row = 0; row < 8; row++) {
        for (int i = first; i < first + 3; i++) {
            printf("    ");
            for (int column = 0; column < 8; column++) {
                char mark = ink[(int)pixels[i][8 * row + column] * 9 / 16];
                printf("%c%c", mark, mark);
            }
        }
        printf("\n");
    }
    for (int i = first; i < first + 3; i++) {
        int answer = largest(scores[i]);
        printf("    %d with %5.1f %%%s", answer, 100.0 * (double)scores[i][answer], answer == labels[i] ? "    " : " (no)");
    }
    printf("\n\n");
}

int main(int argc, char **argv)
{
    void *arena = memory + (64 - (uintptr_t)memory % 64) % 64;
    int count = argc == 2 ? read_images(argv[1]) : -1;
    int right = 0, status = 0;
    if (count < SHOWN) {
        fprintf(stderr, "usage: classify images.txt\n");
        return 1;
    }
    digits_inputs in = {.x = &pixels[0][0], .N = count};
    digits_outputs out = {.y = &scores[0][0]};
    clock_t start = clock();
    for (int k = 0; k < REPEAT && status == 0; k++) status = digits_run(&in, &out, arena, NULL);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (status != 0) {
        fprintf(stderr, "classify: %s\n", digits_strerror(status));
        return 1;
    }
    for (int i = 0; i < count; i++) right += largest(scores[i]) == labels[i];
    for (int i = 0; i < SHOWN; i += 3) show(i);
    printf("accuracy        %.1f %% (%d of %d images)\n", 100.0 * right / count, right, count);
    printf("time per image  %.3f us (%s, one thread, %d at once)\n", 1e6 * seconds / REPEAT / count, digits_active_isa(), count);
    printf("arena           %d bytes\n", (int)DIGITS_ARENA_BYTES);
    return right * 100 >= 95 * count ? 0 : 1;
}
