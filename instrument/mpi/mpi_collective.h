/* A collective operation of one process: its enter and its exit. Only when mpi_traced. */
#ifndef PCOMP_MPI_COLLECTIVE_H
#define PCOMP_MPI_COLLECTIVE_H

#include "compensation/trace_event/event.h"
#include "instrument/mpi/mpi_comm.h"

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

#endif
