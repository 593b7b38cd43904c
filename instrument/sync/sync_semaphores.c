/* POSIX semaphores. A P is recorded as the phases of 1991 §4.3.2 by testing first: a wait that did not have to wait is
 * told from one that did. Everything the program sees is as without us: results, errno, cancellation. */
#include "compensation/numeric/hash.h"
#include "instrument/address_table.h"
#include "instrument/exported.h"
#include "instrument/jumps.h"
#include "instrument/real_functions.h"
#include "instrument/sync/deadline.h"
#include "instrument/sync/external_wait.h"
#include "instrument/sync/shared_objects.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>

REAL(int, sem_init, (sem_t * s, int shared, unsigned value), (s, shared, value));
REAL(int, sem_post, (sem_t * s), (s));
REAL(int, sem_wait, (sem_t * s), (s));
REAL(int, sem_trywait, (sem_t * s), (s));
REAL(int, sem_timedwait, (sem_t * s, const struct timespec *at), (s, at));
REAL(int, sem_clockwait, (sem_t * s, clockid_t clock, const struct timespec *at), (s, clock, at));

static bool names_in_use; /* a semaphore was opened by name, or is shared: addresses must be looked up */
static struct address_table names;

/* As sem_init of glibc notes it behind the value. */
static bool is_shared(const sem_t *s)
{
    return ((const int *)(const void *)s)[2] != 0;
}

/* 0: other processes have it, and how they name it is not known here. */
static uint64_t object(const sem_t *s)
{
    uint64_t name = names_in_use ? address_table_get(&names, s) : 0;
    return name || is_shared(s) ? name : (uint64_t)(uintptr_t)s;
}

/* Processes that open the same name find the same object. */
static uint64_t hash(const char *name)
{
    while (*name == '/') /* libc takes any number of them for one */
        name++;
    return (pcomp_hash_text(PCOMP_HASH_START, name) & (PCOMP_EVENT_SHARED - 1)) | PCOMP_EVENT_SHARED;
}

EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
    int failed = real_sem_init(s, shared, value);
    if (failed)
        return failed;
    shared_object_put(&names, &names_in_use, s, shared); /* it may lie where one with a name lay */
    if (trace_on && object(s))
        trace_event_long(PCOMP_EVENT_SEM_INIT, object(s), value, 0);
    return 0;
}

static sem_t *real_sem_open(const char *name, int flags, mode_t mode, unsigned value)
{
    static sem_t *(*next)(const char *, int, ...);
    if (!next)
        *(void **)&next = real_function("sem_open", NULL);
    return next(name, flags, mode, value);
}

/* Whether the semaphore is new decides whether `value` is its value, so it is opened and created apart, as libc does.
 */
static sem_t *open_or_create(const char *name, int flags, mode_t mode, unsigned value, bool *created)
{
    for (;;) {
        *created = false;
        sem_t *s = flags & O_EXCL ? SEM_FAILED : real_sem_open(name, flags & ~O_CREAT, mode, value);
        if (s != SEM_FAILED || (!(flags & O_EXCL) && errno != ENOENT))
            return s;
        s = real_sem_open(name, flags | O_EXCL, mode, value);
        *created = s != SEM_FAILED;
        if (*created || flags & O_EXCL || errno != EEXIST)
            return s;
    }
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        value = va_arg(list, unsigned);
        va_end(list);
    }
    bool created = false;
    sem_t *s = trace_on && flags & O_CREAT ? open_or_create(name, flags, mode, value, &created)
                                           : real_sem_open(name, flags, mode, value);
    if (s == SEM_FAILED)
        return s;
    __atomic_store_n(&names_in_use, true, __ATOMIC_RELAXED);
    address_table_put(&names, s, hash(name));
    if (created)
        trace_event_long(PCOMP_EVENT_SEM_INIT, hash(name), value, 0);
    return s;
}

EXPORT int sem_post(sem_t *s)
{
    uint64_t o = trace_on ? object(s) : 0;
    if (o)
        trace_event(PCOMP_EVENT_SEM_V, o);
    return real_sem_post(s);
}

EXPORT int sem_trywait(sem_t *s)
{
    uint64_t o = trace_on ? object(s) : 0;
    if (!o)
        return real_sem_trywait(s);
    trace_event(PCOMP_EVENT_SEM_REQUEST, o);
    int failed = real_sem_trywait(s);
    if (!failed)
        trace_event(PCOMP_EVENT_SEM_PASSED, o);
    trace_event(failed ? PCOMP_EVENT_SEM_FAILED : PCOMP_EVENT_SEM_TAKEN, o);
    return failed;
}

static int wait_until(sem_t *s, const struct deadline *d)
{
    if (!d)
        return real_sem_wait(s);
    return d->clock == CLOCK_REALTIME ? real_sem_timedwait(s, d->at) : real_sem_clockwait(s, d->clock, d->at);
}

static void cancelled(void *o)
{
    trace_event(PCOMP_EVENT_SEM_FAILED, *(uint64_t *)o);
}

static int take(sem_t *s, const struct deadline *d)
{
    pthread_testcancel(); /* as libc does, before it takes one that is free */
    int saved = errno, failed;
    uint64_t o = object(s);
    if (!o)
        return EXTERNAL_WAIT(PCOMP_EXTERNAL_FUTEX, wait_until(s, d));
    trace_event(PCOMP_EVENT_SEM_REQUEST, o);
    if (real_sem_trywait(s) == 0) {
        trace_event(PCOMP_EVENT_SEM_PASSED, o);
        trace_event(PCOMP_EVENT_SEM_TAKEN, o);
        return 0;
    }
    errno = saved;
    trace_event(PCOMP_EVENT_SEM_WAIT, o);
    jumps_unmarked = true;
    pthread_cleanup_push(cancelled, &o);
    jumps_unmarked = false;
    failed = wait_until(s, d);
    pthread_cleanup_pop(0);
    trace_event(failed ? PCOMP_EVENT_SEM_FAILED : PCOMP_EVENT_SEM_TAKEN, o);
    return failed;
}

EXPORT int sem_wait(sem_t *s)
{
    return WAITING(PCOMP_WAITING_SEMAPHORE, s, trace_on ? take(s, NULL) : real_sem_wait(s));
}

EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict at)
{
    struct deadline d = {CLOCK_REALTIME, at};
    return WAITING(PCOMP_WAITING_SEMAPHORE, s,
                   trace_on && deadline_is_valid(&d) ? take(s, &d) : real_sem_timedwait(s, at));
}

EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock, const struct timespec *restrict at)
{
    struct deadline d = {clock, at};
    return WAITING(PCOMP_WAITING_SEMAPHORE, s,
                   trace_on && deadline_is_valid(&d) ? take(s, &d) : real_sem_clockwait(s, clock, at));
}
