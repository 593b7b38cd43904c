/* Prints the nanoseconds (CPU time) of two bare clock reads: the best of several batches. */
#include "bench/programs/bench_clock.h"

#include <stdio.h>

int main(void)
{
    enum { ROUNDS = 20, PAIRS = 200000 };
    double values[ROUNDS];
    for (int r = 0; r < ROUNDS; r++)
        values[r] = (double)bench_clock_pairs(PAIRS) / PAIRS;
    bench_median(values, ROUNDS);
    printf("%.4f\n", values[0]);
    return 0;
}
