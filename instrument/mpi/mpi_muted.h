/* Calls of the MPI. */
#ifndef PCOMP_MPI_MUTED_H
#define PCOMP_MPI_MUTED_H

#include "instrument/trace_api.h"
#include "profiler/format/profile_format.h"

#include <mpi.h>

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

/* What a thread waits for in a message of `peer` (struct pcomp_thread). */
static inline uint64_t waiting_peer(int peer, MPI_Comm comm)
{
    return comm != MPI_COMM_WORLD || peer == MPI_PROC_NULL ? 0
           : peer == MPI_ANY_SOURCE                        ? PCOMP_WAITING_ANY
                                                           : (uint64_t)peer + 1;
}

/* The value of a call of which no trace is recorded: that it waits is told all the same. */
#define WAITS(kind, object, call)                                                                                      \
    __extension__({                                                                                                    \
        void *waits_begun = pcomp_trace_wait_begin(kind, object, __builtin_return_address(0));                         \
        int waits_result = (call);                                                                                     \
        pcomp_trace_wait_end(waits_begun);                                                                             \
        waits_result;                                                                                                  \
    })

#endif
