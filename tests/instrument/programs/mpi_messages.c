/* Every way to send and receive a message: each rank with its neighbours in a ring, contents checked. Says how many
 * messages there are for the trace to show. */
#include "mpi_isendrecv.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 3000, MANY = 100 };

#ifndef COUNT_T /* mpi_large.h */
#define COUNT_T int
#endif

static int rank, size, next, previous;
static long sent, gone, probes; /* by this rank */
static int buffer[2][LENGTH];

static void check(int value, int wanted, const char *what)
{
    if (value == wanted)
        return;
    printf("rank %d: %s: %d instead of %d\n", rank, what, value, wanted);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int *filled(int value)
{
    for (int i = 0; i < LENGTH; i++)
        buffer[0][i] = value + i;
    return buffer[0];
}

static void came(int value, const char *what)
{
    for (int i = 0; i < LENGTH; i++)
        check(buffer[1][i], value + i, what);
    memset(buffer[1], 0, sizeof buffer[1]);
}

static void blocking_modes(void)
{
    static int (*const modes[])(const void *, COUNT_T, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Bsend,
                                                                                            MPI_Ssend};
    static char space[sizeof buffer + 10000];
    int length = sizeof space;
    void *place;
    MPI_Status status;
    MPI_Buffer_attach(space, length);
    for (int mode = 0; mode < 3; mode++)
        for (int turn = 0; turn < 2; turn++) /* even ranks send first, for a synchronous send waits */
            if ((rank + turn) % 2 == 0) {
                modes[mode](filled(100 * rank + mode), LENGTH, MPI_INT, next, mode, MPI_COMM_WORLD);
                sent++;
            } else {
                int any = mode == 1;
                MPI_Recv(buffer[1], LENGTH, MPI_INT, any ? MPI_ANY_SOURCE : previous, any ? MPI_ANY_TAG : mode,
                         MPI_COMM_WORLD, mode ? &status : MPI_STATUS_IGNORE);
                came(100 * previous + mode, "blocking");
                if (mode)
                    check(status.MPI_SOURCE * 10 + status.MPI_TAG, previous * 10 + mode, "status");
            }
    MPI_Buffer_detach(&place, &length);
    /* a ready send needs a receive that is posted */
    MPI_Request request;
    MPI_Irecv(buffer[1], LENGTH, MPI_INT, previous, 7, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(filled(rank), LENGTH, MPI_INT, next, 7, MPI_COMM_WORLD);
    sent++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    came(previous, "ready");
    check(request == MPI_REQUEST_NULL, 1, "request after waiting");
}

static void nonblocking_modes(void)
{
    static int (*const modes[])(const void *, COUNT_T, MPI_Datatype, int, int, MPI_Comm,
                                MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Irsend};
    for (int mode = 0; mode < 3; mode++) {
        MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Status statuses[3];
        MPI_Irecv(buffer[1], LENGTH, MPI_INT, previous, mode, MPI_COMM_WORLD, &requests[0]);
        MPI_Barrier(MPI_COMM_WORLD);
        modes[mode](filled(rank + mode), LENGTH, MPI_INT, next, mode, MPI_COMM_WORLD, &requests[2]);
        sent++;
        MPI_Waitall(3, requests, mode ? statuses : MPI_STATUSES_IGNORE);
        came(previous + mode, "nonblocking");
    }
}

/* Small messages of which many are under way, ended by every kind of wait and test. */
static void completions(int way)
{
    MPI_Request requests[2 * MANY];
    int from[MANY], to[MANY], indices[2 * MANY], left = 2 * MANY;
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&from[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : previous, 50, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < MANY; i++) {
        to[i] = i;
        MPI_Isend(&to[i], 1, MPI_INT, next, 50, MPI_COMM_WORLD, &requests[MANY + i]);
        sent++;
    }
    for (int i = 0; left > 0; i++) {
        int flag = 0, count = 0;
        MPI_Status status, statuses[2 * MANY];
        if (way == 0) {
            MPI_Waitany(2 * MANY, requests, &count, i % 2 ? &status : MPI_STATUS_IGNORE);
            left--;
        } else if (way == 1) {
            MPI_Waitsome(2 * MANY, requests, &count, indices, i % 2 ? statuses : MPI_STATUSES_IGNORE);
            left -= count;
        } else if (way == 2) {
            MPI_Testany(2 * MANY, requests, &count, &flag, &status);
            left -= flag && count != MPI_UNDEFINED;
        } else if (way == 3) {
            MPI_Testsome(2 * MANY, requests, &count, indices, statuses);
            left -= count;
        } else if (way == 4) {
            MPI_Testall(2 * MANY, requests, &flag, MPI_STATUSES_IGNORE);
            left = flag ? 0 : left;
        } else {
            MPI_Test(&requests[i % (2 * MANY)], &flag, i % 2 ? &status : MPI_STATUS_IGNORE);
            left = 0;
            for (int k = 0; k < 2 * MANY; k++)
                left += requests[k] != MPI_REQUEST_NULL;
        }
    }
    for (int i = 0; i < MANY; i++)
        check(from[i], i, "order of messages");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Send_init(buffer[0], LENGTH, MPI_INT, next, 60, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(buffer[1], LENGTH, MPI_INT, previous, 60, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 4; i++) {
        filled(rank + i);
        if (i % 2)
            MPI_Startall(2, requests);
        else {
            MPI_Start(&requests[0]);
            MPI_Start(&requests[1]);
        }
        sent++;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        came(previous + i, "persistent");
        check(requests[0] != MPI_REQUEST_NULL, 1, "persistent request after waiting");
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void sendrecv(void)
{
    MPI_Status status;
    MPI_Sendrecv(filled(rank), LENGTH, MPI_INT, next, 70, buffer[1], LENGTH, MPI_INT, previous, 70, MPI_COMM_WORLD,
                 &status);
    came(previous, "sendrecv");
    memcpy(buffer[1], filled(rank), sizeof buffer[1]);
    MPI_Sendrecv_replace(buffer[1], LENGTH, MPI_INT, next, 71, MPI_ANY_SOURCE, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    came(previous, "sendrecv_replace");
    sent += 2;
    /* an open chain: no partner at its ends */
    int low = rank ? rank - 1 : MPI_PROC_NULL, high = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(filled(rank), LENGTH, MPI_INT, high, 72, buffer[1], LENGTH, MPI_INT, low, 72, MPI_COMM_WORLD, &status);
    check(status.MPI_SOURCE, low, "source in a chain");
    sent += high != MPI_PROC_NULL;
}

#ifdef ISENDRECV
static void isendrecv(void)
{
    MPI_Status status;
    MPI_Request requests[2];
    int mine = rank, theirs = -1, from = -1;
    int low = rank ? rank - 1 : MPI_PROC_NULL, high = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Isendrecv(filled(rank), LENGTH, MPI_INT, next, 73, buffer[1], LENGTH, MPI_INT, previous, 73, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Isendrecv_replace(&mine, 1, MPI_INT, next, 74, previous, 74, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], &status);
    check(mine, previous, "isendrecv_replace");
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    came(previous, "isendrecv");
    MPI_Isendrecv(&rank, 1, MPI_INT, high, 75, &theirs, 1, MPI_INT, low, 75, MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv(&rank, 1, MPI_INT, next, 76, &from, 1, MPI_INT, previous, 76, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(theirs, rank ? low : -1, "isendrecv in a chain");
    check(from, previous, "isendrecv beside it");
    sent += 3 + (high != MPI_PROC_NULL);
#ifdef MPICH /* which does not say what came */
    MPI_Isend(&rank, 1, MPI_INT, next, 77, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
    MPI_Isendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &from, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD,
                  &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    gone += 2;
#else
    MPI_Isendrecv(&rank, 1, MPI_INT, next, 77, &from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Wait(&requests[0], &status);
    check(status.MPI_SOURCE * 100 + status.MPI_TAG, previous * 100 + 77, "source and tag");
    sent++;
#endif
}
#endif

static void probing(void)
{
    MPI_Status status;
    MPI_Message taken;
    MPI_Request request;
    int count, flag = 0;
    MPI_Isend(filled(rank), 10, MPI_INT, next, 80, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 80, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count, 10, "probed size");
    MPI_Recv(buffer[1], count, MPI_INT, status.MPI_SOURCE, 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, &status);
    MPI_Isend(filled(rank), 20, MPI_INT, next, 81, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Iprobe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(buffer[1], LENGTH, MPI_INT, previous, 81, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count, 20, "size after iprobe");
    MPI_Wait(&request, &status);
    /* taken in one order, received in the other */
    MPI_Message both[2];
    MPI_Isend(buffer[0], 30, MPI_INT, next, 82, MPI_COMM_WORLD, &request);
    MPI_Send(buffer[0], 31, MPI_INT, next, 82, MPI_COMM_WORLD);
    MPI_Mprobe(previous, 82, MPI_COMM_WORLD, &both[0], &status);
    for (flag = 0; !flag;)
        MPI_Improbe(MPI_ANY_SOURCE, 82, MPI_COMM_WORLD, &flag, &both[1], MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer[1], 31, MPI_INT, &both[1], &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count, 31, "second of two taken messages");
    MPI_Wait(&request, &status);
    MPI_Imrecv(buffer[1], 31, MPI_INT, &both[0], &request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count, 30, "first of two taken messages");
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &taken, &status);
    MPI_Mrecv(NULL, 0, MPI_INT, &taken, &status);
    sent += 4;
    probes += 4;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void never_done(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    MPI_Irecv(buffer[1], 1, MPI_INT, previous, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    check(flag, 1, "cancelled");
    gone++;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* To the neighbour through a communicator in which ranks are the other way round, freed before its requests are done.
 */
static void other_communicator(void)
{
    MPI_Comm turned;
    MPI_Request requests[2];
    int mine, from = -1, members, me;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
    MPI_Comm_rank(turned, &me);
    MPI_Comm_size(turned, &members);
    mine = rank;
    MPI_Irecv(&from, 1, MPI_INT, (me + 1) % members, 5, turned, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, (me + members - 1) % members, 5, turned, &requests[1]);
    sent++;
    MPI_Comm_free(&turned);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(from, previous, "neighbour in the other communicator");
    MPI_Comm_dup(MPI_COMM_SELF, &turned);
    MPI_Sendrecv(&mine, 1, MPI_INT, 0, 6, &from, 1, MPI_INT, 0, 6, turned, MPI_STATUS_IGNORE);
    sent++;
    check(from, rank, "message to oneself");
    MPI_Comm_free(&turned);
}

int main(int argc, char **argv)
{
    long own[3], all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    blocking_modes();
    nonblocking_modes();
    for (int way = 0; way < 6; way++)
        completions(way);
    persistent();
    sendrecv();
#ifdef ISENDRECV
    isendrecv();
#endif
    probing();
    never_done();
    other_communicator();
    own[0] = sent, own[1] = gone, own[2] = probes;
    MPI_Reduce(own, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("expect ranks %d\nexpect sent %ld\nexpect received %ld\nexpect gone %ld\nexpect probed %ld\n", size,
               all[0], all[0], all[1], all[2]);
    MPI_Finalize();
    return 0;
}
