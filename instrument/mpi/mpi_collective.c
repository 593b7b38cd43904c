#include "instrument/mpi/mpi_collective.h"

#include "instrument/exported.h"
#include "instrument/trace_api.h"

void (*mpi_before_synchronising)(void);

static enum pcomp_collective collective_kind(enum pcomp_operation operation)
{
    switch (operation) {
    case PCOMP_OPERATION_BARRIER:
        return PCOMP_COLLECTIVE_BARRIER;
    case PCOMP_OPERATION_BCAST:
    case PCOMP_OPERATION_SCATTER:
        return PCOMP_COLLECTIVE_1_TO_N;
    case PCOMP_OPERATION_REDUCE:
    case PCOMP_OPERATION_GATHER:
        return PCOMP_COLLECTIVE_N_TO_1;
    case PCOMP_OPERATION_SCAN:
    case PCOMP_OPERATION_EXSCAN:
        return PCOMP_COLLECTIVE_PREFIX;
    default:
        return PCOMP_COLLECTIVE_N_TO_N;
    }
}

struct collective collective_enter(const struct mpi_comm *known, enum pcomp_operation operation, int root,
                                   uint64_t bytes)
{
    struct collective collective = {.bytes = bytes & PCOMP_EVENT_VALUE};
    enum pcomp_collective kind = collective_kind(operation);
    if (!known || root < 0 || root >= known->size)
        return collective;
    bool rooted = kind == PCOMP_COLLECTIVE_1_TO_N || kind == PCOMP_COLLECTIVE_N_TO_1;
    collective.a = (uint64_t)known->number << 32 | (rooted ? (uint32_t)known->world[root] : 0);
    collective.b = (uint64_t)known->size << 16 | (uint64_t)operation << 8 | kind;
    collective.recorded = true;
    if (mpi_before_synchronising && known->number == 0 &&
        (kind == PCOMP_COLLECTIVE_BARRIER || kind == PCOMP_COLLECTIVE_N_TO_N))
        mpi_before_synchronising();
    pcomp_trace_event_long(PCOMP_EVENT_COLLECTIVE_ENTER, collective.bytes, collective.a, collective.b);
    return collective;
}

int collective_exit(const struct collective *collective, int result)
{
    if (collective->recorded)
        pcomp_trace_event_long(PCOMP_EVENT_COLLECTIVE_EXIT, collective->bytes, collective->a, collective->b);
    return result;
}

EXPORT int MPI_Barrier(MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_BARRIER, 0, 0, PMPI_Barrier(comm));
}
