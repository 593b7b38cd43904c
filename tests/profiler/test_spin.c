/* The lock of cold paths: who waits for long leaves his processor, which who has it may need. */
#include "profiler/base/spin.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/resource.h>

static struct spin lock;

static void *wait_for_it(void *unused)
{
    struct rusage usage;
    (void)unused;
    errno = 7;
    spin_lock(&lock);
    spin_unlock(&lock);
    cr_assert_eq(errno, 7);
    getrusage(RUSAGE_THREAD, &usage);
    return (void *)usage.ru_nvcsw; // NOLINT(performance-no-int-to-ptr)
}

/* sched_yield alone is no voluntary switch, and does not let a thread of a lower real-time priority run. */
Test(spin, who_waits_for_long_sleeps_in_between)
{
    pthread_t thread;
    void *switches;
    spin_lock(&lock);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    spin_unlock(&lock);
    pthread_join(thread, &switches);
    cr_assert_gt((long)switches, 20);
}

#define THREADS 8
#define TURNS   20000
static unsigned long counted;

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < TURNS; i++) {
        spin_lock(&lock);
        counted++;
        spin_unlock(&lock);
    }
    return NULL;
}

Test(spin, one_at_a_time)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(counted, (unsigned long)THREADS * TURNS);
    cr_assert(spin_try(&lock));
    cr_assert_not(spin_try(&lock));
}
