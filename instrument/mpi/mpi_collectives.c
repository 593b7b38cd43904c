/* The blocking collectives that have counts. Only arguments that count in the calling process are looked at: the
 * root's, and not those beside MPI_IN_PLACE. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_collective.h"
#include "instrument/mpi/mpi_counts.h"
#include "instrument/mpi/mpi_message.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t bytes_of_all(const struct mpi_comm *known, count_t count, MPI_Datatype type)
{
    return (uint64_t)known->size * message_bytes(count, type);
}

/* Of blocks of different length. */
static uint64_t bytes_of_blocks(const struct mpi_comm *known, const count_t *counts, MPI_Datatype type)
{
    MPI_Count sum = 0;
    for (int i = 0; i < known->size; i++)
        sum += counts[i];
    return message_bytes(sum, type);
}

static uint64_t bytes_of_types(const struct mpi_comm *known, const count_t *counts, const MPI_Datatype *types)
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

EXPORT int WRAPPED(Bcast)(void *buffer, count_t count, MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_BCAST, root, message_bytes(count, type), REAL(Bcast)(buffer, count, type, root, comm));
}

EXPORT int WRAPPED(Reduce)(const void *send, void *receive, count_t count, MPI_Datatype type, MPI_Op op, int root,
                           MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_REDUCE, root, message_bytes(count, type),
               REAL(Reduce)(send, receive, count, type, op, root, comm));
}

#define REDUCTION(name, operation)                                                                                     \
    EXPORT int WRAPPED(name)(const void *send, void *receive, count_t count, MPI_Datatype type, MPI_Op op,             \
                             MPI_Comm comm)                                                                            \
    {                                                                                                                  \
        COLLECTIVE(operation, 0, message_bytes(count, type), REAL(name)(send, receive, count, type, op, comm));        \
    }

REDUCTION(Allreduce, PCOMP_OPERATION_ALLREDUCE)
REDUCTION(Scan, PCOMP_OPERATION_SCAN)
REDUCTION(Exscan, PCOMP_OPERATION_EXSCAN)

EXPORT int WRAPPED(Gather)(const void *send, count_t send_count, MPI_Datatype send_type, void *receive, count_t count,
                           MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_GATHER, root,
               is_root(comm, root) ? bytes_of_all(known, count, type) : message_bytes(send_count, send_type),
               REAL(Gather)(send, send_count, send_type, receive, count, type, root, comm));
}

EXPORT int WRAPPED(Gatherv)(const void *send, count_t send_count, MPI_Datatype send_type, void *receive,
                            const count_t counts[], const place_t places[], MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_GATHER, root,
               is_root(comm, root) ? bytes_of_blocks(known, counts, type) : message_bytes(send_count, send_type),
               REAL(Gatherv)(send, send_count, send_type, receive, counts, places, type, root, comm));
}

EXPORT int WRAPPED(Scatter)(const void *send, count_t send_count, MPI_Datatype send_type, void *receive, count_t count,
                            MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_SCATTER, root,
               is_root(comm, root) ? bytes_of_all(known, send_count, send_type) : message_bytes(count, type),
               REAL(Scatter)(send, send_count, send_type, receive, count, type, root, comm));
}

EXPORT int WRAPPED(Scatterv)(const void *send, const count_t counts[], const place_t places[], MPI_Datatype send_type,
                             void *receive, count_t count, MPI_Datatype type, int root, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_SCATTER, root,
               is_root(comm, root) ? bytes_of_blocks(known, counts, send_type) : message_bytes(count, type),
               REAL(Scatterv)(send, counts, places, send_type, receive, count, type, root, comm));
}

EXPORT int WRAPPED(Allgather)(const void *send, count_t send_count, MPI_Datatype send_type, void *receive,
                              count_t count, MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLGATHER, 0, bytes_of_all(known, count, type),
               REAL(Allgather)(send, send_count, send_type, receive, count, type, comm));
}

EXPORT int WRAPPED(Allgatherv)(const void *send, count_t send_count, MPI_Datatype send_type, void *receive,
                               const count_t counts[], const place_t places[], MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLGATHER, 0, bytes_of_blocks(known, counts, type),
               REAL(Allgatherv)(send, send_count, send_type, receive, counts, places, type, comm));
}

EXPORT int WRAPPED(Alltoall)(const void *send, count_t send_count, MPI_Datatype send_type, void *receive, count_t count,
                             MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLTOALL, 0, bytes_of_all(known, count, type),
               REAL(Alltoall)(send, send_count, send_type, receive, count, type, comm));
}

EXPORT int WRAPPED(Alltoallv)(const void *send, const count_t send_counts[], const place_t send_places[],
                              MPI_Datatype send_type, void *receive, const count_t counts[], const place_t places[],
                              MPI_Datatype type, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLTOALL, 0,
               larger(send == MPI_IN_PLACE ? 0 : bytes_of_blocks(known, send_counts, send_type),
                      bytes_of_blocks(known, counts, type)),
               REAL(Alltoallv)(send, send_counts, send_places, send_type, receive, counts, places, type, comm));
}

EXPORT int WRAPPED(Alltoallw)(const void *send, const count_t send_counts[], const place_t send_places[],
                              const MPI_Datatype send_types[], void *receive, const count_t counts[],
                              const place_t places[], const MPI_Datatype types[], MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_ALLTOALL, 0,
               larger(send == MPI_IN_PLACE ? 0 : bytes_of_types(known, send_counts, send_types),
                      bytes_of_types(known, counts, types)),
               REAL(Alltoallw)(send, send_counts, send_places, send_types, receive, counts, places, types, comm));
}

EXPORT int WRAPPED(Reduce_scatter)(const void *send, void *receive, const count_t counts[], MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_REDUCE_SCATTER, 0, bytes_of_blocks(known, counts, type),
               REAL(Reduce_scatter)(send, receive, counts, type, op, comm));
}

EXPORT int WRAPPED(Reduce_scatter_block)(const void *send, void *receive, count_t count, MPI_Datatype type, MPI_Op op,
                                         MPI_Comm comm)
{
    COLLECTIVE(PCOMP_OPERATION_REDUCE_SCATTER, 0, bytes_of_all(known, count, type),
               REAL(Reduce_scatter_block)(send, receive, count, type, op, comm));
}
