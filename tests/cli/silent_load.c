/* In turn: a function that calls nothing for long, and as much work in short calls. */
#include <stdio.h>

static volatile unsigned sink;

static inline __attribute__((always_inline, no_instrument_function)) void spin(unsigned rounds)
{
    unsigned x = sink;
    for (unsigned i = 0; i < rounds; i++)
        x = x * 1664525 + 1013904223;
    sink = x;
}

__attribute__((noinline)) void silent(void)
{
    spin(30000000);
}

__attribute__((noinline)) void brief(void)
{
    spin(3000);
}

int main(void)
{
    for (unsigned round = 0; round < 40; round++) {
        silent();
        for (unsigned i = 0; i < 10000; i++)
            brief();
    }
    puts("done");
    return 0;
}
