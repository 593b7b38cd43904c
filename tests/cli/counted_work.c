/* Work that the counters of known_papi.c see, under the calls that the compensation of counters must take away:
 * repeated ones, look-ups (two functions in turns), filtered ones (--skip 'passed'), and first calls of paths. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#define PLAIN __attribute__((no_instrument_function))

static PLAIN void no_work(long long amount)
{
    (void)amount;
}

static void (*work)(long long) = no_work;

/* The library, if it is loaded: that of --counters, in a scope of its own. */
static PLAIN void find_work(void)
{
    void *papi = dlopen(PAPI_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    void *found = papi ? dlsym(papi, "known_papi_work") : NULL;
    if (found)
        *(void **)&work = found;
}

__attribute__((noinline)) void passed(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void worked(void)
{
    work(7);
}

__attribute__((noinline)) void other(void)
{
    work(1);
}

/* Paths of its own at each depth: as many first calls. */
__attribute__((noinline)) void descend(int depth)
{
    work(1);
    if (depth > 0)
        descend(depth - 1);
    __asm__ volatile("");
}

__attribute__((noinline)) void repeats(void)
{
    for (int i = 0; i < 1000; i++)
        worked();
}

__attribute__((noinline)) void looks_up(void)
{
    for (int i = 0; i < 1000; i++) {
        worked();
        other();
    }
}

__attribute__((noinline)) void passes(void)
{
    for (int i = 0; i < 100000; i++)
        passed();
}

__attribute__((noinline)) void firsts(void)
{
    descend(499);
}

int main(void)
{
    find_work();
    repeats();
    looks_up();
    passes();
    firsts();
    return 0;
}
