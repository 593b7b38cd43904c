/* What carries bytes between the replays that mpirun has started: one small library for each MPI (peer_mpi.c), loaded
 * only then, so that the command is linked with none. */
#ifndef PCOMP_PEER_TRANSPORT_H
#define PCOMP_PEER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

struct peer_transport {
    /* Joins the others. False: cannot. */
    bool (*open)(int *rank, int *size);
    /* Sends a copy of `data`, without waiting for anybody. False: out of memory, or the connection is broken. */
    bool (*send)(int to, const void *data, size_t size);
    /* Waits for a message from `from` (-1: from anyone), into *buffer, malloc'ed, made larger where it must be. Those
     * of one sender come in their order. *sender: whose. Returns its size; 0: as above. */
    size_t (*receive)(int from, int *sender, void **buffer, size_t *room);
    /* Leaves, when all messages have been received. */
    void (*close)(void);
};

#define PEER_TRANSPORT_NAME "pcomp_peer_transport" /* of the library's symbol: a struct peer_transport */

#endif
