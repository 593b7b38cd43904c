/* What no rule of the replay covers is recorded as external waits: nonblocking and neighbourhood collectives, one-sided
 * communication, communicators between groups, and tests in a row. Any even number of ranks. */
#include <mpi.h>

#include <stdio.h>

enum { ROUNDS = 5 };

static int rank, size;

static void nonblocking(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        int one = 1, sum = 0;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (sum != size)
            printf("wrong sum\n");
    }
}

static void one_sided(void)
{
    int cell = 0, value = rank;
    MPI_Win win;
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (cell != (rank + size - 1) % size)
        printf("wrong cell\n");
    MPI_Win_free(&win);
}

static void between_groups(void)
{
    MPI_Comm half, both;
    int value = rank;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
    MPI_Barrier(both);
    if (rank % 2)
        MPI_Send(&value, 1, MPI_INT, rank / 2, 0, both);
    else
        MPI_Recv(&value, 1, MPI_INT, rank / 2, 0, both, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void tests_in_a_row(void)
{
    int peer = rank ^ 1, value = 0, done = 0;
    MPI_Request request;
    if (rank % 2) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (double begin = MPI_Wtime(); MPI_Wtime() - begin < 0.05;) /* the other one tests in vain */
            ;
        MPI_Send(&rank, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    nonblocking();
    one_sided();
    between_groups();
    tests_in_a_row();
    if (rank == 0) {
        printf("expect ranks %d\n", size);
        printf("expect external %d\n", size * (ROUNDS + 4 + 2) + size / 2);
    }
    MPI_Finalize();
    return 0;
}
