/* Persistent requests are started. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_muted.h"
#include "instrument/mpi/mpi_request.h"

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
