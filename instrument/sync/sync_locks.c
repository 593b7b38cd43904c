/* Mutexes and reader-writer locks. A lock is tried first, so that one that was free is told from one that had to be
 * waited for; one that was not free is left to the real function. So the program has its results, whatever the kind of
 * mutex. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/deadline.h"
#include "instrument/sync/external_wait.h"
#include "instrument/sync/lone_locks.h"
#include "instrument/sync/mutex_state.h"
#include "profiler/base/thread_state.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef const struct timespec *time_point;

REAL(int, pthread_mutex_lock, (pthread_mutex_t * m), (m));
REAL(int, pthread_mutex_trylock, (pthread_mutex_t * m), (m));
REAL(int, pthread_mutex_timedlock, (pthread_mutex_t * m, time_point at), (m, at));
REAL(int, pthread_mutex_clocklock, (pthread_mutex_t * m, clockid_t clock, time_point at), (m, clock, at));
REAL(int, pthread_mutex_unlock, (pthread_mutex_t * m), (m));
REAL(int, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l));
REAL(int, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l));
REAL(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l));
REAL(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l));
REAL(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, time_point at), (l, at));
REAL(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, time_point at), (l, at));
REAL(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t * l, clockid_t clock, time_point at), (l, clock, at));
REAL(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t * l, clockid_t clock, time_point at), (l, clock, at));
REAL(int, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l));

static int end_of_request(uint64_t object, int result)
{
    bool acquired = result == 0 || result == EOWNERDEAD;
    trace_event(acquired ? PCOMP_EVENT_LOCK_ACQUIRED : PCOMP_EVENT_LOCK_FAILED, object);
    return result;
}

/* --- mutexes ------------------------------------------------------------------------------------------------------ */

/* What glibc keeps in a mutex is part of its ABI, by the static initialisers. */
enum { KIND_MASK = 3, KIND_ROBUST = 16, KIND_CEILING = 64 };

static int mutex_kind(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED);
}

/* Of a mutex that keeps its owner: whether that is the calling thread. */
LONE_LOCKS_CODE static bool is_owner(const pthread_mutex_t *m)
{
    const struct thread_state *h = current_thread;
    int tid = h->self == h && h->thread ? h->thread->tid : (int)syscall(SYS_gettid);
    if (mutex_kind(m) & KIND_ROBUST) /* one whose holder died has no owner before it is made consistent */
        return (__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) & 0x3fffffff) == tid;
    return __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED) == tid;
}

/* A recursive mutex is held from its first lock to its last unlock; nothing is recorded of what lies between. */
LONE_LOCKS_CODE static bool mutex_is_locked_again(const pthread_mutex_t *m)
{
    return (mutex_kind(m) & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE && is_owner(m);
}

LONE_LOCKS_CODE bool mutex_unlock_releases(const pthread_mutex_t *m)
{
    int kind = mutex_kind(m);
    if (!(kind & KIND_ROBUST) && (kind & KIND_MASK) != PTHREAD_MUTEX_RECURSIVE &&
        (kind & KIND_MASK) != PTHREAD_MUTEX_ERRORCHECK)
        return true;
    return is_owner(m) && ((kind & KIND_MASK) != PTHREAD_MUTEX_RECURSIVE || m->__data.__count == 1);
}

/* glibc 2.36: a failing try of an unrecoverable mutex leaves it locked, one of a mutex with a ceiling can change what
 * the next attempt finds. */
static bool try_leaves_traces(const pthread_mutex_t *m)
{
    return mutex_kind(m) & (KIND_ROBUST | KIND_CEILING);
}

static int mutex_lock_real(pthread_mutex_t *m, const struct deadline *d)
{
    if (!d)
        return real_pthread_mutex_lock(m);
    return d->clock == CLOCK_REALTIME ? real_pthread_mutex_timedlock(m, d->at)
                                      : real_pthread_mutex_clocklock(m, d->clock, d->at);
}

/* Without an event, where it is free and nobody else can want it. */
LONE_LOCKS_CODE static bool mutex_taken_alone(pthread_mutex_t *m, uint64_t object)
{
    if (mutex_is_shared(m) || try_leaves_traces(m) || !lone_locks_alone() || real_pthread_mutex_trylock(m) != 0)
        return false;
    lone_locks_taken(object);
    return true;
}

LONE_LOCKS_CODE static int mutex_lock(pthread_mutex_t *m, const struct deadline *d)
{
    uint64_t object = mutex_object(m);
    if (mutex_is_locked_again(m))
        return mutex_lock_real(m, d);
    if (!object)
        return EXTERNAL_WAIT(PCOMP_EXTERNAL_FUTEX, mutex_lock_real(m, d));
    if (mutex_taken_alone(m, object))
        return 0;
    trace_event(PCOMP_EVENT_LOCK_REQUEST, object);
    int result = EBUSY;
    if (!try_leaves_traces(m))
        result = real_pthread_mutex_trylock(m);
    if (result == EBUSY) {
        if (!try_leaves_traces(m) || __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED))
            trace_event(PCOMP_EVENT_LOCK_WAIT, object);
        result = mutex_lock_real(m, d);
    }
    return end_of_request(object, result);
}

