/* A call that waits for what no record tells: its time is kept as measured, and named (PCOMP_EVENT_EXTERNAL_BEGIN).
 * Inside it nothing else is recorded but the program's functions. */
#ifndef PCOMP_EXTERNAL_WAIT_H
#define PCOMP_EXTERNAL_WAIT_H

#include "profiler/trace.h"

/* False: nothing is recorded; external_wait_end() gets it back. */
static inline bool external_wait_begin(enum pcomp_external what)
{
    if (!trace_on || !trace_event(PCOMP_EVENT_EXTERNAL_BEGIN, what))
        return false;
    trace_mute();
    return true;
}

static inline void external_wait_end(bool begun, enum pcomp_external what)
{
    if (!begun)
        return;
    trace_unmute();
    trace_event(PCOMP_EVENT_EXTERNAL_END, what);
}

/* The value of a call. */
#define EXTERNAL_WAIT(what, call)                                                                                      \
    __extension__({                                                                                                    \
        bool external_begun = external_wait_begin(what);                                                               \
        __typeof__(call) external_result = (call);                                                                     \
        external_wait_end(external_begun, what);                                                                       \
        external_result;                                                                                               \
    })

#endif
