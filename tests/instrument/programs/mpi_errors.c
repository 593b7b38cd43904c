/* Mistakes, with error codes asked for: each must be found by the MPI as it is without pcomp, say the same, and call
 * the program's error handler as often. */
#include "mpi_isendrecv.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size, handled;

static void handler(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    handled++;
}

static void show(const char *what, int result)
{
    int class = 0;
    MPI_Error_class(result, &class);
    if (rank == 0)
        printf("%s: class %d, handled %d\n", what, class, handled);
}

int main(int argc, char **argv)
{
    int value = 1, other[4] = {0}, flag = 0;
    MPI_Errhandler own;
    MPI_Request request, requests[2];
    MPI_Status status, statuses[2];
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    show("send to nobody", MPI_Send(&value, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD));
    show("send with a wrong tag", MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD));
    show("send of a negative count", MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    show("send of no type", MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    show("send in no communicator", MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    show("isend to nobody", MPI_Isend(&value, 1, MPI_INT, -99, 0, MPI_COMM_WORLD, &request));
#ifdef ISENDRECV
    show("isendrecv to nobody",
         MPI_Isendrecv(&value, 1, MPI_INT, size + 3, 0, other, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request));
#endif
    show("receive with a wrong tag", MPI_Recv(&value, 1, MPI_INT, 0, -77, MPI_COMM_WORLD, &status));
    show("send to no process", MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    show("receive from no process", MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    show("bcast from nobody", MPI_Bcast(&value, 1, MPI_INT, size + 3, MPI_COMM_WORLD));
    show("dup of nothing", MPI_Comm_dup(MPI_COMM_NULL, &made));
    /* a message that is too long for its buffer */
    MPI_Isend(other, 4, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
    show("receive of too long a message", MPI_Recv(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(other, 4, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(other, 4, MPI_INT, rank, 2, MPI_COMM_WORLD);
    MPI_Send(other, 4, MPI_INT, rank, 3, MPI_COMM_WORLD);
    show("waiting for a message that is too long", MPI_Waitall(2, requests, statuses));
    MPI_Waitall(2, requests, statuses); /* what the mistake has left */
    /* nothing to wait for */
    requests[0] = requests[1] = request = MPI_REQUEST_NULL;
    show("wait for nothing", MPI_Wait(&request, &status));
    show("test of nothing", MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    show("waitall for nothing", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    show("waitall for none", MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    show("waitany for nothing", MPI_Waitany(2, requests, &value, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("expect ranks %d\nexpect collectives %d\n", size, size);
    fflush(stdout);
    MPI_Finalize();
    return rank == 0 ? 9 : 0;
}
