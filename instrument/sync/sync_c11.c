/* Mutexes and conditions of C11 threads. In glibc they are those of POSIX under another type, and its functions call
 * the inner ones of libc, past those that we stand in front of; while events are recorded they go by the outer ones. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t),
               "the same objects under other types");

typedef const struct timespec *time_point;

REAL(int, mtx_lock, (mtx_t * m), (m));
REAL(int, mtx_trylock, (mtx_t * m), (m));
REAL(int, mtx_timedlock, (mtx_t * m, time_point at), (m, at));
REAL(int, mtx_unlock, (mtx_t * m), (m));
REAL(int, cnd_signal, (cnd_t * c), (c));
REAL(int, cnd_broadcast, (cnd_t * c), (c));
REAL(int, cnd_wait, (cnd_t * c, mtx_t *m), (c, m));
REAL(int, cnd_timedwait, (cnd_t * c, mtx_t *m, time_point at), (c, m, at));

static pthread_mutex_t *mutex(mtx_t *m)
{
    return (pthread_mutex_t *)m;
}

static pthread_cond_t *condition(cnd_t *c)
{
    return (pthread_cond_t *)c;
}

static int c11(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

EXPORT int mtx_lock(mtx_t *m)
{
    return WAITING(PCOMP_WAITING_LOCK, m, trace_on ? c11(pthread_mutex_lock(mutex(m))) : real_mtx_lock(m));
}

EXPORT int mtx_trylock(mtx_t *m)
{
    return trace_on ? c11(pthread_mutex_trylock(mutex(m))) : real_mtx_trylock(m);
}

EXPORT int mtx_timedlock(mtx_t *restrict m, time_point restrict at)
{
    return WAITING(PCOMP_WAITING_LOCK, m,
                   trace_on ? c11(pthread_mutex_timedlock(mutex(m), at)) : real_mtx_timedlock(m, at));
}

EXPORT int mtx_unlock(mtx_t *m)
{
    return trace_on ? c11(pthread_mutex_unlock(mutex(m))) : real_mtx_unlock(m);
}

EXPORT int cnd_signal(cnd_t *c)
{
    return trace_on ? c11(pthread_cond_signal(condition(c))) : real_cnd_signal(c);
}

EXPORT int cnd_broadcast(cnd_t *c)
{
    return trace_on ? c11(pthread_cond_broadcast(condition(c))) : real_cnd_broadcast(c);
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    return WAITING(PCOMP_WAITING_CONDITION, c,
                   trace_on ? c11(pthread_cond_wait(condition(c), mutex(m))) : real_cnd_wait(c, m));
}

EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, time_point restrict at)
{
    return WAITING(PCOMP_WAITING_CONDITION, c,
                   trace_on ? c11(pthread_cond_timedwait(condition(c), mutex(m), at)) : real_cnd_timedwait(c, m, at));
}
