/* Every collective operation, on every kind of communicator, results checked. Says how many there are for the trace to
 * show. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { RANKS_MAX = 16, BLOCK = 200 };

static int world_rank;
static long operations; /* of this rank */

#ifndef COUNT_T /* mpi_large.h */
#define COUNT_T int
#define PLACE_T int
#endif

static int send[RANKS_MAX * BLOCK], receive[RANKS_MAX * BLOCK];
static COUNT_T counts[RANKS_MAX], ones[RANKS_MAX];
static PLACE_T places[RANKS_MAX], byte_places[RANKS_MAX];
static MPI_Datatype types[RANKS_MAX];

static void check(int value, int wanted, const char *what)
{
    if (value == wanted)
        return;
    printf("rank %d: %s: %d instead of %d\n", world_rank, what, value, wanted);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void fill(int rank, int size)
{
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        places[i] = i * BLOCK;
        byte_places[i] = places[i] * (PLACE_T)sizeof(int);
        types[i] = MPI_INT;
        ones[i] = 1;
    }
    for (int i = 0; i < size * BLOCK; i++) {
        send[i] = 1000 * rank + i / BLOCK;
        receive[i] = -1;
    }
}

/* Operations in which the root has its data in place, and the arguments of the others do not count. */
static void in_place(MPI_Comm comm, int root)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    fill(rank, size);
    if (rank == root) {
        receive[root * BLOCK] = 7;
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, BLOCK, MPI_INT, root, comm);
        check(receive[(size - 1) * BLOCK], size - 1 == root ? 7 : 1000 * (size - 1), "gather in place");
        MPI_Gatherv(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, receive, counts, places, MPI_INT, root, comm);
        MPI_Scatter(send, BLOCK, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root, comm);
        MPI_Scatterv(send, counts, places, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, root, comm);
        MPI_Reduce(MPI_IN_PLACE, receive, 1, MPI_INT, MPI_MAX, root, comm);
    } else {
        MPI_Gather(send, BLOCK, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, root, comm);
        MPI_Gatherv(send, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, comm);
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, receive, BLOCK, MPI_INT, root, comm);
        check(receive[0], 1000 * root + rank, "scatter");
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, receive, rank + 1, MPI_INT, root, comm);
        check(receive[rank], 1000 * root + rank, "scatterv");
        MPI_Reduce(send, NULL, 1, MPI_INT, MPI_MAX, root, comm);
    }
    MPI_Allreduce(MPI_IN_PLACE, send, 1, MPI_INT, MPI_SUM, comm);
    check(send[0], 1000 * size * (size - 1) / 2, "allreduce in place");
    for (int i = 0; i < size; i++)
        receive[i] = rank;
    MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, receive, 1, MPI_INT, comm);
    check(receive[size - 1], size - 1, "allgather in place");
    MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, receive, 1, MPI_INT, comm);
    check(receive[size - 1], rank, "alltoall in place");
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, receive, ones, places, MPI_INT, comm);
    operations += 9;
}

static void all_operations(MPI_Comm comm, int root)
{
    int rank, size, one, sum;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    fill(rank, size);
    MPI_Barrier(comm);
    one = rank == root ? 4711 : 0;
    MPI_Bcast(&one, 1, MPI_INT, root, comm);
    check(one, 4711, "bcast");
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, comm);
    check(rank == root ? sum : 0, rank == root ? size * (size - 1) / 2 : 0, "reduce");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    check(sum, size * (size - 1) / 2, "allreduce");
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    check(sum, rank * (rank + 1) / 2, "scan");
    sum = 0;
    MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    check(sum, rank ? rank * (rank - 1) / 2 : 0, "exscan");
    MPI_Allgather(send, BLOCK, MPI_INT, receive, BLOCK, MPI_INT, comm);
    check(receive[(size - 1) * BLOCK], 1000 * (size - 1), "allgather");
    MPI_Allgatherv(send, rank + 1, MPI_INT, receive, counts, places, MPI_INT, comm);
    check(receive[(size - 1) * BLOCK], 1000 * (size - 1), "allgatherv");
    MPI_Alltoall(send, BLOCK, MPI_INT, receive, BLOCK, MPI_INT, comm);
    check(receive[(size - 1) * BLOCK], 1000 * (size - 1) + rank, "alltoall");
    COUNT_T same[RANKS_MAX];
    for (int i = 0; i < size; i++)
        same[i] = rank + i + 1;
    MPI_Alltoallv(send, same, places, MPI_INT, receive, same, places, MPI_INT, comm);
    check(receive[(size - 1) * BLOCK], 1000 * (size - 1) + rank, "alltoallv");
    MPI_Alltoallw(send, same, byte_places, types, receive, same, byte_places, types, comm);
    check(receive[(size - 1) * BLOCK], 1000 * (size - 1) + rank, "alltoallw");
    MPI_Reduce_scatter(send, receive, counts, MPI_INT, MPI_MAX, comm);
    MPI_Reduce_scatter_block(send, receive, BLOCK, MPI_INT, MPI_MAX, comm);
    check(receive[0], 1000 * (size - 1) + rank, "reduce_scatter_block");
    operations += 13;
    in_place(comm, root);
}

int main(int argc, char **argv)
{
    int size, provided, dimensions[1], periods[1] = {1};
    long all;
    MPI_Comm comm, part, again, grid;
    MPI_Group world, low;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all_operations(MPI_COMM_WORLD, size - 1);
    all_operations(MPI_COMM_SELF, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    operations++;
    all_operations(comm, 0);
    for (int i = 0; i < 3; i++) { /* halves, anew each time; one of them goes, the other stays */
        MPI_Comm_split(comm, world_rank % 2, 0, &part);
        operations++;
        all_operations(part, 0);
        MPI_Comm_split(part, world_rank == 0 ? MPI_UNDEFINED : 1, 0, &again);
        operations++;
        if (again != MPI_COMM_NULL)
            all_operations(again, 0);
        if (again != MPI_COMM_NULL && i)
            MPI_Comm_free(&again);
        MPI_Comm_free(&part);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    all_operations(part, 0);
    dimensions[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, periods, 0, &grid);
    operations += 2;
    all_operations(grid, size / 2);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, (int[1][3]){{0, size / 2 - 1, 1}}, &low);
    MPI_Comm_create(grid, low, &again);
    operations++;
    if (again != MPI_COMM_NULL)
        all_operations(again, 0);
    if (world_rank < size / 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, low, 3, &again);
        all_operations(again, 0);
    }
    operations++;
    MPI_Reduce(&operations, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("expect ranks %d\nexpect collectives %ld\nexpect sent 0\n", size, all);
    MPI_Finalize();
    return 0;
}
