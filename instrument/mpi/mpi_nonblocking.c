/* Messages that are under way when the call returns, and the making of persistent requests. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_counts.h"
#include "instrument/mpi/mpi_muted.h"
#include "instrument/mpi/mpi_request.h"

/* The message has its request, or the call has failed. */
static int message_started(const struct message *message, int result, const MPI_Request *request)
{
    if (result == MPI_SUCCESS)
        request_add(request_key(*request), message);
    else
        message_gone(message);
    return result;
}

#define ISEND(name, kind, buffer_type)                                                                                 \
    EXPORT int WRAPPED(name)(buffer_type * buffer, count_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                             MPI_Request *request)                                                                     \
    {                                                                                                                  \
        if (!mpi_traced)                                                                                               \
            return REAL(name)(buffer, count, type, peer, tag, comm, request);                                          \
        struct message message = message_about(kind, comm, peer, tag, message_bytes(count, type));                     \
        message.number = pcomp_trace_token();                                                                          \
        message_post(&message);                                                                                        \
        int result = MUTED(REAL(name)(buffer, count, type, peer, tag, comm, request));                                 \
        return message_started(&message, result, request);                                                             \
    }

ISEND(Isend, PCOMP_EVENT_SEND_POST, const void)
ISEND(Issend, PCOMP_EVENT_SEND_POST_SYNC, const void)
ISEND(Ibsend, PCOMP_EVENT_SEND_POST_BUFFER, const void)
ISEND(Irsend, PCOMP_EVENT_SEND_POST_READY, const void)
ISEND(Irecv, PCOMP_EVENT_RECV_POST, void)

#define SEND_INIT(name, kind, buffer_type)                                                                             \
    EXPORT int WRAPPED(name)(buffer_type * buffer, count_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                             MPI_Request *request)                                                                     \
    {                                                                                                                  \
        if (!mpi_traced)                                                                                               \
            return REAL(name)(buffer, count, type, peer, tag, comm, request);                                          \
        struct message message = message_about(kind, comm, peer, tag, message_bytes(count, type));                     \
        int result = MUTED(REAL(name)(buffer, count, type, peer, tag, comm, request));                                 \
        if (result == MPI_SUCCESS)                                                                                     \
            request_add_persistent(request_key(*request), &message);                                                   \
        return result;                                                                                                 \
    }

SEND_INIT(Send_init, PCOMP_EVENT_SEND_POST, const void)
SEND_INIT(Ssend_init, PCOMP_EVENT_SEND_POST_SYNC, const void)
SEND_INIT(Bsend_init, PCOMP_EVENT_SEND_POST_BUFFER, const void)
SEND_INIT(Rsend_init, PCOMP_EVENT_SEND_POST_READY, const void)
SEND_INIT(Recv_init, PCOMP_EVENT_RECV_POST, void)

EXPORT int WRAPPED(Imrecv)(void *buffer, count_t count, MPI_Datatype type, MPI_Message *taken, MPI_Request *request)
{
    if (!mpi_traced)
        return REAL(Imrecv)(buffer, count, type, taken, request);
    struct request_end end;
    bool known = request_finish(request_message_key(*taken), &end);
    int result = MUTED(REAL(Imrecv)(buffer, count, type, taken, request));
    if (known && result == MPI_SUCCESS)
        request_add(request_key(*request), &end.message);
    else if (known)
        message_gone(&end.message);
    if (known)
        request_release(&end);
    return result;
}

#ifdef PCOMP_MPI_ISENDRECV
/* The request is that of both messages. */
static int pair_started(const struct message *sent, const struct message *received, int result,
                        const MPI_Request *request)
{
    if (result == MPI_SUCCESS)
        request_add_pair(request_key(*request), sent, received);
    else {
        message_gone(sent);
        message_gone(received);
    }
    return result;
}

static void pair_posted(struct message *sent, struct message *received)
{
    sent->number = pcomp_trace_token();
    received->number = pcomp_trace_token();
    received->paired = true;
    message_post(sent);
    message_post(received);
}

EXPORT int WRAPPED(Isendrecv)(const void *send_buffer, count_t send_count, MPI_Datatype send_type, int to, int send_tag,
                              void *buffer, count_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                              MPI_Request *request)
{
    if (!mpi_traced)
        return REAL(Isendrecv)(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag, comm,
                               request);
    struct message sent =
        message_about(PCOMP_EVENT_SEND_POST, comm, to, send_tag, message_bytes(send_count, send_type));
    struct message received = message_about(PCOMP_EVENT_RECV_POST, comm, from, tag, message_bytes(count, type));
    pair_posted(&sent, &received);
    int result = MUTED(REAL(Isendrecv)(send_buffer, send_count, send_type, to, send_tag, buffer, count, type, from, tag,
                                       comm, request));
    return pair_started(&sent, &received, result, request);
}

EXPORT int WRAPPED(Isendrecv_replace)(void *buffer, count_t count, MPI_Datatype type, int to, int send_tag, int from,
                                      int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!mpi_traced)
        return REAL(Isendrecv_replace)(buffer, count, type, to, send_tag, from, tag, comm, request);
    uint64_t bytes = message_bytes(count, type);
    struct message sent = message_about(PCOMP_EVENT_SEND_POST, comm, to, send_tag, bytes);
    struct message received = message_about(PCOMP_EVENT_RECV_POST, comm, from, tag, bytes);
    pair_posted(&sent, &received);
    int result = MUTED(REAL(Isendrecv_replace)(buffer, count, type, to, send_tag, from, tag, comm, request));
    return pair_started(&sent, &received, result, request);
}
#endif
