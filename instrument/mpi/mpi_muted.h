/* Calls of the MPI. */
#ifndef PCOMP_MPI_MUTED_H
#define PCOMP_MPI_MUTED_H

#include "instrument/trace_api.h"
#include "profiler/format/profile_format.h"

/* The value of a call inside which nothing is recorded but the program's own functions: its locks are not the
 * program's.
 */
#define MUTED(call)                                                                                                    \
    __extension__({                                                                                                    \
        pcomp_trace_mute();                                                                                            \
        int muted_result = (call);                                                                                     \
        pcomp_trace_unmute();                                                                                          \
        muted_result;                                                                                                  \
    })

/* The value of a call of which no trace is recorded: that it waits is told all the same. */
#define WAITS(kind, call)                                                                                              \
    __extension__({                                                                                                    \
        void *waits_begun = pcomp_trace_wait_begin(kind, __builtin_return_address(0));                                 \
        int waits_result = (call);                                                                                     \
        pcomp_trace_wait_end(waits_begun);                                                                             \
        waits_result;                                                                                                  \
    })

#endif
