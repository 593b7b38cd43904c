/* All the time is in a function that leaves by a jump to its exit hook. */
#include <stdio.h>

static volatile unsigned sink;

__attribute__((noinline)) void work(unsigned seed)
{
    for (unsigned i = 0; i < 1000000; i++)
        seed = seed * 1664525 + 1013904223;
    sink = seed;
}

int main(void)
{
    for (unsigned i = 0; i < 500; i++)
        work(i);
    puts("done");
    return 0;
}
