/* A thread that calls all the time, and long enough: what a call costs is measured again and again beside it, which is
 * seen in no count and no path. */
#include "expect.h"

#include <pthread.h>

static volatile unsigned long sum;

static void little(unsigned long i)
{
    COUNT();
    sum += i;
}

static void many(unsigned long n)
{
    COUNT();
    for (unsigned long i = 0; i < n; i++)
        little(i);
}

static void *work(void *unused)
{
    COUNT();
    double begin = expect_now_ms();
    do
        many(100000);
    while (expect_now_ms() - begin < 400);
    return unused;
}

int main(void)
{
    COUNT();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    expect_counts();
    EXPECT("least measured_in_place 2");
    return 0;
}
