/* Messages that are sent or received when the call returns, and looking for them. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_message.h"
#include "instrument/mpi/mpi_outside.h"

#define SEND(name, kind)                                                                                               \
    EXPORT int MPI_##name(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)          \
    {                                                                                                                  \
        if (!mpi_traced)                                                                                               \
            return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(peer, comm),                                              \
                         PMPI_##name(buffer, count, type, peer, tag, comm));                                           \
        struct message message = message_about(kind, comm, peer, tag, message_bytes(count, type));                     \
        if (!message.comm && peer != MPI_PROC_NULL)                                                                    \
            return OUTSIDE(PCOMP_EXTERNAL_MESSAGE, PMPI_##name(buffer, count, type, peer, tag, comm));                 \
        message_post(&message);                                                                                        \
        int result = MUTED(PMPI_##name(buffer, count, type, peer, tag, comm));                                         \
        message_done(&message, result, NULL);                                                                          \
        return result;                                                                                                 \
    }

SEND(Send, PCOMP_EVENT_SEND_POST)
SEND(Ssend, PCOMP_EVENT_SEND_POST_SYNC)
SEND(Bsend, PCOMP_EVENT_SEND_POST_BUFFER)
SEND(Rsend, PCOMP_EVENT_SEND_POST_READY)

EXPORT int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(peer, comm),
                     PMPI_Recv(buffer, count, type, peer, tag, comm, status));
    MPI_Status own;
    status = message_status(status, &own);
    struct message message = message_about(PCOMP_EVENT_RECV_POST, comm, peer, tag, message_bytes(count, type));
    if (!message.comm && peer != MPI_PROC_NULL) /* between groups, or with processes of another job */
        return OUTSIDE(PCOMP_EXTERNAL_MESSAGE, PMPI_Recv(buffer, count, type, peer, tag, comm, status));
    message_post(&message);
    int result = MUTED(PMPI_Recv(buffer, count, type, peer, tag, comm, status));
    message_done(&message, result, status);
    return result;
}

EXPORT int MPI_Sendrecv(const void *send_buffer, int send_count, MPI_Datatype send_type, int to, int send_tag,
                        void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                        MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(from, comm),
                     PMPI_Sendrecv(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag,
                                   comm, status));
    MPI_Status own;
    status = message_status(status, &own);
    struct message sent =
        message_about(PCOMP_EVENT_SEND_POST, comm, to, send_tag, message_bytes(send_count, send_type));
    struct message received = message_about(PCOMP_EVENT_RECV_POST, comm, from, tag, message_bytes(count, type));
    message_post(&sent);
    message_post(&received);
    int result = MUTED(
        PMPI_Sendrecv(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag, comm, status));
    message_done(&sent, result, NULL);
    message_done(&received, result, status);
    return result;
}

EXPORT int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int send_tag, int from, int tag,
                                MPI_Comm comm, MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(from, comm),
                     PMPI_Sendrecv_replace(buffer, count, type, to, send_tag, from, tag, comm, status));
    MPI_Status own;
    status = message_status(status, &own);
    uint64_t bytes = message_bytes(count, type);
    struct message sent = message_about(PCOMP_EVENT_SEND_POST, comm, to, send_tag, bytes);
    struct message received = message_about(PCOMP_EVENT_RECV_POST, comm, from, tag, bytes);
    message_post(&sent);
    message_post(&received);
    int result = MUTED(PMPI_Sendrecv_replace(buffer, count, type, to, send_tag, from, tag, comm, status));
    message_done(&sent, result, NULL);
    message_done(&received, result, status);
    return result;
}

EXPORT int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(peer, comm), PMPI_Probe(peer, tag, comm, status));
    MPI_Status own;
    status = message_status(status, &own);
    struct message message = message_about(PCOMP_EVENT_PROBE_ENTER, comm, peer, tag, 0);
    message_post(&message);
    int result = MUTED(PMPI_Probe(peer, tag, comm, status));
    message_done(&message, result, status);
    return result;
}

EXPORT int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *found, MPI_Status *status)
{
    if (!mpi_traced)
        return PMPI_Iprobe(peer, tag, comm, found, status);
    MPI_Status own;
    status = message_status(status, &own);
    int result = MUTED(PMPI_Iprobe(peer, tag, comm, found, status));
    if (result == MPI_SUCCESS && *found) {
        struct message message = message_about(PCOMP_EVENT_PROBE_ENTER, comm, peer, tag, 0);
        message_post(&message);
        message_done(&message, result, status);
    }
    return result;
}
