/* A wrapper looks up communicators and requests, asks for sizes, and mutes what the MPI does. That happens outside the
 * stamps of its events or between them, and is no time of the program. So each kind of call is made with the wrapper
 * and without, where nobody else takes part. */
#include "instrument/mpi/job/mpi_calibrate.h"

#include "instrument/mpi/mpi_muted.h"

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#define CALLS 32 /* of a batch */
#define TAG   0

static int calibrate_rank;

static void send_and_receive(bool recorded)
{
    int (*call)(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
                MPI_Status *) = recorded ? MPI_Sendrecv : PMPI_Sendrecv;
    char from = 0, to = 0;
    for (int i = 0; i < CALLS; i++)
        call(&from, 1, MPI_CHAR, calibrate_rank, TAG, &to, 1, MPI_CHAR, calibrate_rank, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

static void barrier(bool recorded)
{
    int (*call)(MPI_Comm) = recorded ? MPI_Barrier : PMPI_Barrier;
    for (int i = 0; i < CALLS; i++)
        call(MPI_COMM_SELF);
}

static void wait_for_request(bool recorded)
{
    char from = 0, to = 0;
    for (int i = 0; i < CALLS; i++) {
        MPI_Request request;
        if (recorded) {
            MPI_Irecv(&to, 1, MPI_CHAR, calibrate_rank, TAG, MPI_COMM_WORLD, &request);
            MPI_Send(&from, 1, MPI_CHAR, calibrate_rank, TAG, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            PMPI_Irecv(&to, 1, MPI_CHAR, calibrate_rank, TAG, MPI_COMM_WORLD, &request);
            PMPI_Send(&from, 1, MPI_CHAR, calibrate_rank, TAG, MPI_COMM_WORLD);
            PMPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
}

#define EVENTS(kinds) (sizeof(kinds) / sizeof((kinds)[0]))

void mpi_calibrate(void)
{
    static const uint8_t collective[] = {PCOMP_EVENT_COLLECTIVE_ENTER, PCOMP_EVENT_COLLECTIVE_EXIT};
    static const uint8_t modes[] = {PCOMP_EVENT_SEND_POST_SYNC, PCOMP_EVENT_SEND_POST_BUFFER,
                                    PCOMP_EVENT_SEND_POST_READY};
    static const uint8_t waiting[] = {PCOMP_EVENT_WAIT_ENTER, PCOMP_EVENT_WAIT_EXIT, PCOMP_EVENT_RECV_POST,
                                      PCOMP_EVENT_SEND_POST,  PCOMP_EVENT_SEND_DONE, PCOMP_EVENT_RECV_DONE};
    uint8_t message[] = {PCOMP_EVENT_SEND_POST, PCOMP_EVENT_SEND_DONE, PCOMP_EVENT_RECV_POST, PCOMP_EVENT_RECV_DONE};
    MUTED(PMPI_Comm_rank(MPI_COMM_WORLD, &calibrate_rank));
    pcomp_trace_calibrate_wrapper(barrier, CALLS, collective, EVENTS(collective), EVENTS(collective));
    pcomp_trace_calibrate_wrapper(send_and_receive, CALLS, message, EVENTS(message), EVENTS(message));
    for (size_t i = 0; i < EVENTS(modes); i++) { /* as expensive, but events of another kind */
        message[0] = modes[i];
        pcomp_trace_calibrate_wrapper(send_and_receive, CALLS, message, EVENTS(message), 1);
    }
    pcomp_trace_calibrate_wrapper(wait_for_request, CALLS, waiting, EVENTS(waiting), 2);
}
