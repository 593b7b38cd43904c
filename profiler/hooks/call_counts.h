/* Calls that are counted where no slot does so: of hooks that no slot has counted, of regions, and in threads that are
 * not measured. Any thread; errno is kept. */
#ifndef PCOMP_CALL_COUNTS_H
#define PCOMP_CALL_COUNTS_H

#include "profiler/base/clock.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/spin.h"
#include "profiler/base/thread_state.h"
#include "profiler/code/functions.h"
#include "profiler/trace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Signals are blocked from mask to unmask. */
struct masked {
    struct thread_state *h;
    uint64_t begin; /* tick */
    sigset_t saved;
    bool blocks; /* they were not blocked, as they are on the thread's own stack */
    int kept;
};

static inline void mask(struct masked *m)
{
    struct slow_start start = slow_start_read(current_thread);
    uint64_t entered = own_stack_entered();
    m->kept = errno;
    m->blocks = !entered;
    if (m->blocks)
        signals_block(&m->saved);
    trace_mute(); /* the library's own calls are no events, whatever stands in front of mmap */
    sanitizer_ignores();
    m->h = current_thread;
    m->begin = entered ? entered : slow_start_tick(&start, m->h);
    m->h->masked = m->h->self == m->h; /* slow hooks that follow need not do it again */
}

static inline void unmask(struct masked *m)
{
    m->h->masked = false;
    trace_unmute();
    sanitizer_watches();
    if (m->blocks)
        signals_restore(&m->saved);
    errno = m->kept;
}

/* Counts one call. Signals blocked, unless there is a counter already. */
void count_one(uint32_t id);

/* Whether the function is measured, and where calls are counted, whether it is timed. */
bool function_is_timed(struct function_info info);

/* A call whose hook was reached without a slot, where calls are counted; and the beginning of a region (by its name).
 * False: the function is not timed. */
bool count_hook(uint64_t function);
bool count_region(const char *name);

/* A call of a function, or the beginning of a region, in a thread that is not measured any more, or that there was no
 * memory for (thread_is_closed): it is counted in place where calls are, unless its slot has done so, and is lost
 * elsewhere. */
void count_unmeasured(uint64_t function, const char *region, bool counted);

#endif
