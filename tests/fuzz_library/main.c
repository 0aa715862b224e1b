/* Fuzzes every operator of a library through its uniform entry: calls that succeed are kept and changed into others.
   Each operator has a process of its own, so that what AddressSanitizer ends does not end the rest. fuzz_library
   [--seconds S] [--seed N] [--op NAME] [--list]      S of one operator; --list: what was reached of each */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_KERNELS = 2048, MOST_KEPT = 128, MOST_STATUS = 12 };

typedef struct {
  const tn_kernel* kernel;
  int32_t key, ndim;
} choice;

static choice choices[MOST_KERNELS];
static int n_choices;
static drawn_call kept[MOST_KEPT];
static int n_kept;

/* What the process of an operator is at, in memory that outlives it. */
typedef struct {
  drawn_call call;
  const char* doing;
} progress;
static progress* now;

static void list_kernels(const char* op) {
  static const int32_t keys[] = {TN_F32, TN_F64, TN_F16, TN_BF16, TN_I8,  TN_I16,  TN_I32, TN_I64,
                                 TN_U8,  TN_U16, TN_U32, TN_U64,  TN_C64, TN_C128, TN_BOOL};
  n_choices = 0;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
    for (int32_t ndim = 0; ndim <= TN_MAX_NDIM; ++ndim) {
      const tn_kernel* kernel = tn_find(op, (tn_dtype)keys[k], ndim);
      if (kernel != NULL && n_choices < MOST_KERNELS) choices[n_choices++] = (choice){kernel, keys[k], ndim};
    }
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Windows and repetitions of any number, and sums over loops without a step within, are what a caller asks for: these
 * take their time. */
static int asks_for_much(const drawn_call* call) {
  for (int k = 0; k < call->info.n_attrs && k < MOST_ATTRS; ++k)
    for (int j = 0; j < MOST_LIST && call->attr[k].is_given && !call->attr[k].is_real; ++j)
      if (j < call->attr[k].count && call->attr[k].i[j] > 100000) return 1;
  for (int k = 0; k < call->info.n_in && k < MOST_TENSORS; ++k)
    for (int32_t d = 0; call->in[k].is_given && d < call->in[k].ndim && d < MOST_DIMS; ++d)
      if (call->in[k].shape[d] > 1000000) return 1;
  return 0;
}

static void on_alarm(int signal_number) {
  (void)signal_number;
  if (asks_for_much(&now->call)) _exit(0);
  now->doing = "a call of more than 20 s";
  _exit(3);
}

typedef struct {
  uint64_t calls, right, large, refused[MOST_STATUS], kinds;
} counts;

/* The successes that differ most are not known, so one of those kept goes at random. */
static void keep(const drawn_call* call) {
  if (n_kept < MOST_KEPT) kept[n_kept++] = *call;
  else kept[below(MOST_KEPT)] = *call;
}

static void draw(const op_text* text) {
  if (n_kept > 0 && below(10) != 0) {
    now->call = kept[below(n_kept)];
    change_call(&now->call);
  } else {
    const choice* c = &choices[below(n_choices)];
    draw_call(&now->call, text, c->kernel, c->key, c->ndim);
  }
  if (!one_in(8)) fit_gradient(&now->call);
}

/* 1: something is wrong. */
static int fuzz_op(const op_text* text, uint64_t seed, double seconds, int is_listed) {
  counts seen = {0};
  uint64_t round = 0;
  const double end = seconds_now() + seconds;
  const struct itimerval limit = {.it_value = {.tv_sec = 20}};
  for (; seen.calls % 64 != 0 || seen.calls == 0 || seconds_now() < end; ++seen.calls) {
    int status = 0;
    const char* why = NULL;
    seed_random(seed + ++round);
    draw(text);
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    now->doing = "ended in a call";
    const call_result result = try_call(&now->call, &status, &why);
    if (result == CALL_WRONG) {
      now->doing = why;
      return 1;
    }
    if (result == CALL_RIGHT) keep(&now->call);
    seen.right += result == CALL_RIGHT;
    seen.large += result == CALL_TOO_LARGE;
    if (result == CALL_REFUSED && status < 0 && -status < MOST_STATUS) ++seen.refused[-status];
  }
  if (is_listed || seen.right == 0) {
    printf("%s%s: %llu calls, %llu succeed, %llu large, refused:", seen.right == 0 ? "note: nothing succeeds: " : "",
           now->call.info.op, (unsigned long long)seen.calls, (unsigned long long)seen.right,
           (unsigned long long)seen.large);
    for (int k = 1; k < MOST_STATUS; ++k) printf(" %llu", (unsigned long long)seen.refused[k]);
    printf("\n");
  }
  return 0;
}

/* In a process of its own: 0 where all was right. */
static int fuzz_apart(const op_text* text, uint64_t seed, double seconds, int is_listed) {
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGVTALRM, on_alarm);
    list_kernels(text->op);
    const int failed = n_choices > 0 && fuzz_op(text, seed, seconds, is_listed);
    fflush(stdout);
    _exit(failed);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  printf("FAIL %s: %s\n", text->op, now->doing);
  print_call(stdout, &now->call);
  return 1;
}

int main(int argc, char** argv) {
  const char* only = NULL;
  double seconds = 1;
  uint64_t seed = 1;
  int is_listed = 0, passed = 0, failed = 0;
  for (int k = 1; k < argc; ++k) {
    const char* value = k + 1 < argc ? argv[k + 1] : "";
    if (strcmp(argv[k], "--list") == 0) is_listed = 1;
    else if (strcmp(argv[k], "--seconds") == 0) seconds = atof(value), ++k;
    else if (strcmp(argv[k], "--seed") == 0) seed = strtoull(value, NULL, 10), ++k;
    else if (strcmp(argv[k], "--op") == 0) only = value, ++k;
    else return fprintf(stderr, "fuzz_library: unknown option %s\n", argv[k]), 2;
  }
  now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (now == MAP_FAILED) return 2;
  for (const op_text* text = op_texts; text->op != NULL; ++text) {
    if (only != NULL && strcmp(only, text->op) != 0) continue;
    if (fuzz_apart(text, seed, seconds, is_listed) == 0) ++passed;
    else ++failed;
  }
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
