/* A thread that only computes, and two that take its processor from it: what it is off the processor it is ready, and
 * nobody waits. */
#include "expect.h"

#include <pthread.h>
#include <sched.h>

static volatile int stop;

static void *busy(void *unused)
{
    COUNT();
    while (!stop)
        ;
    return unused;
}

static void computes(void)
{
    COUNT();
    double begin = expect_clock_ms(CLOCK_MONOTONIC), cpu = expect_clock_ms(CLOCK_THREAD_CPUTIME_ID);
    while (expect_clock_ms(CLOCK_THREAD_CPUTIME_ID) < cpu + 50)
        ;
    cpu = expect_clock_ms(CLOCK_THREAD_CPUTIME_ID) - cpu;
    double off = expect_clock_ms(CLOCK_MONOTONIC) - begin - cpu;
    EXPECT("off computes %.1f 1000000", off * 0.97 - 1);
    EXPECT("ready computes %.1f 1000000", off * 0.9 - 2);
    EXPECT("waiting computes 0 %.1f", off * 0.1 + 2);
}

int main(void)
{
    pthread_t threads[2];
    cpu_set_t one;
    COUNT();
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0)
        return 0;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, busy, NULL) == 0);
    computes();
    stop = 1;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    EXPECT("waiting busy 0 5");
    return 0;
}