LONE_LOCKS_CODE EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    return WAITING(PCOMP_WAITING_LOCK, m, trace_on ? mutex_lock(m, NULL) : real_pthread_mutex_lock(m));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict m, time_point restrict at)
{
    struct deadline d = {CLOCK_REALTIME, at};
    return WAITING(PCOMP_WAITING_LOCK, m, trace_on ? mutex_lock(m, &d) : real_pthread_mutex_timedlock(m, at));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock, time_point restrict at)
{
    struct deadline d = {clock, at};
    return WAITING(PCOMP_WAITING_LOCK, m,
                   trace_on && deadline_is_valid(&d) ? mutex_lock(m, &d) : real_pthread_mutex_clocklock(m, clock, at));
}

LONE_LOCKS_CODE EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    uint64_t object = trace_on ? mutex_object(m) : 0;
    if (!object || mutex_is_locked_again(m))
        return real_pthread_mutex_trylock(m);
    if (mutex_taken_alone(m, object))
        return 0;
    trace_event(PCOMP_EVENT_LOCK_REQUEST, object);
    return end_of_request(object, real_pthread_mutex_trylock(m));
}

LONE_LOCKS_CODE EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    uint64_t object = trace_on ? mutex_object(m) : 0;
    if (object && mutex_unlock_releases(m) && !lone_locks_released(object))
        trace_event(PCOMP_EVENT_LOCK_RELEASE, object);
    return real_pthread_mutex_unlock(m);
}

/* --- reader-writer locks -------------------------------------------------------------------------------------------
 */

/* A way to take such a lock: for reading or for writing. */
struct rwlock_way {
    uint64_t bit; /* in the name of the object */
    int (*try_it)(pthread_rwlock_t *);
    int (*wait)(pthread_rwlock_t *);
    int (*wait_timed)(pthread_rwlock_t *, time_point);
    int (*wait_clock)(pthread_rwlock_t *, clockid_t, time_point);
};

static struct rwlock_way reading(void)
{
    return (struct rwlock_way){1, real_pthread_rwlock_tryrdlock, real_pthread_rwlock_rdlock,
                               real_pthread_rwlock_timedrdlock, real_pthread_rwlock_clockrdlock};
}

static struct rwlock_way writing(void)
{
    return (struct rwlock_way){0, real_pthread_rwlock_trywrlock, real_pthread_rwlock_wrlock,
                               real_pthread_rwlock_timedwrlock, real_pthread_rwlock_clockwrlock};
}

static int rwlock_try(pthread_rwlock_t *l, struct rwlock_way way)
{
    uint64_t object = rwlock_object(l);
    if (!object)
        return way.try_it(l);
    trace_event(PCOMP_EVENT_LOCK_REQUEST, object | way.bit);
    return end_of_request(object | way.bit, way.try_it(l));
}

static int rwlock_lock_real(pthread_rwlock_t *l, struct rwlock_way way, const struct deadline *d)
{
    if (!d)
        return way.wait(l);
    return d->clock == CLOCK_REALTIME ? way.wait_timed(l, d->at) : way.wait_clock(l, d->clock, d->at);
}

static int rwlock_lock(pthread_rwlock_t *l, struct rwlock_way way, const struct deadline *d)
{
    uint64_t object = rwlock_object(l);
    if (d && !deadline_is_valid(d))
        return rwlock_lock_real(l, way, d);
    if (!object)
        return EXTERNAL_WAIT(PCOMP_EXTERNAL_FUTEX, rwlock_lock_real(l, way, d));
    object |= way.bit;
    trace_event(PCOMP_EVENT_LOCK_REQUEST, object);
    int result = way.try_it(l);
    if (result == EBUSY) {
        trace_event(PCOMP_EVENT_LOCK_WAIT, object);
        result = rwlock_lock_real(l, way, d);
    }
    return end_of_request(object, result);
}

#define RWLOCK(kind, way)                                                                                              \
    EXPORT int pthread_rwlock_##kind##lock(pthread_rwlock_t *l)                                                        \
    {                                                                                                                  \
        return WAITING(PCOMP_WAITING_LOCK, l,                                                                          \
                       trace_on ? rwlock_lock(l, way(), NULL) : real_pthread_rwlock_##kind##lock(l));                  \
    }                                                                                                                  \
    EXPORT int pthread_rwlock_try##kind##lock(pthread_rwlock_t *l)                                                     \
    {                                                                                                                  \
        return trace_on ? rwlock_try(l, way()) : real_pthread_rwlock_try##kind##lock(l);                               \
    }                                                                                                                  \
    EXPORT int pthread_rwlock_timed##kind##lock(pthread_rwlock_t *restrict l, time_point restrict at)                  \
    {                                                                                                                  \
        return WAITING(PCOMP_WAITING_LOCK, l,                                                                          \
                       trace_on ? rwlock_lock(l, way(), &(struct deadline){CLOCK_REALTIME, at})                        \
                                : real_pthread_rwlock_timed##kind##lock(l, at));                                       \
    }                                                                                                                  \
    EXPORT int pthread_rwlock_clock##kind##lock(pthread_rwlock_t *restrict l, clockid_t clock, time_point restrict at) \
    {                                                                                                                  \
        return WAITING(PCOMP_WAITING_LOCK, l,                                                                          \
                       trace_on ? rwlock_lock(l, way(), &(struct deadline){clock, at})                                 \
                                : real_pthread_rwlock_clock##kind##lock(l, clock, at));                                \
    }

RWLOCK(rd, reading)
RWLOCK(wr, writing)

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    uint64_t object = trace_on ? rwlock_object(l) : 0;
    /* Glibc tells the two by the same word: while a reader holds the lock there is no writer. */
    if (object)
        trace_event(PCOMP_EVENT_LOCK_RELEASE,
                    object | (__atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED) == 0));
    return real_pthread_rwlock_unlock(l);
}
