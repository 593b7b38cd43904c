#include "reporters/replay/drive/peer_transport.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct sending { /* not yet known to have left */
    struct sending *next;
    MPI_Request request;
    char data[];
};

static struct sending *under_way;

static bool open_mpi(int *rank, int *size)
{
    return MPI_Init(NULL, NULL) == MPI_SUCCESS && MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS;
}

static void free_those_that_left(void)
{
    for (struct sending **link = &under_way; *link;) {
        struct sending *sending = *link;
        int left = 0;
        if (MPI_Test(&sending->request, &left, MPI_STATUS_IGNORE) == MPI_SUCCESS && left) {
            *link = sending->next;
            free(sending);
        } else {
            link = &sending->next;
        }
    }
}

/* The requests are tested in free_those_that_left, for which the analyser would have to follow the list. */
/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
static bool send_mpi(int to, const void *data, size_t size)
{
    struct sending *sending = size <= INT_MAX ? malloc(sizeof *sending + size) : NULL;
    if (!sending)
        return false;
    memcpy(sending->data, data, size);
    if (MPI_Isend(sending->data, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &sending->request) != MPI_SUCCESS) {
        free(sending);
        return false;
    }
    sending->next = under_way;
    under_way = sending;
    free_those_that_left();
    return true;
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

static size_t receive_mpi(int from, int *sender, void **buffer, size_t *room)
{
    MPI_Status status;
    int size = 0;
    if (MPI_Probe(from < 0 ? MPI_ANY_SOURCE : from, 0, MPI_COMM_WORLD, &status) != MPI_SUCCESS ||
        MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS)
        return 0;
    if (*room < (size_t)size) {
        free(*buffer);
        *buffer = malloc((size_t)size);
        *room = *buffer ? (size_t)size : 0;
        if (!*buffer)
            return 0;
    }
    *sender = status.MPI_SOURCE;
    return MPI_Recv(*buffer, size, MPI_BYTE, *sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS
               ? (size_t)size
               : 0;
}

static void close_mpi(void)
{
    while (under_way)
        free_those_that_left();
    MPI_Finalize();
}

extern const struct peer_transport pcomp_peer_transport;
__attribute__((visibility("default")))
const struct peer_transport pcomp_peer_transport = {open_mpi, send_mpi, receive_mpi, close_mpi};
