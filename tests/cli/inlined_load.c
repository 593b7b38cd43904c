/* `step` is inlined into `work`, which does all of the work, and seldom called by its address. */
#include <stdlib.h>

void work(long steps);

static volatile unsigned long sink;

static unsigned long step(unsigned long x)
{
    return (x ^ x >> 7) * 6364136223846793005u;
}

__attribute__((noinline)) void work(long steps) /* no clone of it is made: each argument is another */
{
    unsigned long x = sink;
    for (long i = 0; i < steps; i++)
        x = step(x);
    sink = x;
}

int main(int argc, char **argv)
{
    unsigned long (*volatile by_address)(unsigned long) = step;
    long rounds = argc > 1 ? atol(argv[1]) : 1;
    for (long i = 0; i < rounds; i++) {
        for (int k = 0; k < 3000; k++)
            work(100 + (k & 1));
        sink = by_address(sink);
    }
}
