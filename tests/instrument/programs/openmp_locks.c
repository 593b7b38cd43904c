/* Locks, critical and ordered sections and waits for tasks of OpenMP; what is recorded is known by counting. */
#include "expect.h"

#include <omp.h>

#define THREADS 3
#define ROUNDS  40

static omp_lock_t lock;
static omp_nest_lock_t nest;
static long counts[5];

static void add(int what)
{
    COUNT();
    counts[what]++;
}

static void round_of_all(void)
{
    COUNT();
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp critical
        add(0);
#pragma omp critical(named)
        add(1);
        omp_set_lock(&lock);
        add(2);
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        add(3);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp single
        {
#pragma omp task
            add(0);
#pragma omp taskwait
        }
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < THREADS; i++) {
#pragma omp ordered
            add(4);
        }
    }
}

int main(void)
{
    COUNT();
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    for (int i = 0; i < ROUNDS; i++)
        round_of_all();
    CHECK(counts[0] == ROUNDS * (THREADS + 1));
    for (int i = 1; i < 5; i++)
        CHECK(counts[i] == ROUNDS * THREADS);
    expect_counts();
    EXPECT("locations %d", THREADS);
    EXPECT("least LOCK_ACQUIRED %d", ROUNDS * THREADS * 5); /* the runtime library may use some as it begins */
    EXPECT("most LOCK_ACQUIRED %d", ROUNDS * THREADS * 5 + 5);
    EXPECT("least LOCK_RELEASE %d", ROUNDS * THREADS * 5);
    EXPECT("events EXTERNAL_BEGIN %d", ROUNDS);
    EXPECT("events EXTERNAL_END %d", ROUNDS);
    EXPECT("events JOIN_END %d", ROUNDS);
    return 0;
}
