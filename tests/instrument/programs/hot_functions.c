/* A function that is called often, with a little work, one that is never called, and one of which the calls cost more
 * than what they do; below a timed function. Without checks of its own: sampled_report.sh reads what pcomp says. */
#include <stdint.h>
#include <stdio.h>

#ifndef EMPTY_CALLS
#define EMPTY_CALLS 0
#endif
#define HOT_CALLS 3000000

volatile uint64_t sum;

__attribute__((noinline)) void never(void)
{
    sum++;
}

__attribute__((noinline)) uint64_t hot(uint64_t x)
{
    for (int i = 0; i < 60; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

__attribute__((noinline)) void empty(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void work(void)
{
    uint64_t x = 1;
    for (int i = 0; i < HOT_CALLS; i++)
        x = hot(x);
    sum = x;
    for (long i = 0; i < EMPTY_CALLS; i++)
        empty();
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 5)
        never();
    work();
    return 0;
}
