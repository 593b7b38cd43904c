/* A collective operation of one process: its enter and its exit. Only when mpi_traced. */
#ifndef PCOMP_MPI_COLLECTIVE_H
#define PCOMP_MPI_COLLECTIVE_H

#include "compensation/trace_event/event.h"
#include "instrument/mpi/mpi_comm.h"
#include "instrument/mpi/mpi_outside.h"

struct collective {
    uint64_t bytes, a, b; /* of the events */
    bool recorded;
};

/* To be called in front of an operation in which all processes of MPI_COMM_WORLD wait for all; NULL: nobody asks. */
extern void (*mpi_before_synchronising)(void);

/* About to take part in it. `known` NULL: nothing is recorded. `root` is a rank of the communicator, 0 where there is
 * none. */
struct collective collective_enter(const struct mpi_comm *known, enum pcomp_operation operation, int root,
                                   uint64_t bytes);

/* It has returned `result`, which is passed on. */
int collective_exit(const struct collective *collective, int result);

/* The body of a wrapper whose call is written as PMPI_NAME with the wrapper's arguments; `bytes` may use known and
 * rank. */
#define COLLECTIVE(operation, root, bytes, call)                                                                       \
    do {                                                                                                               \
        const struct mpi_comm *known;                                                                                  \
        if (!mpi_traced)                                                                                               \
            return WAITS(PCOMP_WAITING_COLLECTIVE, 0, call);                                                           \
        if (!(known = comm_find(comm))) /* between groups, or with processes of another job */                         \
            return OUTSIDE(PCOMP_EXTERNAL_COLLECTIVE, call);                                                           \
        struct collective collective = collective_enter(known, operation, root, bytes);                                \
        return collective_exit(&collective, MUTED(call));                                                              \
    } while (0)

#endif
