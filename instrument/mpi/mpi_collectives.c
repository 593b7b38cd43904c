/* The blocking collectives. Only arguments that count in the calling process are looked at: the root's, and not those
 * beside MPI_IN_PLACE. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_collective.h"
#include "instrument/mpi/mpi_message.h"
#include "instrument/mpi/mpi_outside.h"

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

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t bytes_of_all(const struct mpi_comm *known, int count, MPI_Datatype type)
{
    return (uint64_t)known->size * message_bytes(count, type);
}

/* Of blocks of different length. */
static uint64_t bytes_of_blocks(const struct mpi_comm *known, const int *counts, MPI_Datatype type)
{
    MPI_Aint sum = 0;
    for (int i = 0; i < known->size; i++)
        sum += counts[i];
    return message_bytes(sum, type);
}

static uint64_t bytes_of_types(const struct mpi_comm *known, const int *counts, const MPI_Datatype *types)
{
    uint64_t sum = 0;
    for (int i = 0; i < known->size; i++)
        sum += message_bytes(counts[i], types[i]);
    return sum;
}

static bool is_root(MPI_Comm comm, int root)
{
    int rank = -1;
    MUTED(PMPI_Comm_rank(comm, &rank));
    return rank == root;
}

EXPORT int MPI_Barrier(MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_BARRIER, 0, 0, PMPI_Barrier(comm));
}

EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_BCAST, root, message_bytes(count, type), PMPI_Bcast(buffer, count, type, root, comm));
}

EXPORT int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_REDUCE, root, message_bytes(count, type),
               PMPI_Reduce(send, receive, count, type, op, root, comm));
}

#define REDUCTION(name, operation)                                                                                     \
    EXPORT int MPI_##name(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)     \
    {                                                                                                                  \
        COLLECTIVE(operation, 0, message_bytes(count, type), PMPI_##name(send, receive, count, type, op, comm));       \
    }

REDUCTION(Allreduce, PCOMP_OPERATION_ALLREDUCE)
REDUCTION(Scan, PCOMP_OPERATION_SCAN)
REDUCTION(Exscan, PCOMP_OPERATION_EXSCAN)

EXPORT int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
                      MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_GATHER, root,
               is_root(comm, root) ? bytes_of_all(known, count, type) : message_bytes(send_count, send_type),
               PMPI_Gather(send, send_count, send_type, receive, count, type, root, comm));
}

EXPORT int MPI_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int counts[],
                       const int places[], MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_GATHER, root,
               is_root(comm, root) ? bytes_of_blocks(known, counts, type) : message_bytes(send_count, send_type),
               PMPI_Gatherv(send, send_count, send_type, receive, counts, places, type, root, comm));
}

EXPORT int MPI_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
                       MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_SCATTER, root,
               is_root(comm, root) ? bytes_of_all(known, send_count, send_type) : message_bytes(count, type),
               PMPI_Scatter(send, send_count, send_type, receive, count, type, root, comm));
}

EXPORT int MPI_Scatterv(const void *send, const int counts[], const int places[], MPI_Datatype send_type, void *receive,
                        int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_SCATTER, root,
               is_root(comm, root) ? bytes_of_blocks(known, counts, send_type) : message_bytes(count, type),
               PMPI_Scatterv(send, counts, places, send_type, receive, count, type, root, comm));
}

EXPORT int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
                         MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLGATHER, 0, bytes_of_all(known, count, type),
               PMPI_Allgather(send, send_count, send_type, receive, count, type, comm));
}

EXPORT int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int counts[],
                          const int places[], MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLGATHER, 0, bytes_of_blocks(known, counts, type),
               PMPI_Allgatherv(send, send_count, send_type, receive, counts, places, type, comm));
}

EXPORT int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
                        MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLTOALL, 0, bytes_of_all(known, count, type),
               PMPI_Alltoall(send, send_count, send_type, receive, count, type, comm));
}

EXPORT int MPI_Alltoallv(const void *send, const int send_counts[], const int send_places[], MPI_Datatype send_type,
                         void *receive, const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLTOALL, 0,
               larger(send == MPI_IN_PLACE ? 0 : bytes_of_blocks(known, send_counts, send_type),
                      bytes_of_blocks(known, counts, type)),
               PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, comm));
}

EXPORT int MPI_Alltoallw(const void *send, const int send_counts[], const int send_places[],
                         const MPI_Datatype send_types[], void *receive, const int counts[], const int places[],
                         const MPI_Datatype types[], MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLTOALL, 0,
               larger(send == MPI_IN_PLACE ? 0 : bytes_of_types(known, send_counts, send_types),
                      bytes_of_types(known, counts, types)),
               PMPI_Alltoallw(send, send_counts, send_places, send_types, receive, counts, places, types, comm));
}

EXPORT int MPI_Reduce_scatter(const void *send, void *receive, const int counts[], MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_REDUCE_SCATTER, 0, bytes_of_blocks(known, counts, type),
               PMPI_Reduce_scatter(send, receive, counts, type, op, comm));
}

EXPORT int MPI_Reduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                                    MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_REDUCE_SCATTER, 0, bytes_of_all(known, count, type),
               PMPI_Reduce_scatter_block(send, receive, count, type, op, comm));
}
