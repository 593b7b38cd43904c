/* Parallel regions and barriers of OpenMP, one within the other switched off; what is recorded is known by counting. */
#include "expect.h"

#include <omp.h>

#define THREADS 4
#define REGIONS 50

static long sums[THREADS];

static void step(int me, long value)
{
    COUNT();
    sums[me] += value;
}

static long region(void)
{
    long total = 0;
    COUNT();
#pragma omp parallel num_threads(THREADS) reduction(+ : total)
    {
        int me = omp_get_thread_num();
        step(me, 1);
#pragma omp barrier
        CHECK(sums[(me + 1) % THREADS] % 4 == 1);
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < 4 * THREADS; i++)
            step(me, i / 4 == me ? 0 : 0);
        step(me, 3);
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp barrier
            step(me, 0);
        }
        total += me;
    }
    return total;
}

int main(void)
{
    COUNT();
    omp_set_max_active_levels(1);
    omp_set_dynamic(0);
    for (int i = 0; i < REGIONS; i++)
        CHECK(region() == THREADS * (THREADS - 1) / 2);
    for (int i = 0; i < THREADS; i++)
        CHECK(sums[i] == 4 * REGIONS);
    expect_counts();
    EXPECT("locations %d", THREADS);
    EXPECT("events START %d", REGIONS * (THREADS - 1));
    EXPECT("events END %d", REGIONS * (THREADS - 1));
    EXPECT("events JOIN_BEGIN %d", REGIONS);
    EXPECT("events JOIN_END %d", REGIONS);
    EXPECT("least CREATE %d", REGIONS);
    EXPECT("events BARRIER_ENTER %d", REGIONS * THREADS * 3);
    EXPECT("events BARRIER_EXIT %d", REGIONS * THREADS * 3);
    EXPECT("most LOCK_ACQUIRED 5");
    return 0;
}
