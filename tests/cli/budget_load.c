/* A function that is called far more often than a budget allows to count, and one that is called 600 times. */
#include <stdio.h>

static volatile unsigned sink;

__attribute__((noinline)) void hot(unsigned seed)
{
    for (unsigned i = 0; i < 40; i++)
        seed = seed * 1664525 + 1013904223;
    sink = seed;
}

__attribute__((noinline)) void rare(unsigned round)
{
    for (unsigned i = 0; i < 40000; i++)
        hot(round + i);
}

int main(void)
{
    for (unsigned round = 0; round < 600; round++)
        rare(round);
    puts("done");
    return 0;
}
