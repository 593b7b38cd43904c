/* A standard send completes without its receiver (eager), or it does not (rendezvous). The size that decides is a
 * setting of some MPIs, by transport, and of none that all of them show through MPI_T; so it is tried: a nonblocking
 * send is tested before its receive is posted. No time is measured. */
#include "instrument/mpi/job/mpi_protocol.h"

#include "instrument/mpi/mpi_muted.h"

#include <mpi.h>

#include <limits.h>
#include <stdlib.h>

enum { BYTES_MIN = 64, BYTES_MAX = 1 << 20, NEAR = 16, TESTS = 20, TRIES = 5, TAG = 0 };

struct limits { /* bytes */
    int eager_max, rendezvous_min;
};

/* Whether both of two neighbours sent as much before either received. */
static int goes_at_once(int bytes, int peer, const char *from, char *to)
{
    MPI_Request request;
    int done = 0, theirs = 0;
    PMPI_Isend(from, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    for (int i = 0; i < TESTS && !done; i++)
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    /* The answer overtakes the message, whose receive has another tag; so nobody receives before both have tested. */
    PMPI_Sendrecv(&done, 1, MPI_INT, peer, TAG + 1, &theirs, 1, MPI_INT, peer, TAG + 1, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
    PMPI_Recv(to, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!done)
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return done && theirs;
}

/* A send that can is eager; buffers that are full now and then make one wait. */
static int is_eager(int bytes, int peer, const char *from, char *to)
{
    int tries = 0;
    while (tries < TRIES && !goes_at_once(bytes, peer, from, to))
        tries++;
    return tries < TRIES;
}

static struct limits find_limits(int peer, const char *from, char *to)
{
    struct limits limits = {0, INT_MAX};
    for (int bytes = BYTES_MIN; bytes <= BYTES_MAX && limits.rendezvous_min == INT_MAX; bytes *= 2) {
        if (is_eager(bytes, peer, from, to))
            limits.eager_max = bytes;
        else
            limits.rendezvous_min = bytes;
    }
    while (limits.rendezvous_min != INT_MAX && limits.rendezvous_min - limits.eager_max > NEAR) {
        int middle = limits.eager_max + (limits.rendezvous_min - limits.eager_max) / 2;
        if (is_eager(middle, peer, from, to))
            limits.eager_max = middle;
        else
            limits.rendezvous_min = middle;
    }
    return limits;
}

void mpi_protocol_find(void)
{
    int rank = 0, size = 1, can, all = 0;
    char *from = calloc(1, BYTES_MAX), *to = calloc(1, BYTES_MAX);
    pcomp_trace_mute();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    can = from && to && size > 1;
    PMPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) {
        /* The last one of an odd number has no neighbour and agrees with whatever the others found. */
        struct limits limits = {INT_MAX, 0};
        if ((rank ^ 1) < size)
            limits = find_limits(rank ^ 1, from, to);
        int own[2] = {limits.eager_max, -limits.rendezvous_min}, min[2];
        PMPI_Allreduce(own, min, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        pcomp_trace_protocols((uint64_t)min[0], min[1] == -INT_MAX ? 0 : (uint64_t)-min[1]);
    }
    pcomp_trace_unmute();
    free(from);
    free(to);
}
