/* Child processes: a fork is the creation of a thread, a wait its joining, under a token that both processes know.
 *
 *     parent   CREATE | JOIN_BEGIN JOIN_END
 *     child     START ...                     its end is that of its location
 *
 * Of a child that was not forked here (posix_spawn, vfork) or that records nothing, the JOIN_END has a token that no
 * process has: the replay keeps the wait as measured, and names it. */
#include "instrument/exported.h"
#include "instrument/process_tokens.h"
#include "instrument/real_functions.h"
#include "instrument/sync/shared_objects.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_process.h"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

REAL(pid_t, fork, (void), ());
REAL(pid_t, wait, (int *status), (status));
REAL(pid_t, waitpid, (pid_t child, int *status, int options), (child, status, options));
REAL(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage));
REAL(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage), (child, status, options, usage));
REAL(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options));

#define UNKNOWN_CHILD (PCOMP_EVENT_SHARED | (uint64_t)1 << 54)

/* The last forked child of each slot. A fork may happen in a signal handler, so nothing is allocated. */
enum { CHILDREN = 4096 };
static struct {
    uint64_t token;
    pid_t child;
} children[CHILDREN];

static void child_put(pid_t child, uint64_t token)
{
    uint32_t slot = (uint32_t)child % CHILDREN;
    __atomic_store_n(&children[slot].child, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&children[slot].token, token, __ATOMIC_RELEASE);
    __atomic_store_n(&children[slot].child, child, __ATOMIC_RELEASE);
}

static uint64_t child_token(pid_t child)
{
    uint32_t slot = (uint32_t)child % CHILDREN;
    uint64_t token = __atomic_load_n(&children[slot].token, __ATOMIC_ACQUIRE);
    bool known = child > 0 && __atomic_load_n(&children[slot].child, __ATOMIC_ACQUIRE) == child;
    return known ? token : UNKNOWN_CHILD | (child > 0 ? (uint32_t)child : 0);
}

static pid_t forked; /* this process, if it was */

bool process_is_forked(void)
{
    return forked && forked == getpid();
}

EXPORT pid_t fork(void)
{
    uint64_t token = 0;
    if (trace_on && !trace_is_muted())
        token = shared_object_new();
    if (token && !trace_event(PCOMP_EVENT_CREATE, token))
        token = 0;
    pid_t child = real_fork();
    if (token && child == 0) {
        forked = getpid();
        trace_child_begins(token);
    } else if (token && child > 0)
        child_put(child, token);
    return child;
}

/* Before a wait that can block; a wait that cannot is recorded when it has succeeded. */
static void wait_begins(pid_t child, int options)
{
    if (trace_on && !(options & WNOHANG))
        trace_event(PCOMP_EVENT_JOIN_BEGIN, child_token(child));
}

static pid_t wait_ends(pid_t child, int options)
{
    if (!trace_on || child <= 0)
        return child;
    if (options & WNOHANG)
        trace_event(PCOMP_EVENT_JOIN_BEGIN, child_token(child));
    trace_event(PCOMP_EVENT_JOIN_END, child_token(child));
    return child;
}

EXPORT pid_t wait(int *status)
{
    wait_begins(0, 0);
    return wait_ends(WAITING(PCOMP_WAITING_JOIN, NULL, real_wait(status)), 0);
}

EXPORT pid_t waitpid(pid_t child, int *status, int options)
{
    wait_begins(child, options);
    return wait_ends(WAITING(PCOMP_WAITING_JOIN, NULL, real_waitpid(child, status, options)), options);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    wait_begins(0, options);
    return wait_ends(WAITING(PCOMP_WAITING_JOIN, NULL, real_wait3(status, options, usage)), options);
}

EXPORT pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    wait_begins(child, options);
    return wait_ends(WAITING(PCOMP_WAITING_JOIN, NULL, real_wait4(child, status, options, usage)), options);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    wait_begins(type == P_PID ? (pid_t)id : 0, options);
    int failed = WAITING(PCOMP_WAITING_JOIN, NULL, real_waitid(type, id, info, options));
    if (!failed && info)
        wait_ends(info->si_pid, options);
    return failed;
}

static void (*real_exits[2])(int); /* _exit, _Exit */
static const char *const exit_names[] = {"_exit", "_Exit"};

/* Looked up at the start: it may be called in signal handlers and in the child of a fork. */
static __attribute__((constructor(101))) void prepare_exits(void)
{
    for (int i = 0; i < 2; i++)
        *(void **)&real_exits[i] = real_function_or_null(exit_names[i], NULL);
}

static __attribute__((noreturn)) void leave(int which, int status)
{
    if (trace_on)
        trace_process_leaves();
    if (!real_exits[which])
        *(void **)&real_exits[which] = real_function(exit_names[which], NULL);
    real_exits[which](status);
    __builtin_unreachable();
}

EXPORT void _exit(int status)
{
    leave(0, status);
}

EXPORT void _Exit(int status)
{
    leave(1, status);
}
