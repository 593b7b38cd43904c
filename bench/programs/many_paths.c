/* Five million distinct call paths: every way through a tree of ten functions. many_paths [PATHS] */
#include "bench/programs/many_functions.h"
#include "bench/programs/resident.h"

static long budget, visited;

BENCH_PLAIN static void branch(int depth);

#define DEFINE(n)                                                                                                      \
    BENCH_CALL static void step_##n(int depth)                                                                         \
    {                                                                                                                  \
        __asm__ volatile("" ::"i"(n));                                                                                 \
        branch(depth);                                                                                                 \
    }
#define NAME(n) step_##n,

TEN(DEFINE, 1)
static void (*const steps[])(int) = {TEN(NAME, 1)};

enum { BRANCHES = sizeof steps / sizeof *steps, DEPTH = 7 };

BENCH_PLAIN static void branch(int depth)
{
    for (int i = 0; depth && i < BRANCHES && visited < budget; i++) {
        visited++;
        steps[i](depth - 1);
    }
}

int main(int argc, char **argv)
{
    budget = argc > 1 ? strtol(argv[1], NULL, 10) : 5000000;
    branch(DEPTH);
    printf("paths %ld\nresident_kib %ld\n", visited, bench_resident_kib());
    return 0;
}
