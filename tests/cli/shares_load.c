/* Does things of known duration in turn, for a second: the functions below in proportions that it measures itself, and
 * writes down at the end (name, tab, seconds: processor time, or time off the processor where it waits). Between them
 * many calls of a tiny function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

enum { OWN, INLINED, LIBRARY, WAITING, TINY, PARTS };
static const char *const names[PARTS] = {"work", "inlined_work", "copy_much", "wait_a_moment", "call_often"};
static double spent[PARTS];
static volatile unsigned long sink;

static PLAIN double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static PLAIN double now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static PLAIN double computed(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static inline __attribute__((always_inline)) void inlined_work(long steps)
{
    unsigned long x = sink;
    for (long i = 0; i < steps; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

static __attribute__((noinline)) void work(long steps)
{
    double begin = computed();
    unsigned long x = sink;
    for (long i = 0; i < steps; i++)
        x = (x ^ x >> 7) * 6364136223846793005u;
    sink = x;
    double middle = computed();
    inlined_work(steps);
    double end = computed();
    spent[OWN] += middle - begin;
    spent[INLINED] += end - middle;
}

static __attribute__((noinline)) void copy_much(char *to, const char *from, size_t size)
{
    double begin = computed();
    for (int i = 0; i < 4; i++) {
        memcpy(to, from, size);
        sink += (unsigned long)to[size / 2];
    }
    spent[LIBRARY] += computed() - begin;
}

static __attribute__((noinline)) void wait_a_moment(void)
{
    double begin = now(), before = computed();
    usleep(300);
    double used = computed() - before;
    spent[WAITING] += now() - begin - used;
}

static __attribute__((noinline)) unsigned long tiny(unsigned long x)
{
    return x * 3 + 1;
}

static __attribute__((noinline)) void call_often(int times)
{
    unsigned long x = sink;
    for (int i = 0; i < times; i++)
        x = tiny(x);
    sink = x;
}

int main(int argc, char **argv)
{
    enum { SIZE = 1 << 19 };
    char *from = calloc(2, SIZE);
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    double begin = now();
    if (!out || !from)
        return 1;
    while (now() - begin < 1) {
        work(200000);
        copy_much(from + SIZE, from, SIZE);
        wait_a_moment();
        call_often(100000);
    }
    for (int i = 0; i < TINY; i++)
        fprintf(out, "%s\t%.6f\n", names[i], spent[i]);
    free(from);
    return fclose(out) != 0;
}
