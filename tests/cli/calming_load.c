/* Half a second of calls by the million, then three and a half of one call every 5 ms. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline)) void hot(unsigned seed)
{
    for (unsigned i = 0; i < 40; i++)
        seed = seed * 1664525 + 1013904223;
    sink = seed;
}

__attribute__((noinline)) void calm(void)
{
    nanosleep(&(struct timespec){0, 5000000}, NULL);
}

int main(void)
{
    for (unsigned i = 0; i < 10000000; i++)
        hot(i);
    for (unsigned i = 0; i < 700; i++)
        calm();
    puts("done");
    return 0;
}
