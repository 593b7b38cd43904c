/* Condition variables. pthread_cond_wait is left by cancellation with the mutex held, so WOKEN follows then, too, as
 * after a time-out: nobody woke it. */
#include "instrument/exported.h"
#include "instrument/jumps.h"
#include "instrument/real_functions.h"
#include "instrument/sync/deadline.h"
#include "instrument/sync/external_wait.h"
#include "instrument/sync/lone_locks.h"
#include "instrument/sync/mutex_state.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"

#include <errno.h>
#include <pthread.h>

#if defined(__x86_64__)
#define TODAY "GLIBC_2.3.2" /* an older version takes a condition of another shape */
#else
#define TODAY NULL
#endif

typedef const struct timespec *time_point;

REAL_VERSION(TODAY, int, pthread_cond_signal, (pthread_cond_t * c), (c));
REAL_VERSION(TODAY, int, pthread_cond_broadcast, (pthread_cond_t * c), (c));
REAL_VERSION(TODAY, int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m));
REAL_VERSION(TODAY, int, pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, time_point at), (c, m, at));
REAL(int, pthread_cond_clockwait, (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, time_point at),
     (c, m, clock, at));

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    uint64_t object = trace_on ? condition_object(c) : 0;
    if (object)
        trace_event(PCOMP_EVENT_COND_SIGNAL, object);
    return real_pthread_cond_signal(c);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    uint64_t object = trace_on ? condition_object(c) : 0;
    if (object)
        trace_event(PCOMP_EVENT_COND_BROADCAST, object);
    return real_pthread_cond_broadcast(c);
}

struct waiting {
    uint64_t condition, mutex;
};

static void woken(const struct waiting *w, bool by_signal)
{
    trace_event_long(PCOMP_EVENT_COND_WOKEN, w->condition, w->mutex, !by_signal);
}

static void cancelled(void *w)
{
    woken(w, false);
}

static int wait_real(pthread_cond_t *c, pthread_mutex_t *m, const struct deadline *d)
{
    if (!d)
        return real_pthread_cond_wait(c, m);
    return d->clock == ITS_CLOCK ? real_pthread_cond_timedwait(c, m, d->at)
                                 : real_pthread_cond_clockwait(c, m, d->clock, d->at);
}

static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct deadline *d)
{
    struct waiting w = {condition_object(c), mutex_object(m)};
    int result;
    if ((d && !deadline_is_valid(d)) || !mutex_unlock_releases(m))
        return wait_real(c, m, d);
    if (!w.condition || !w.mutex)
        return EXTERNAL_WAIT(PCOMP_EXTERNAL_FUTEX, wait_real(c, m, d));
    lone_locks_end();
    trace_event_long(PCOMP_EVENT_COND_WAIT, w.condition, w.mutex, 0);
    jumps_unmarked = true;
    pthread_cleanup_push(cancelled, &w);
    jumps_unmarked = false;
    result = wait_real(c, m, d);
    pthread_cleanup_pop(0);
    woken(&w, result == 0 || result == EOWNERDEAD);
    return result;
}

EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
    return WAITING(PCOMP_WAITING_CONDITION, c, trace_on ? cond_wait(c, m, NULL) : real_pthread_cond_wait(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, time_point restrict at)
{
    return WAITING(PCOMP_WAITING_CONDITION, c,
                   trace_on ? cond_wait(c, m, &(struct deadline){ITS_CLOCK, at})
                            : real_pthread_cond_timedwait(c, m, at));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock,
                                  time_point restrict at)
{
    return WAITING(PCOMP_WAITING_CONDITION, c,
                   trace_on ? cond_wait(c, m, &(struct deadline){clock, at})
                            : real_pthread_cond_clockwait(c, m, clock, at));
}
