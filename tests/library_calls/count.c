/* Counts the instructions of small library calls, step by step: what a call costs before and behind the kernel. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tn.h"

enum { SKIPPED = 77 };

static float x[16], a[16], b[16], y[16], rows[256], row_sums[256], pixels[1000 * 3], pixel_sums[1000 * 3], cube[4 * 16 * 64], column_sums[64 * 64];
static char workspace[1 << 15];

static tn_tensor tensor(float *data, int ndim, int64_t *shape)
{
    tn_tensor t;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.ndim = ndim;
    t.shape = shape;
    t.dtype.code = TN_F32 >> 8;
    t.dtype.bits = TN_F32 & 0xff;
    t.dtype.lanes = 1;
    return t;
}

static int relu_typed(void)
{
    static const tn_relu_dims dims = {{1, {16}}};
    return tn_relu_f32(&dims, x, y, workspace, sizeof workspace);
}

static int add_typed(void)
{
    static const tn_add_dims dims = {{1, {16}}, {1, {16}}};
    return tn_add_f32(&dims, x, a, y, workspace, sizeof workspace);
}

/* Rows of one call are loops of one kernel: a row costs little more than its elements. */
static int add_row_typed(void)
{
    static const tn_add_dims dims = {{2, {64, 4}}, {1, {4}}};
    return tn_add_f32(&dims, rows, a, row_sums, workspace, sizeof workspace);
}

/* A row of a few elements is repeated, so that a loop takes many rows as one. */
static int add_short_row_typed(void)
{
    static const tn_add_dims dims = {{2, {1000, 3}}, {1, {3}}};
    return tn_add_f32(&dims, pixels, a, pixel_sums, workspace, sizeof workspace);
}

/* A column is no turned matrix: rows are whole runs, not pieces of them. */
static int add_column_typed(void)
{
    static const tn_add_dims dims = {{2, {64, 64}}, {2, {64, 1}}};
    return tn_add_f32(&dims, cube, rows, column_sums, workspace, sizeof workspace);
}

static int gemm_typed(void)
{
    static const tn_gemm_dims dims = {.M = 4, .N = 4, .K = 4};
    return tn_gemm_f32(&dims, NULL, a, b, NULL, y, workspace, sizeof workspace);
}

static int relu_call(void)
{
    int64_t shape[] = {16};
    const tn_tensor in = tensor(x, 1, shape);
    tn_tensor out = tensor(y, 1, shape);
    const tn_tensor *const ins[] = {&in};
    tn_tensor *const outs[] = {&out};
    return tn_call(tn_find("relu", TN_F32, 1), ins, NULL, 0, outs, workspace, sizeof workspace);
}

static int gemm_call(void)
{
    int64_t shape[] = {4, 4};
    const tn_tensor in_a = tensor(a, 2, shape), in_b = tensor(b, 2, shape);
    tn_tensor out = tensor(y, 2, shape);
    const tn_tensor *const ins[] = {&in_a, &in_b, NULL};
    tn_tensor *const outs[] = {&out};
    return tn_call(tn_find("gemm", TN_F32, 2), ins, NULL, 0, outs, workspace, sizeof workspace);
}

/* Between the reduced axes is another: what the kernel needs as rows is copied by rows, not element by element. */
static int sum_apart_call(void)
{
    int64_t shape[] = {4, 16, 64}, axes[] = {0, 2};
    const tn_tensor in = tensor(cube, 3, shape);
    tn_tensor out = tensor(y, 1, &shape[1]);
    const tn_attr attrs[] = {{"axes", 2, axes, NULL}};
    const tn_tensor *const ins[] = {&in};
    tn_tensor *const outs[] = {&out};
    return tn_call(tn_find("sum", TN_F32, 3), ins, attrs, 1, outs, workspace, sizeof workspace);
}

/* The calls, and the most instructions that each may take with gcc -O2 and the portable kernels. */
static const struct {
    const char *name;
    int (*call)(void);
    int limit;
} calls[] = {
    {"relu, typed", relu_typed, 2400},
    {"add, typed", add_typed, 4100},
    {"add of a row to 64 rows, typed", add_row_typed, 8200},
    {"add of a row of 3 to 1000 rows, typed", add_short_row_typed, 33000},
    {"add of a column to 64 rows, typed", add_column_typed, 40700},
    {"gemm, typed", gemm_typed, 5000},
    {"relu through a handle", relu_call, 2700},
    {"gemm through a handle", gemm_call, 5500},
    {"sum over axes 0 and 2 of 4x16x64", sum_apart_call, 38000},
};

/* The child: every call once for the linker's sake, then between two breakpoints. */
static void child(int (*call)(void))
{
    int status = call();
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(SKIPPED);
    __asm__ volatile("int3");
    status |= call();
    __asm__ volatile("int3");
    _exit(status != 0);
}

/* Steps of the child between its breakpoints; -1: it cannot be traced here. */
static int steps_of(int (*call)(void))
{
    const pid_t pid = fork();
    int status, steps = 0;
    siginfo_t signal_of;
    if (pid == 0)
        child(call);
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
        return -1;
    do {                                    /* a breakpoint's SIGTRAP comes from the kernel, a step's is a trap */
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
            return -1;
        ++steps;
        if (ptrace(PTRACE_GETSIGINFO, pid, NULL, &signal_of) != 0)
            return -1;
    } while (signal_of.si_code == TRAP_TRACE);
    if (ptrace(PTRACE_CONT, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? steps : 0;
}

int main(void)
{
    const int count = (int)(sizeof calls / sizeof calls[0]);
    int failed = 0;
    for (int k = 0; k < count; ++k) {
        const int steps = steps_of(calls[k].call);
        if (steps < 0) {
            puts("SKIP: processes cannot be traced here");
            return SKIPPED;
        }
        const int fits = steps > 0 && steps <= calls[k].limit;
        printf("%s%s: %d instructions, at most %d\n", fits ? "" : "FAIL ", calls[k].name, steps, calls[k].limit);
        failed += !fits;
    }
    printf("%d passed, %d failed, 0 skipped\n", count - failed, failed);
    return failed != 0;
}
