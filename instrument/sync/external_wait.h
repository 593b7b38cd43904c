/* A call that waits for what no record tells: its time is kept as measured, and named (PCOMP_EVENT_EXTERNAL_BEGIN).
 * Signal handlers record as ever meanwhile. Keeps errno; may be used in signal handlers, and be cancelled. */
#ifndef PCOMP_EXTERNAL_WAIT_H
#define PCOMP_EXTERNAL_WAIT_H

#include "profiler/trace/trace.h"

/* False: nothing is recorded; external_wait_end() gets it back. */
static inline bool external_wait_begin(enum pcomp_external what)
{
    return trace_on && trace_event(PCOMP_EVENT_EXTERNAL_BEGIN, what);
}

static inline void external_wait_end(bool begun, enum pcomp_external what)
{
    if (begun)
        trace_event(PCOMP_EVENT_EXTERNAL_END, what);
}

/* The same for a call of a library whose own synchronisation is not the program's. */
static inline bool external_library_begin(enum pcomp_external what)
{
    bool begun = external_wait_begin(what);
    if (begun)
        trace_mute();
    return begun;
}

static inline void external_library_end(bool begun, enum pcomp_external what)
{
    if (begun)
        trace_unmute();
    external_wait_end(begun, what);
}

/* The value of a call. */
#define EXTERNAL_WAIT(what, call)                                                                                      \
    __extension__({                                                                                                    \
        bool external_begun = external_wait_begin(what);                                                               \
        __typeof__(call) external_result = (call);                                                                     \
        external_wait_end(external_begun, what);                                                                       \
        external_result;                                                                                               \
    })

#define EXTERNAL_LIBRARY(what, call)                                                                                   \
    __extension__({                                                                                                    \
        bool external_begun = external_library_begin(what);                                                            \
        __typeof__(call) external_result = (call);                                                                     \
        external_library_end(external_begun, what);                                                                    \
        external_result;                                                                                               \
    })

#endif
