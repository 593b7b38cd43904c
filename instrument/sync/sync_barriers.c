/* Barriers. How many take part is known from pthread_barrier_init, which is listened to also while nothing is recorded:
 * a barrier may be older than the first instrumented function. Then threads may have entered it unrecorded, which the
 * record of an enter says. */
#include "instrument/address_table.h"
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"

#include <pthread.h>

REAL(int, pthread_barrier_init, (pthread_barrier_t * b, const pthread_barrierattr_t *a, unsigned count), (b, a, count));
REAL(int, pthread_barrier_wait, (pthread_barrier_t * b), (b));

#define OLDER ((uint64_t)1 << 32) /* beside the number of participants: than the recording */

static struct address_table participants;

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b, const pthread_barrierattr_t *restrict a, unsigned count)
{
    int failed = real_pthread_barrier_init(b, a, count);
    if (!failed)
        address_table_put(&participants, b, trace_on ? count : count | OLDER);
    return failed;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    if (!trace_on)
        return WAITING(PCOMP_WAITING_BARRIER, real_pthread_barrier_wait(b));
    uint64_t o = (uint64_t)(uintptr_t)b; /* the program may destroy it as soon as it has left */
    uint64_t known = address_table_get(&participants, b);
    trace_event_long(PCOMP_EVENT_BARRIER_ENTER, o, (uint32_t)known, known / OLDER);
    int result = WAITING(PCOMP_WAITING_BARRIER, real_pthread_barrier_wait(b));
    trace_event(PCOMP_EVENT_BARRIER_EXIT, o);
    return result;
}
