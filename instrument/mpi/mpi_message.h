/* A point-to-point message: the events of its posting and of its being done. Functions of one message are called by one
 * thread at a time. Only when mpi_traced. */
#ifndef PCOMP_MPI_MESSAGE_H
#define PCOMP_MPI_MESSAGE_H

#include "compensation/trace_event/event.h"
#include "instrument/mpi/mpi_comm.h"

struct message {
    struct mpi_comm *comm;      /* NULL: nothing is recorded of it (no partner, unknown communicator) */
    uint64_t number;            /* of the request; 0 a blocking one */
    uint64_t bytes;             /* that are sent; that fit */
    enum pcomp_event_kind post; /* one of the POSTs, or PCOMP_EVENT_PROBE_ENTER */
    int peer, tag;              /* as the program gave them */
    bool paired;                /* received by the request of a send */
};

/* Where the MPI writes the status: the program's, or ours where it wants none. */
static inline MPI_Status *message_status(MPI_Status *status, MPI_Status *own)
{
    return status == MPI_STATUS_IGNORE ? own : status;
}

/* Bytes of `count` elements; 0 where the arguments are wrong, which the MPI will say. */
uint64_t message_bytes(MPI_Count count, MPI_Datatype type);

/* Bytes of a message that came. */
uint64_t message_size(const MPI_Status *status);

/* What a call is about. Records nothing. */
struct message message_about(enum pcomp_event_kind post, MPI_Comm comm, int peer, int tag, uint64_t bytes);

/* About to send, to receive, or to look for a message. */
void message_post(const struct message *message);

/* It is done, or found: `result` is what the MPI returned for it, `status` the message that came. A send needs none. */
void message_done(const struct message *message, int result, const MPI_Status *status);

/* It will not be done. */
void message_gone(const struct message *message);

#endif
