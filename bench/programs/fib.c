/* The classic: fib(N) by recursion, 7.05 million calls for N = 32, and nothing else to hide the hooks behind. */
#include "bench/programs/bench_clock.h"

#include <stdio.h>
#include <stdlib.h>

BENCH_CALL static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
    printf("%u\n", fib(argc > 1 ? (unsigned)atoi(argv[1]) : 32));
    return 0;
}
