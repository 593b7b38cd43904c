/* Messages that are sent or received when the call returns. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_counts.h"
#include "instrument/mpi/mpi_outside.h"
#include "instrument/mpi/mpi_request.h"

#define SEND(name, kind)                                                                                               \
    EXPORT int WRAPPED(name)(const void *buffer, count_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)   \
    {                                                                                                                  \
        if (!mpi_traced)                                                                                               \
            return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(peer, comm),                                              \
                         REAL(name)(buffer, count, type, peer, tag, comm));                                            \
        struct message message = message_about(kind, comm, peer, tag, message_bytes(count, type));                     \
        if (!message.comm && peer != MPI_PROC_NULL)                                                                    \
            return OUTSIDE(PCOMP_EXTERNAL_MESSAGE, REAL(name)(buffer, count, type, peer, tag, comm));                  \
        message_post(&message);                                                                                        \
        int result = MUTED(REAL(name)(buffer, count, type, peer, tag, comm));                                          \
        message_done(&message, result, NULL);                                                                          \
        return result;                                                                                                 \
    }

SEND(Send, PCOMP_EVENT_SEND_POST)
SEND(Ssend, PCOMP_EVENT_SEND_POST_SYNC)
SEND(Bsend, PCOMP_EVENT_SEND_POST_BUFFER)
SEND(Rsend, PCOMP_EVENT_SEND_POST_READY)

EXPORT int WRAPPED(Recv)(void *buffer, count_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                         MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(peer, comm),
                     REAL(Recv)(buffer, count, type, peer, tag, comm, status));
    MPI_Status own;
    status = message_status(status, &own);
    struct message message = message_about(PCOMP_EVENT_RECV_POST, comm, peer, tag, message_bytes(count, type));
    if (!message.comm && peer != MPI_PROC_NULL) /* between groups, or with processes of another job */
        return OUTSIDE(PCOMP_EXTERNAL_MESSAGE, REAL(Recv)(buffer, count, type, peer, tag, comm, status));
    message_post(&message);
    int result = MUTED(REAL(Recv)(buffer, count, type, peer, tag, comm, status));
    message_done(&message, result, status);
    return result;
}

EXPORT int WRAPPED(Sendrecv)(const void *send_buffer, count_t send_count, MPI_Datatype send_type, int to, int send_tag,
                             void *buffer, count_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                             MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(from, comm),
                     REAL(Sendrecv)(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag,
                                    comm, status));
    MPI_Status own;
    status = message_status(status, &own);
    struct message sent =
        message_about(PCOMP_EVENT_SEND_POST, comm, to, send_tag, message_bytes(send_count, send_type));
    struct message received = message_about(PCOMP_EVENT_RECV_POST, comm, from, tag, message_bytes(count, type));
    message_post(&sent);
    message_post(&received);
    int result = MUTED(
        REAL(Sendrecv)(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag, comm, status));
    message_done(&sent, result, NULL);
    message_done(&received, result, status);
    return result;
}

EXPORT int WRAPPED(Sendrecv_replace)(void *buffer, count_t count, MPI_Datatype type, int to, int send_tag, int from,
                                     int tag, MPI_Comm comm, MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(from, comm),
                     REAL(Sendrecv_replace)(buffer, count, type, to, send_tag, from, tag, comm, status));
    MPI_Status own;
    status = message_status(status, &own);
    uint64_t bytes = message_bytes(count, type);
    struct message sent = message_about(PCOMP_EVENT_SEND_POST, comm, to, send_tag, bytes);
    struct message received = message_about(PCOMP_EVENT_RECV_POST, comm, from, tag, bytes);
    message_post(&sent);
    message_post(&received);
    int result = MUTED(REAL(Sendrecv_replace)(buffer, count, type, to, send_tag, from, tag, comm, status));
    message_done(&sent, result, NULL);
    message_done(&received, result, status);
    return result;
}

EXPORT int WRAPPED(Mrecv)(void *buffer, count_t count, MPI_Datatype type, MPI_Message *taken, MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, 0, REAL(Mrecv)(buffer, count, type, taken, status));
    MPI_Status own;
    struct request_end end;
    status = message_status(status, &own);
    bool known = request_finish(request_message_key(*taken), &end);
    if (known)
        pcomp_trace_event(PCOMP_EVENT_WAIT_ENTER, 0);
    int result = MUTED(REAL(Mrecv)(buffer, count, type, taken, status));
    if (known) {
        message_done(&end.message, result, status);
        pcomp_trace_event(PCOMP_EVENT_WAIT_EXIT, 0);
        request_release(&end);
    }
    return result;
}
