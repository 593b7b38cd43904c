/* Threads that all use the MPI at once: each exchanges messages with the same thread of the other ranks, on a
 * communicator of its own and on the common one with a tag of its own. */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, TURNS = 30 };

static int rank, size;
static MPI_Comm own[THREADS];

static void *exchange(void *argument)
{
    int thread = (int)(long)argument, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int turn = 0; turn < TURNS; turn++) {
        int to[2] = {turn, rank}, from[2] = {-1, -1}, all;
        MPI_Request requests[2];
        MPI_Irecv(from, 2, MPI_INT, previous, thread, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(to, 2, MPI_INT, next, thread, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(to, 1, MPI_INT, next, 0, from, 1, MPI_INT, previous, 0, own[thread], MPI_STATUS_IGNORE);
        if (turn % 10 == 0)
            MPI_Allreduce(&turn, &all, 1, MPI_INT, MPI_MAX, own[thread]);
        if (from[0] != turn || from[1] != previous) {
            printf("rank %d thread %d: %d from %d instead of %d from %d\n", rank, thread, from[0], from[1], turn,
                   previous);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 4);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, exchange, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (rank == 0)
        printf("expect ranks %d\nexpect locations %d\nexpect sent %d\nexpect received %d\nexpect collectives %d\n",
               size, size * (THREADS + 1), size * THREADS * TURNS * 2, size * THREADS * TURNS * 2,
               size * THREADS * (1 + TURNS / 10));
    MPI_Finalize();
    return 0;
}
