/* A program that makes one instrumented call and ends. Prints the monotonic nanosecond after the call, so that its
 * parent, which knows when it started the process, can tell how long start-up took. */
#include "bench/programs/bench_clock.h"

#include <stdio.h>

BENCH_CALL static void first(void)
{
    __asm__ volatile("");
}

BENCH_PLAIN int main(void)
{
    first();
    printf("%lld\n", (long long)bench_clock_ns(CLOCK_MONOTONIC));
    return 0;
}
