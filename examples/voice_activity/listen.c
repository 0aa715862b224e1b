/* Where does somebody speak? listen SOUND.wav runs the model over 32 ms after 32 ms, handing its state on, and draws how sure it is. */
#include <vad_program.h>

enum { RATE = 16000, STEP = 512, CONTEXT = 64, STATE = 256, LONGEST = 600 * RATE, BARS = 78 };

static unsigned char memory[VAD_ARENA_BYTES + 64];
static float states[2][STATE];

/* How sure the model is that the next STEP samples are speech; negative where it cannot be run. The model sees the last samples before them too. */
static float hear(const float *samples, int window)
{
    float input[CONTEXT + STEP] = {0}, sure = 0;
    const int64_t rate = RATE;
    if (window > 0)
        memcpy(input, samples - CONTEXT, CONTEXT * sizeof *input);
    memcpy(input + CONTEXT, samples, STEP * sizeof *input);
    vad_inputs in = {.input = input, .sr = &rate, .state = states[window % 2]};
    vad_outputs out = {.output = &sure, .stateN = states[(window + 1) % 2]};
    const int status = vad_run(&in, &out, memory + (64 - (uintptr_t)memory % 64) % 64, NULL);
    if (status != 0)
        fprintf(stderr, "listen: %s\n", vad_strerror(status));
    return status == 0 ? sure : -1;
}

int main(int argc, char **argv)
{
    static const vad_border sound = {"sound", "f32", 4, 1, {-1}, 4L * LONGEST};
    static char bar[LONGEST / STEP + 1];
    vad_size size = {"samples", STEP, LONGEST, -1};
    const vad_sound_options options = {RATE, 0, 0};
    vad_array array = {0};
    double from = -1;
    if (argc != 2) {
        fprintf(stderr, "usage: listen SOUND.wav\n");
        return 2;
    }
    const vad_source file = {fopen(argv[1], "rb"), argv[1], &sound, &size};
    if (!file.file || vad_read_sound(&file, &options, &array) != 0) {
        fprintf(stderr, "listen: %s cannot be read\n", argv[1]);
        return 1;
    }
    fclose(file.file);
    const int windows = (int)(array.dims[0] / STEP);
    for (int k = 0; k <= windows; k++) {
        const float sure = k < windows ? hear((const float *)array.data + k * STEP, k) : 0;
        const double now = (double)k * STEP / RATE;
        if (sure < 0)
            return 1;
        if (k < windows)
            bar[k] = " .:-=+*#%@"[(int)(sure * 9.99f)];
        if (sure >= 0.5f && from < 0)
            from = now;
        if (sure < 0.35f && from >= 0) {
            printf("speech from %.2f s to %.2f s\n", from, now);
            from = -1;
        }
    }
    for (int k = 0; k < windows; k += BARS)
        printf("%6.2f s |%.*s|\n", (double)k * STEP / RATE, BARS, bar + k);
    return 0;
}
