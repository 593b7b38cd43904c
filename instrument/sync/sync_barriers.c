/* Barriers. How many take part is known from pthread_barrier_init, which is listened to also while nothing is recorded:
 * a barrier may be older than the first instrumented function. Then threads may have entered it unrecorded, which the
 * record of an enter says. */
#include "instrument/address_table.h"
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/external_wait.h"
#include "instrument/sync/shared_objects.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"

#include <pthread.h>

REAL(int, pthread_barrier_init, (pthread_barrier_t * b, const pthread_barrierattr_t *a, unsigned count), (b, a, count));
REAL(int, pthread_barrier_wait, (pthread_barrier_t * b), (b));

#define OLDER ((uint64_t)1 << 32) /* beside the number of participants: than the recording */

static struct address_table participants, names;
static bool names_in_use; /* a barrier is shared: addresses must be looked up */

/* As pthread_barrier_init of glibc notes it. */
static bool is_shared(const pthread_barrier_t *b)
{
    return ((const int *)(const void *)b)[3] != 0;
}

/* 0: other processes have it, and how they name it is not known here. */
static uint64_t object(const pthread_barrier_t *b)
{
    uint64_t name = names_in_use ? address_table_get(&names, b) : 0;
    return name || is_shared(b) ? name : (uint64_t)(uintptr_t)b;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b, const pthread_barrierattr_t *restrict a, unsigned count)
{
    int failed = real_pthread_barrier_init(b, a, count);
    if (failed)
        return failed;
    address_table_put(&participants, b, trace_on ? count : count | OLDER);
    shared_object_put(&names, &names_in_use, b, is_shared(b));
    return 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    if (!trace_on)
        return WAITING(PCOMP_WAITING_BARRIER, b, real_pthread_barrier_wait(b));
    uint64_t o = object(b); /* the program may destroy it as soon as it has left */
    if (!o)
        return EXTERNAL_WAIT(PCOMP_EXTERNAL_FUTEX, WAITING(PCOMP_WAITING_BARRIER, b, real_pthread_barrier_wait(b)));
    uint64_t known = address_table_get(&participants, b);
    trace_event_long(PCOMP_EVENT_BARRIER_ENTER, o, (uint32_t)known, known / OLDER);
    int result = WAITING(PCOMP_WAITING_BARRIER, b, real_pthread_barrier_wait(b));
    trace_event(PCOMP_EVENT_BARRIER_EXIT, o);
    return result;
}
