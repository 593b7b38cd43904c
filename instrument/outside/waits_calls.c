/* Calls of libc that wait for what no record tells: sleeping, polling, signals, locks of files, connections. */
#include "instrument/outside/waits_outside.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* --- Sleeping -------------------------------------------------------------------------------------------------------
 */

#define SPIN_SHARE 8u /* of the sleep before: what a thread does between two of them, where it waits for something */

static __thread struct { /* the sleep before: ticks */
    uint64_t end, length;
} slept __attribute__((tls_model("initial-exec")));

/* A sleep lasts as long as it was asked to. One right behind another looks at something in between: how often it sleeps
 * depends on others. *begin: for sleep_ends(). */
static enum pcomp_external sleep_begins(uint64_t *begin)
{
    *begin = trace_on ? clock_read(config.clock) : 0;
    return *begin && *begin - slept.end < slept.length / SPIN_SHARE ? PCOMP_EXTERNAL_POLL : PCOMP_EXTERNAL_SLEEP;
}

static void sleep_ends(uint64_t begin)
{
    if (!begin)
        return;
    slept.end = clock_read(config.clock);
    slept.length = slept.end - begin;
}

#define SLEEP(result, name, types, own)                                                                                \
    REAL(result, name, types, own);                                                                                    \
    EXPORT result name types                                                                                           \
    {                                                                                                                  \
        uint64_t begin;                                                                                                \
        if (CALLED_BY_US())                                                                                            \
            return real_##name own;                                                                                    \
        enum pcomp_external what = sleep_begins(&begin);                                                               \
        result slept_result = EXTERNAL_WAIT(what, real_##name own);                                                    \
        sleep_ends(begin);                                                                                             \
        return slept_result;                                                                                           \
    }

SLEEP(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
SLEEP(int, usleep, (useconds_t time), (time))
SLEEP(unsigned, sleep, (unsigned seconds), (seconds))

REAL(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
     (clock, flags, time, left));

/* Until a point in time, a sleep is shorter where the program comes to it later. */
EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    uint64_t begin;
    if (CALLED_BY_US())
        return real_clock_nanosleep(clock, flags, time, left);
    enum pcomp_external what = sleep_begins(&begin);
    what = flags & TIMER_ABSTIME ? PCOMP_EXTERNAL_POLL : what;
    int result = EXTERNAL_WAIT(what, real_clock_nanosleep(clock, flags, time, left));
    sleep_ends(begin);
    return result;
}

/* --- Other waits -----------------------------------------------------------------------------------------------------
 */

OUTSIDE(PCOMP_EXTERNAL_POLL, int, poll, (struct pollfd * files, nfds_t count, int timeout), (files, count, timeout))
OUTSIDE(PCOMP_EXTERNAL_POLL, int, ppoll,
        (struct pollfd * files, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
        (files, count, timeout, mask))
OUTSIDE(PCOMP_EXTERNAL_POLL, int, select,
        (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
         struct timeval *restrict timeout),
        (count, reads, writes, others, timeout))
OUTSIDE(PCOMP_EXTERNAL_POLL, int, pselect,
        (int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
         const struct timespec *restrict timeout, const sigset_t *restrict mask),
        (count, reads, writes, others, timeout, mask))
OUTSIDE(PCOMP_EXTERNAL_POLL, int, epoll_wait, (int fd, struct epoll_event *events, int count, int timeout),
        (fd, events, count, timeout))
OUTSIDE(PCOMP_EXTERNAL_POLL, int, epoll_pwait,
        (int fd, struct epoll_event *events, int count, int timeout, const sigset_t *mask),
        (fd, events, count, timeout, mask))

OUTSIDE(PCOMP_EXTERNAL_SIGNAL, int, pause, (void), ())
OUTSIDE(PCOMP_EXTERNAL_SIGNAL, int, sigsuspend, (const sigset_t *mask), (mask))
OUTSIDE(PCOMP_EXTERNAL_SIGNAL, int, sigwait, (const sigset_t *restrict set, int *restrict number), (set, number))
OUTSIDE(PCOMP_EXTERNAL_SIGNAL, int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info))
OUTSIDE(PCOMP_EXTERNAL_SIGNAL, int, sigtimedwait,
        (const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict timeout),
        (set, info, timeout))

OUTSIDE(PCOMP_EXTERNAL_FILE_LOCK, int, flock, (int fd, int operation), (fd, operation))
OUTSIDE(PCOMP_EXTERNAL_FILE_LOCK, int, lockf, (int fd, int operation, off_t size), (fd, operation, size))
