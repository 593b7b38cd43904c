/* Messages that are under way when the call returns, and persistent requests. */
#include "instrument/exported.h"
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
    EXPORT int MPI_##name(buffer_type *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,         \
                          MPI_Request *request)                                                                        \
    {                                                                                                                  \
        if (!mpi_traced)                                                                                               \
            return PMPI_##name(buffer, count, type, peer, tag, comm, request);                                         \
        struct message message = message_about(kind, comm, peer, tag, message_bytes(count, type));                     \
        message.number = pcomp_trace_token();                                                                          \
        message_post(&message);                                                                                        \
        int result = MUTED(PMPI_##name(buffer, count, type, peer, tag, comm, request));                                \
        return message_started(&message, result, request);                                                             \
    }

ISEND(Isend, PCOMP_EVENT_SEND_POST, const void)
ISEND(Issend, PCOMP_EVENT_SEND_POST_SYNC, const void)
ISEND(Ibsend, PCOMP_EVENT_SEND_POST_BUFFER, const void)
ISEND(Irsend, PCOMP_EVENT_SEND_POST_READY, const void)
ISEND(Irecv, PCOMP_EVENT_RECV_POST, void)

#define SEND_INIT(name, kind, buffer_type)                                                                             \
    EXPORT int MPI_##name(buffer_type *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,         \
                          MPI_Request *request)                                                                        \
    {                                                                                                                  \
        if (!mpi_traced)                                                                                               \
            return PMPI_##name(buffer, count, type, peer, tag, comm, request);                                         \
        struct message message = message_about(kind, comm, peer, tag, message_bytes(count, type));                     \
        int result = MUTED(PMPI_##name(buffer, count, type, peer, tag, comm, request));                                \
        if (result == MPI_SUCCESS)                                                                                     \
            request_add_persistent(request_key(*request), &message);                                                   \
        return result;                                                                                                 \
    }

SEND_INIT(Send_init, PCOMP_EVENT_SEND_POST, const void)
SEND_INIT(Ssend_init, PCOMP_EVENT_SEND_POST_SYNC, const void)
SEND_INIT(Bsend_init, PCOMP_EVENT_SEND_POST_BUFFER, const void)
SEND_INIT(Rsend_init, PCOMP_EVENT_SEND_POST_READY, const void)
SEND_INIT(Recv_init, PCOMP_EVENT_RECV_POST, void)

/* About to start a persistent request. */
static void request_post(MPI_Request request)
{
    struct message message;
    if (request_start(request_key(request), &message))
        message_post(&message);
}

/* The starting has failed. */
static void request_failed(MPI_Request request)
{
    struct request_end end;
    if (request_finish(request_key(request), &end)) {
        message_gone(&end.message);
        request_release(&end);
    }
}

EXPORT int MPI_Start(MPI_Request *request)
{
    if (!mpi_traced)
        return PMPI_Start(request);
    request_post(*request);
    int result = MUTED(PMPI_Start(request));
    if (result != MPI_SUCCESS)
        request_failed(*request);
    return result;
}

EXPORT int MPI_Startall(int count, MPI_Request requests[])
{
    if (!mpi_traced)
        return PMPI_Startall(count, requests);
    for (int i = 0; i < count; i++)
        request_post(requests[i]);
    int result = MUTED(PMPI_Startall(count, requests));
    for (int i = 0; i < count && result != MPI_SUCCESS; i++)
        request_failed(requests[i]);
    return result;
}
