#include "instrument/sync/lone_locks.h"

#include "profiler/trace/trace.h"

#include <pthread.h>

#define TAKEN_MAX 32u

extern char __libc_single_threaded __attribute__((weak)); /* glibc 2.32: false from the second thread on */

static bool ended;
static uint64_t taken[TAKEN_MAX];
static unsigned taken_count;
static pthread_t holder;

static void record(uint64_t object)
{
    trace_event(PCOMP_EVENT_LOCK_REQUEST, object);
    trace_event(PCOMP_EVENT_LOCK_ACQUIRED, object);
}

void lone_locks_end(void)
{
    if (__atomic_exchange_n(&ended, true, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < taken_count && pthread_equal(holder, pthread_self()); i++)
        record(taken[i]);
    taken_count = 0;
}

bool lone_locks_alone(void)
{
    if (__atomic_load_n(&ended, __ATOMIC_RELAXED))
        return false;
    if (&__libc_single_threaded && __libc_single_threaded)
        return true;
    lone_locks_end();
    return false;
}

/* A handler that comes in between takes the place above, and gives it back. */
void lone_locks_taken(uint64_t object)
{
    if (taken_count >= TAKEN_MAX - 1)
        lone_locks_end();
    if (__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
        record(object);
        return;
    }
    unsigned at = __atomic_fetch_add(&taken_count, 1, __ATOMIC_RELAXED);
    holder = pthread_self();
    taken[at % TAKEN_MAX] = object;
}

bool lone_locks_released(uint64_t object)
{
    if (__atomic_load_n(&ended, __ATOMIC_RELAXED))
        return false;
    for (unsigned i = taken_count; i-- > 0;)
        if (taken[i % TAKEN_MAX] == object) {
            taken[i % TAKEN_MAX] = taken[(taken_count - 1) % TAKEN_MAX];
            __atomic_fetch_sub(&taken_count, 1, __ATOMIC_RELAXED);
            return true;
        }
    return false;
}
