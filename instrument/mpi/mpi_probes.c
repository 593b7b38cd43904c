/* Probes. One that takes the message away (MPI_Mprobe) is as if a receive were posted when the message is taken, and
 * waited for when it is received: that is where it is matched. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_muted.h"
#include "instrument/mpi/mpi_request.h"

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

/* A message was taken by what `probe` is about. */
static void message_taken(const struct message *probe, MPI_Message taken, const MPI_Status *status)
{
    if (taken == MPI_MESSAGE_NO_PROC || taken == MPI_MESSAGE_NULL)
        return;
    message_done(probe, MPI_SUCCESS, status);
    struct message message = *probe;
    message.post = PCOMP_EVENT_RECV_POST;
    message.bytes = message_size(status);
    message.number = pcomp_trace_token();
    message_post(&message);
    request_add(request_message_key(taken), &message);
}

EXPORT int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *taken, MPI_Status *status)
{
    if (!mpi_traced)
        return WAITS(PCOMP_WAITING_MESSAGE, waiting_peer(peer, comm), PMPI_Mprobe(peer, tag, comm, taken, status));
    MPI_Status own;
    status = message_status(status, &own);
    struct message probe = message_about(PCOMP_EVENT_PROBE_ENTER, comm, peer, tag, 0);
    message_post(&probe);
    int result = MUTED(PMPI_Mprobe(peer, tag, comm, taken, status));
    if (result == MPI_SUCCESS)
        message_taken(&probe, *taken, status);
    else
        message_gone(&probe);
    return result;
}

EXPORT int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *found, MPI_Message *taken, MPI_Status *status)
{
    if (!mpi_traced)
        return PMPI_Improbe(peer, tag, comm, found, taken, status);
    MPI_Status own;
    status = message_status(status, &own);
    int result = MUTED(PMPI_Improbe(peer, tag, comm, found, taken, status));
    if (result == MPI_SUCCESS && *found) {
        struct message probe = message_about(PCOMP_EVENT_PROBE_ENTER, comm, peer, tag, 0);
        message_post(&probe);
        message_taken(&probe, *taken, status);
    }
    return result;
}
