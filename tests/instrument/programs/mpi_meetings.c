/* Ranks that meet for two and a half seconds. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double begin = MPI_Wtime(), now, latest;
    do {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        now = MPI_Wtime() - begin;
        MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    } while (latest < 2.5);
    MPI_Finalize();
    return 0;
}
