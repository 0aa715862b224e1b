/* Loaded before a program: kills it at step KILL_AT of what it does with files: opening for writing, writing (after half of the bytes), closing,
   renaming, making a folder. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int here(void)
{
    static atomic_int steps;
    const char *const at = getenv("KILL_AT");
    return at != NULL && atomic_fetch_add(&steps, 1) + 1 == atoi(at);
}

static void step(void)
{
    if (here())
        raise(SIGKILL);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

FILE *fopen(const char *path, const char *mode)
{
    if (strchr(mode, 'w') != NULL)
        step();
    return REAL(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    if (strchr(mode, 'w') != NULL)
        step();
    return REAL(fopen64)(path, mode);
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file)
{
    if (file != stdout && file != stderr && here()) {
        REAL(fwrite)(bytes, size, n / 2, file);
        fflush(file);
        raise(SIGKILL);
    }
    return REAL(fwrite)(bytes, size, n, file);
}

int rename(const char *from, const char *to)
{
    step();
    return REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    step();
    return REAL(mkdir)(path, mode);
}
