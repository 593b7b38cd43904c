/* system_calls_load SHARES FETCHES: computes, and fetches random bytes so many times as often, for a second; writes the
 * processor time of both functions (name, tab, seconds) that it measured itself. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define PLAIN __attribute__((no_instrument_function))

static volatile unsigned long sink;

static PLAIN double computed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void compute(void)
{
    unsigned long x = sink;
    for (int i = 0; i < 5000; i++)
        x = (x ^ x >> 7) * 6364136223846793005u;
    sink = x;
}

static __attribute__((noinline)) void fetch(void)
{
    static char bytes[4096];
    sink += (unsigned long)getrandom(bytes, sizeof(bytes), 0);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;
    if (!out)
        return 1;
    double computing = 0, fetching = 0;
    while (computing + fetching < 1) {
        double begin = computed();
        for (int i = 0; i < 100; i++)
            compute();
        double middle = computed();
        for (int i = 0; i < atoi(argv[2]); i++)
            fetch();
        computing += middle - begin;
        fetching += computed() - middle;
    }
    fprintf(out, "compute\t%.6f\nfetch\t%.6f\n", computing, fetching);
    return fclose(out) != 0;
}
