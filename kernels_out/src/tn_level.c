/* Which level of the instruction set runs: chosen once, at the first call, from what the processor and the system say. */
#include "tn_internal.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <cpuid.h>
#endif

/* What the processor has and the system saves on a switch of tasks; a level's check reads the fields that it needs. */
typedef struct {
    int sse4_2, popcnt, lzcnt, avx, avx2, fma, f16c, bmi, bmi2, avxvnni;
    int avx512f, avx512bw, avx512cd, avx512dq, avx512vl, avx512vnni, avx512bf16, avx512fp16;
} features;

#if defined(__GNUC__) && defined(__x86_64__)
static unsigned saved_state(void)
{
    unsigned low, high;
    __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return low;
}

static int bit(unsigned word, int k)
{
    return (int)(word >> k & 1u);
}

static void detect_features(features *cpu)
{
    unsigned a, b, c, d, vectors = 0;
    memset(cpu, 0, sizeof *cpu);
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return;
    if (bit(c, 27))
        vectors = saved_state();
    const int avx = (vectors & 0x06u) == 0x06u, avx512 = avx && (vectors & 0xe0u) == 0xe0u;
    cpu->sse4_2 = bit(c, 20);
    cpu->popcnt = bit(c, 23);
    cpu->avx = avx && bit(c, 28);
    cpu->fma = avx && bit(c, 12);
    cpu->f16c = avx && bit(c, 29);
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
        cpu->lzcnt = bit(c, 5);
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return;
    cpu->bmi = bit(b, 3);
    cpu->bmi2 = bit(b, 8);
    cpu->avx2 = avx && bit(b, 5);
    cpu->avx512f = avx512 && bit(b, 16);
    cpu->avx512dq = avx512 && bit(b, 17);
    cpu->avx512cd = avx512 && bit(b, 28);
    cpu->avx512bw = avx512 && bit(b, 30);
    cpu->avx512vl = avx512 && bit(b, 31);
    cpu->avx512vnni = avx512 && bit(c, 11);
    cpu->avx512fp16 = avx512 && bit(d, 23);
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
        cpu->avxvnni = avx && bit(a, 4);
        cpu->avx512bf16 = avx512 && bit(a, 5);
    }
}
#else
static void detect_features(features *cpu)
{
    memset(cpu, 0, sizeof *cpu);
}
#endif

static int runs_portable(const features *cpu)
{
    (void)cpu;
    return 1;
}

static int runs_x86_64_v3(const features *cpu)
{
    (void)cpu;
    return TN_HAS_X86_64_V3 && (cpu->avx2 && cpu->fma && cpu->f16c && cpu->bmi && cpu->bmi2 && cpu->lzcnt && cpu->popcnt);
}

static const struct {
    const char *name;
    int (*runs)(const features *cpu);
} levels[TN_LEVELS] = {
    {"portable", runs_portable},
    {"x86-64-v3", runs_x86_64_v3},
};

static int best_level(void)
{
    features cpu;
    detect_features(&cpu);
    for (int k = TN_LEVELS - 1; k >= 0; --k)
        if (levels[k].runs(&cpu))
            return k;
    return -1;
}

#ifdef __GNUC__
/* 0: not chosen yet, -1: none runs here, else the level + 1. Everyone who writes it first writes the same. */
static int tn_isa_choice;

int tn_rt_level(void)
{
    int choice = __atomic_load_n(&tn_isa_choice, __ATOMIC_RELAXED);
    if (choice == 0) {
        choice = best_level() < 0 ? -1 : best_level() + 1;
        __atomic_store_n(&tn_isa_choice, choice, __ATOMIC_RELAXED);
    }
    return choice < 0 ? -1 : choice - 1;
}

static void keep_level(int k)
{
    __atomic_store_n(&tn_isa_choice, k + 1, __ATOMIC_RELAXED);
}
#else
int tn_rt_level(void)
{
    return best_level();
}

/* Other compilers get one level, so there is nothing to choose. */
static void keep_level(int k)
{
    (void)k;
}
#endif

int tn_force_isa(const char *name)
{
    features cpu;
    if (name == NULL)
        return TN_E_NULL;
    detect_features(&cpu);
    for (int k = 0; k < TN_LEVELS; ++k)
        if (tn_rt_same_text(levels[k].name, name) && levels[k].runs(&cpu)) {
            keep_level(k);
            return 0;
        }
    return TN_E_ISA;
}

const char *tn_active_isa(void)
{
    const int k = tn_rt_level();
    return k < 0 ? "none" : levels[k].name;
}

const char *tn_strerror(int status)
{
    switch (status) {
    case 0:
        return "done";
    case TN_E_NULL:
        return "a pointer that is needed is NULL";
    case TN_E_DTYPE:
        return "a tensor has a dtype that the operator does not take here";
    case TN_E_SHAPE:
        return "ranks or extents do not fit together, or are out of bounds";
    case TN_E_STRIDE:
        return "an output is not contiguous, or a stride is out of bounds";
    case TN_E_ALIGN:
        return "a tensor is not aligned to its elements";
    case TN_E_ATTR:
        return "an attribute is unknown, missing, ill-typed or out of bounds";
    case TN_E_RANGE:
        return "an index, a divisor or the like in the data is out of range";
    case TN_E_WORKSPACE:
        return "the workspace is too small";
    case TN_E_ISA:
        return "the instruction set level is not compiled in, or not on this machine";
    case TN_E_OVERLAP:
        return "an output overlaps another tensor";
    default:
        return "unknown status";
    }
}
