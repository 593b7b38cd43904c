/* Spin locks of libc, recorded as mutexes are. One for several processes does not say so of itself: it is known from
 * where it is initialised. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/shared_objects.h"
#include "profiler/trace/trace.h"

#include <errno.h>
#include <pthread.h>

REAL(int, pthread_spin_init, (pthread_spinlock_t * l, int shared), (l, shared));
REAL(int, pthread_spin_lock, (pthread_spinlock_t * l), (l));
REAL(int, pthread_spin_trylock, (pthread_spinlock_t * l), (l));
REAL(int, pthread_spin_unlock, (pthread_spinlock_t * l), (l));

static struct address_table names;
static bool names_in_use; /* addresses must be looked up */

static uint64_t object(pthread_spinlock_t *l)
{
    uint64_t name = names_in_use ? address_table_get(&names, (const void *)l) : 0;
    return name ? name : (uint64_t)(uintptr_t)l;
}

static int end_of_request(uint64_t name, int result)
{
    trace_event(result == 0 ? PCOMP_EVENT_LOCK_ACQUIRED : PCOMP_EVENT_LOCK_FAILED, name);
    return result;
}

EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    int failed = real_pthread_spin_init(l, shared);
    if (!failed)
        shared_object_put(&names, &names_in_use, (const void *)l, shared == PTHREAD_PROCESS_SHARED);
    return failed;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    if (!trace_on)
        return real_pthread_spin_lock(l);
    uint64_t name = object(l);
    trace_event(PCOMP_EVENT_LOCK_REQUEST, name);
    int result = real_pthread_spin_trylock(l);
    if (result == EBUSY) {
        trace_event(PCOMP_EVENT_LOCK_WAIT, name);
        result = real_pthread_spin_lock(l);
    }
    return end_of_request(name, result);
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
    if (!trace_on)
        return real_pthread_spin_trylock(l);
    uint64_t name = object(l);
    trace_event(PCOMP_EVENT_LOCK_REQUEST, name);
    return end_of_request(name, real_pthread_spin_trylock(l));
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    if (trace_on)
        trace_event(PCOMP_EVENT_LOCK_RELEASE, object(l));
    return real_pthread_spin_unlock(l);
}
