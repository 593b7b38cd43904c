/* Mutexes that the only thread of a process takes. Nobody can wait for them, so traces have none of them, unless the
 * thread still holds one when there is a second thread. By the thread that takes them; in signal handlers, too.
 *
 * Programs of one thread may take tens of millions of them: no locked instruction, which would take longer than all
 * else here. A handler that comes in between gives back the places that it takes, so that the count is what it was. */
#ifndef PCOMP_LONE_LOCKS_H
#define PCOMP_LONE_LOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define LONE_LOCKS_MAX 32u

/* Of the functions that take and release them: samples tell how long that takes (profiler/control/count_samples.h). */
#define LONE_LOCKS_CODE __attribute__((section("pcomp_locks")))

extern char __libc_single_threaded __attribute__((weak)); /* glibc 2.32: false from the second thread on */

struct lone_locks {
    bool ended;
    unsigned count; /* LONE_LOCKS_MAX - 1 at most */
    uint64_t taken[LONE_LOCKS_MAX];
    pthread_t holder;
};
extern struct lone_locks lone_locks;

/* A second thread is about to exist, or the thread waits: from now on all is recorded, what it holds first. */
void lone_locks_end(void);

/* The same, since there are too many; the mutex was taken, too. */
void lone_locks_end_with(uint64_t object);

static inline bool lone_locks_have_ended(void)
{
    return __atomic_load_n(&lone_locks.ended, __ATOMIC_RELAXED);
}

/* Whether the calling thread is the only one, so that a mutex that is free may be taken without an event. */
static inline bool lone_locks_alone(void)
{
    if (lone_locks_have_ended())
        return false;
    if (&__libc_single_threaded && __libc_single_threaded)
        return true;
    lone_locks_end();
    return false;
}

/* It was taken so. */
static inline void lone_locks_taken(uint64_t object)
{
    unsigned at = __atomic_load_n(&lone_locks.count, __ATOMIC_RELAXED);
    if (lone_locks_have_ended() || at >= LONE_LOCKS_MAX - 1) {
        lone_locks_end_with(object);
        return;
    }
    __atomic_store_n(&lone_locks.count, at + 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler takes the place above */
    if (at == 0)
        lone_locks.holder = pthread_self();
    lone_locks.taken[at] = object;
}

/* It is to be released. False: that is to be recorded. */
static inline bool lone_locks_released(uint64_t object)
{
    if (lone_locks_have_ended())
        return false;
    unsigned count = __atomic_load_n(&lone_locks.count, __ATOMIC_RELAXED);
    for (unsigned i = count; i-- > 0;)
        if (lone_locks.taken[i] == object) {
            lone_locks.taken[i] = lone_locks.taken[count - 1];
            __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler must not take the place of another */
            __atomic_store_n(&lone_locks.count, count - 1, __ATOMIC_RELAXED);
            return true;
        }
    return false;
}

#endif
