/* The processor time of a process whose threads run on several processors. */
#include "profiler/base/thread_list.h"

#include "profiler/base/clock.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct pcomp_thread thread;
static struct thread_state state = {.thread = &thread};

static void *run(void *unused)
{
    (void)unused;
    __atomic_store_n(&thread.tid, (int32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    while (__atomic_load_n(&thread.tid, __ATOMIC_RELAXED)) /* without a system call, which would tell the kernel */
        ;
    return NULL;
}

static double wall(void)
{
    return (double)clock_now_ns(CLOCK_MONOTONIC) * 1e-9;
}

/* What the process is found to have run between two readings, each of both threads has: more would be from before the
 * first one, and missing there. */
Test(thread_list, processor_time_has_what_other_threads_ran_since_the_kernels_last_tick)
{
    pthread_t other;
    clockid_t others;
    thread_list_add(&state);
    cr_assert_eq(pthread_create(&other, NULL, run, NULL), 0);
    cr_assert_eq(pthread_getcpuclockid(other, &others), 0);
    while (!__atomic_load_n(&thread.tid, __ATOMIC_ACQUIRE))
        ;
    for (int i = 0; i < 50; i++) {
        for (double until = wall() + 0.0011; wall() < until;)
            ;
        double begin = wall(), first = thread_list_processor_seconds();
        clock_now_ns(others); /* which tells the kernel */
        double more = (double)clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-9 - first, took = wall() - begin;
        cr_assert_leq(more, 2 * took + 2e-5);
    }
    __atomic_store_n(&thread.tid, 0, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
}
