/* Calls of the MPI that no rule of the replay covers: kept as measured, and named. */
#ifndef PCOMP_MPI_OUTSIDE_H
#define PCOMP_MPI_OUTSIDE_H

#include "instrument/exported.h"
#include "instrument/mpi/mpi_comm.h"
#include "instrument/mpi/mpi_counts.h"
#include "instrument/mpi/mpi_muted.h"

/* The value of a call, which is recorded as a wait for what is not. Only when mpi_traced. */
#define OUTSIDE(what, call)                                                                                            \
    __extension__({                                                                                                    \
        pcomp_trace_event(PCOMP_EVENT_EXTERNAL_BEGIN, what);                                                           \
        int outside_result = MUTED(call);                                                                              \
        pcomp_trace_event(PCOMP_EVENT_EXTERNAL_END, what);                                                             \
        outside_result;                                                                                                \
    })

/* The wrapper of such a call; `types` and `own` are its parameters and arguments. */
#define UNCOVERED(what, name, types, own)                                                                              \
    EXPORT int WRAPPED(name) types                                                                                     \
    {                                                                                                                  \
        return mpi_traced ? OUTSIDE(what, REAL(name) own) : WAITS(PCOMP_WAITING_COLLECTIVE, 0, REAL(name) own);        \
    }

#endif
