/* Element-wise operators on repeated, turned and strided operands: the same bytes as of dense copies of these. */
#include "uniform.h"

enum { RANK = 3, MOST = 16 * 96 * 128, ROOM = 2 * MOST };

/* An operand: the order of its dimensions in memory, how many elements a step along its innermost dimension goes on,
   and which of its extents are 1. */
typedef struct {
    int order[RANK];
    int step;
    unsigned repeated;
    int back;
} layout;

static const layout layouts[] = {
    {{0, 1, 2}, 1, 0, 0}, {{0, 1, 2}, 1, 3, 0}, {{0, 1, 2}, 1, 4, 0}, {{0, 1, 2}, 1, 5, 0}, {{0, 1, 2}, 1, 7, 0},
    {{0, 1, 2}, 2, 0, 0}, {{0, 1, 2}, 1, 0, 1}, {{0, 2, 1}, 1, 0, 0}, {{2, 0, 1}, 1, 0, 0}, {{1, 2, 0}, 1, 0, 0},
    {{2, 1, 0}, 1, 0, 0}, {{2, 1, 0}, 3, 1, 0},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* What is cut into tiles on all sides, on one side, and on none; short rows, of which a loop takes many as one. */
static const int64_t shapes[][RANK] = {{2, 64, 48}, {16, 96, 128}, {1, 33, 64}, {3, 40, 7}, {2, 5, 3}, {1, 300, 3}, {9, 31, 2}};

static float memory[2][ROOM], copy[2][MOST], y[MOST], want[MOST];
static const char *level;
static int calls, wrong;

/* The elements of both operands, which differ from place to place; calls leave them as they are. */
static void fill(void)
{
    for (int k = 0; k < 2; ++k)
        for (int64_t i = 0; i < ROOM; ++i)
            memory[k][i] = (float)((i * 37 + i / 11 * 5 + k * 71) % 251 - 125) / 64;
}

/* Operand k in this layout, and its dense copy. */
static box placed(int k, const layout *l, const int64_t *shape, box *dense)
{
    int64_t extent[RANK], stride[RANK], step = l->step, first = 0, n = 0;
    for (int d = 0; d < RANK; ++d)
        extent[d] = (l->repeated >> d & 1u) != 0 ? 1 : shape[d];
    for (int d = RANK - 1; d >= 0; --d) {
        stride[l->order[d]] = step;
        step *= extent[l->order[d]];
    }
    if (l->back) {
        first = (extent[2] - 1) * stride[2];
        stride[2] = -stride[2];
    }
    for (int64_t a = 0; a < extent[0]; ++a)
        for (int64_t b = 0; b < extent[1]; ++b)
            for (int64_t c = 0; c < extent[2]; ++c)
                copy[k][n++] = memory[k][first + a * stride[0] + b * stride[1] + c * stride[2]];
    *dense = boxed(TN_F32, copy[k], RANK, extent, NULL);
    return boxed(TN_F32, memory[k] + first, RANK, extent, stride);
}

static void compare(const char *op, int n_in, const layout *const *l, const int64_t *shape)
{
    box in[2], dense[2], out = boxed(TN_F32, y, RANK, shape, NULL), out_of_dense = boxed(TN_F32, want, RANK, shape, NULL);
    for (int k = 0; k < n_in; ++k)
        in[k] = placed(k, l[k], shape, &dense[k]);
    memset(y, 0xa5, sizeof y);
    int status = call_op(op, TN_F32, in, n_in, &out, 1, NULL, 0);
    status = status != 0 ? status : call_op(op, TN_F32, dense, n_in, &out_of_dense, 1, NULL, 0);
    ++calls;
    if ((status != 0 || memcmp(y, want, (size_t)(shape[0] * shape[1] * shape[2]) * sizeof y[0]) != 0) && ++wrong < 20)
        printf("%s, %s: %d %d %d, layouts %d and %d: status %d\n", level, op, (int)shape[0], (int)shape[1],
               (int)shape[2], (int)(l[0] - layouts), n_in > 1 ? (int)(l[1] - layouts) : -1, status);
}

/* Dense operands of one shape are one run: what the others are compared with. */
static void check_runs(void)
{
    box dense[2], out = boxed(TN_F32, y, RANK, shapes[0], NULL);
    for (int k = 0; k < 2; ++k)
        (void)placed(k, &layouts[0], shapes[0], &dense[k]);
    const int status = call_op("add", TN_F32, dense, 2, &out, 1, NULL, 0);
    for (int64_t i = 0; i < shapes[0][0] * shapes[0][1] * shapes[0][2]; ++i)
        wrong += status != 0 || y[i] != copy[0][i] + copy[1][i];
}

int main(void)
{
    fill();
    for (size_t v = 0; v < sizeof levels / sizeof levels[0]; ++v) {
        level = levels[v];
        if (tn_force_isa(level) != 0)
            continue;
        check_runs();
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s)
            for (int a = 0; a < LAYOUTS; ++a) {
                if (layouts[a].repeated == 0) {
                    const layout *const one[1] = {&layouts[a]};
                    compare("exp", 1, one, shapes[s]);
                    compare("identity", 1, one, shapes[s]);
                }
                for (int b = 0; b < LAYOUTS; ++b) {
                    const layout *const both[2] = {&layouts[a], &layouts[b]};
                    if ((layouts[a].repeated & layouts[b].repeated) == 0)
                        compare("add", 2, both, shapes[s]);
                }
            }
    }
    printf("planes: %s in %d calls\n", wrong == 0 ? "passed" : "failed", calls);
    return wrong != 0;
}
