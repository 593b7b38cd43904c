/* A function that is called far more often than a budget allows to count, and one that is called 600 times; with an
 * argument it is called as often as that says, and the program kills itself. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 600;
    for (unsigned round = 0; round < rounds; round++)
        rare(round);
    if (argc > 1)
        raise(SIGKILL);
    puts("done");
    return 0;
}
