/* Threads: their creators (a call path in profiles, an event in traces), and joins. Also threads of C11, which glibc
 * creates without calling pthread_create. */
#include "instrument/address_table.h"
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/lone_locks.h"
#include "profiler/base/counts.h"
#include "profiler/base/private_memory.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/spin.h"
#include "profiler/base/waiting.h"
#include "profiler/process/threads.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_process.h"

#include <pthread.h>
#include <threads.h>
#include <time.h>

typedef void *thread_function(void *);
typedef const struct timespec *time_point;

REAL(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, thread_function *function, void *argument),
     (t, a, function, argument));
REAL(int, pthread_join, (pthread_t t, void **result), (t, result));
REAL(int, pthread_tryjoin_np, (pthread_t t, void **result), (t, result));
REAL(int, pthread_timedjoin_np, (pthread_t t, void **result, time_point at), (t, result, at));
REAL(int, pthread_clockjoin_np, (pthread_t t, void **result, clockid_t clock, time_point at), (t, result, clock, at));
REAL(int, thrd_create, (thrd_t * t, thrd_start_t function, void *argument), (t, function, argument));
REAL(int, thrd_join, (thrd_t t, int *result), (t, result));

/* What a thread is to do, and what it must know of its creator. */
struct start {
    thread_function *function;
    thrd_start_t c11_function;
    void *argument;
    uint64_t creator; /* node of the call path; 0: none */
    uint64_t token;   /* in the trace; 0: none */
    bool muted;       /* a thread of a library, whose events are nobody's */
    struct start *next;
};

/* Not from malloc, which may be an instrumented function of the program. */
static struct start *unused_starts;
static struct spin starts_lock;

/* Tokens by thread handle. A handle is known to others through the creator or through the thread itself, so both put
 * the token there; tokens grow, so a creator that comes late does not undo what a later thread of that handle put. */
static struct address_table tokens;

#ifndef __SANITIZE_THREAD__
static struct start *start_new(void)
{
    struct start *start = NULL;
    if (spin_try(&starts_lock)) {
        start = unused_starts;
        if (start)
            unused_starts = start->next;
        spin_unlock(&starts_lock);
    }
    return start ? start : private_memory(sizeof(*start));
}
#endif

static void start_free(struct start *start)
{
    if (!spin_try(&starts_lock))
        return; /* a cache line is lost */
    start->next = unused_starts;
    unused_starts = start;
    spin_unlock(&starts_lock);
}

/* The start of a thread about to be created; NULL: it needs none. */
static struct start *start_publish(const struct start *what)
{
#ifdef __SANITIZE_THREAD__
    (void)what; /* its own wrapper has not prepared the thread when ours would run in it */
    return NULL;
#else
    if (trace_on)
        lone_locks_end();
    uint64_t creator = thread_active_node();
    struct start *start = creator || trace_on || counts_on ? start_new() : NULL;
    if (!start)
        return NULL;
    *start = *what;
    start->creator = creator;
    start->muted = trace_on && trace_is_muted();
    start->token = trace_on && !start->muted ? trace_token() : 0;
    if (start->token && !trace_event(PCOMP_EVENT_CREATE, start->token))
        start->token = 0; /* a START would wait for it in vain */
    return start;
#endif
}

static void start_register(pthread_t thread, uint64_t token)
{
    if (token)
        address_table_raise(&tokens, (const void *)thread, token);
}

static void begin_counting(void)
{
    sigset_t saved;
    signals_block(&saved);
    trace_mute(); /* a library that stands in front of mmap takes locks in it: that would begin to measure the thread */
    counts_begin_thread();
    trace_unmute();
    signals_restore(&saved);
}

/* In the new thread. */
static struct start start_take(void *argument)
{
    struct start start = *(struct start *)argument;
    start_free(argument);
    sanitizer_is_late = true;
    uintptr_t function = start.function ? (uintptr_t)start.function : (uintptr_t)start.c11_function;
    thread_set_creator(start.creator, sanitizer_runs_threads() ? 0 : function);
    thread_expect_end();
    if (counts_on)
        begin_counting();
    start_register(pthread_self(), start.token);
    if (start.muted)
        trace_mute();
    if (start.token)
        trace_thread_begins(start.token);
    sanitizer_is_late = false;
    return start;
}

static void *run_thread(void *argument)
{
    struct start start = start_take(argument);
    return start.function(start.argument);
}

static int run_c11_thread(void *argument)
{
    struct start start = start_take(argument);
    return start.c11_function(start.argument);
}

EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                          thread_function *function, void *restrict argument)
{
    struct start *start = start_publish(&(struct start){.function = function, .argument = argument});
    if (!start)
        return real_pthread_create(thread, attributes, function, argument);
    uint64_t token = start->token; /* the thread gives the start back */
    int failed = real_pthread_create(thread, attributes, run_thread, start);
    if (failed)
        start_free(start);
    else
        start_register(*thread, token);
    return failed;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct start *start = start_publish(&(struct start){.c11_function = function, .argument = argument});
    if (!start)
        return real_thrd_create(thread, function, argument);
    uint64_t token = start->token;
    int failed = real_thrd_create(thread, run_c11_thread, start);
    if (failed != thrd_success)
        start_free(start);
    else
        start_register(*thread, token);
    return failed;
}

/* --- joining --------------------------------------------------------------------------------------------------------
 */

/* 0: nothing is recorded of this join. */
static uint64_t join_begin(pthread_t thread)
{
    uint64_t token = trace_on ? address_table_get(&tokens, (const void *)thread) : 0;
    if (token)
        trace_event(PCOMP_EVENT_JOIN_BEGIN, token);
    return token;
}

static int join_end(uint64_t token, int failed)
{
    if (token && !failed)
        trace_event(PCOMP_EVENT_JOIN_END, token);
    return failed;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    uint64_t token = join_begin(thread);
    return WAITING(PCOMP_WAITING_JOIN, NULL,
                   token ? join_end(token, real_pthread_join(thread, result)) : real_pthread_join(thread, result));
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
    uint64_t token = join_begin(thread);
    return WAITING(PCOMP_WAITING_JOIN, NULL,
                   token ? join_end(token, real_thrd_join(thread, result)) : real_thrd_join(thread, result));
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, time_point at)
{
    uint64_t token = join_begin(thread);
    return WAITING(PCOMP_WAITING_JOIN, NULL, join_end(token, real_pthread_timedjoin_np(thread, result, at)));
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, time_point at)
{
    uint64_t token = join_begin(thread);
    return WAITING(PCOMP_WAITING_JOIN, NULL, join_end(token, real_pthread_clockjoin_np(thread, result, clock, at)));
}

/* May be called again and again: recorded when it succeeds. */
EXPORT int pthread_tryjoin_np(pthread_t thread, void **result)
{
    uint64_t token = trace_on ? address_table_get(&tokens, (const void *)thread) : 0;
    int failed = real_pthread_tryjoin_np(thread, result);
    if (token && !failed)
        trace_event(PCOMP_EVENT_JOIN_BEGIN, token);
    return join_end(token, failed);
}
