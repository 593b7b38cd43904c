/* Run by `pcomp calibrate --mpi`, two processes, once for each MPI: how long messages of every size take, and whether
 * sending one waits for its receiver. pingpong_helper FILE: what it measured, a line for each size, and how many nodes
 * the processes were on. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 9, LARGEST = 4 << 20, TESTS = 20, TRIES = 5, NEAR = 16 };

static int rank;
static char *there, *back;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int double_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, double_order);
    return values[count / 2];
}

/* Round trips, or copies, of a batch: of a millisecond or so. */
static int repetitions(int bytes)
{
    return bytes <= 4096 ? 500 : bytes <= 65536 ? 100 : 1 + (4 << 20) / bytes;
}

static void exchange(int bytes, int times)
{
    for (int i = 0; i < times; i++)
        if (rank == 0) {
            MPI_Send(there, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(back, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(back, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(there, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
}

/* From the sending to the receiving of a message. */
static double one_way(int bytes)
{
    double times[BATCHES];
    int count = repetitions(bytes);
    exchange(bytes, 1 + count / 10);
    for (int i = 0; i < BATCHES; i++) {
        double begin = now_ns();
        exchange(bytes, count);
        times[i] = (now_ns() - begin) / (2.0 * count);
    }
    return median(times, BATCHES);
}

static double copy_time(int bytes)
{
    double times[BATCHES];
    int count = 20 * repetitions(bytes);
    for (int i = 0; i < BATCHES; i++) {
        double begin = now_ns();
        for (int k = 0; k < count; k++) {
            memcpy(back, there, (size_t)bytes);
            __asm__ volatile("" : : "r"(back) : "memory");
        }
        times[i] = (now_ns() - begin) / count;
    }
    return median(times, BATCHES);
}

/* Whether a send is not complete before its receive is posted. No time decides, so what disturbs does not. */
static int waits_once(int bytes)
{
    MPI_Request request;
    int done = 0, theirs = 0, peer = 1 - rank;
    MPI_Isend(there, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &request);
    for (int i = 0; i < TESTS && !done; i++)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&done, 1, MPI_INT, peer, 2, &theirs, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(back, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* null, and no wait, after a test that found it complete */
    return !done || !theirs;
}

/* A send that can complete so is eager; buffers that are full now and then make one wait. */
static int waits(int bytes)
{
    int waited = 0;
    while (waited < TRIES && waits_once(bytes))
        waited++;
    return waited == TRIES;
}

/* Between a size that does not wait and one that does, halves the distance until it is NEAR. */
static void narrow(int *eager, int *rendezvous)
{
    while (*rendezvous - *eager > NEAR) {
        int middle = *eager + (*rendezvous - *eager) / 2;
        if (waits(middle))
            *rendezvous = middle;
        else
            *eager = middle;
    }
}

static int nodes(void)
{
    MPI_Comm node;
    int here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return here == 2 ? 1 : 2;
}

int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int size, length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(version, &length);
    there = malloc(LARGEST);
    back = malloc(LARGEST);
    FILE *file = size == 2 && rank == 0 && argc == 2 ? fopen(argv[1], "w") : NULL;
    if (size != 2 || (rank == 0 && !file) || !there || !back) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    memset(there, 1, LARGEST);
    memset(back, 1, LARGEST);
    version[strcspn(version, ",\n")] = 0;
    for (char *tab = version; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    int apart = nodes();
    if (file)
        fprintf(file, "mpi %s\nnodes %d\n", version, apart);
    int eager = 0, rendezvous = 0;
    for (int bytes = 1; bytes <= LARGEST; bytes *= 2) {
        double way = one_way(bytes);
        int late = waits(bytes);
        if (!late && !rendezvous)
            eager = bytes;
        else if (late && !rendezvous)
            rendezvous = bytes;
        if (file)
            fprintf(file, "message %d %.3f %d %.3f\n", bytes, way, late, copy_time(bytes));
    }
    if (rendezvous)
        narrow(&eager, &rendezvous);
    if (file)
        fprintf(file, "protocol %d %d\n", eager, rendezvous);
    int failed = file && fclose(file) != 0;
    MPI_Finalize();
    return failed;
}
