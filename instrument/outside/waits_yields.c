/* sched_yield(): a thread that yields again and again waits for what another one does, by which no rule goes. One
 * external wait, which lasts as long as it does nothing between two of them that takes longer than the first. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/external_wait.h"
#include "instrument/sync/own_calls.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"

#include <sched.h>
#include <threads.h>

REAL(int, sched_yield, (void), ());

static __thread struct { /* the last one: ticks */
    uint64_t end, length;
} yielded __attribute__((tls_model("initial-exec")));

static int yield_again(void)
{
    if (!trace_external_goes_on(PCOMP_EXTERNAL_YIELD))
        return EXTERNAL_WAIT(PCOMP_EXTERNAL_YIELD, real_sched_yield());
    int result = real_sched_yield();
    trace_external_goes_on(PCOMP_EXTERNAL_YIELD);
    return result;
}

static int yield(void)
{
    uint64_t begin = clock_read(config.clock);
    int result = begin - yielded.end < yielded.length ? yield_again() : real_sched_yield();
    yielded.end = clock_read(config.clock);
    yielded.length = yielded.end - begin;
    return result;
}

EXPORT int sched_yield(void)
{
    return trace_on && !CALLED_BY_US() ? yield() : real_sched_yield();
}

EXPORT void thrd_yield(void)
{
    sched_yield();
}
