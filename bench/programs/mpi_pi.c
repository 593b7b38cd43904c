/* mpi_pi PAIRS ROUNDS: Monte-Carlo pi by a master and its workers (2005 §5). In each round a worker asks the master,
 * which is the last rank, for a packet of PAIRS pairs of random numbers, looks whether each lies in the circle, and all
 * workers together see how far they are. get_coords() is small and called for every pair. */
#include "element_work.h"

#include <math.h>
#include <mpi.h>

enum { REQUEST = 1, PACKET = 2 };

static int rank, ranks;
static unsigned pairs, rounds;
static double *packet;

BENCH_CALL static void get_coords(unsigned i, double *x, double *y)
{
    *x = packet[2 * i];
    *y = packet[2 * i + 1];
}

static void make_packet(uint64_t *seed)
{
    for (unsigned i = 0; i < 2 * pairs; i++) {
        *seed = element_chain(*seed, 1);
        packet[i] = (double)(*seed >> 11) * 0x1p-53;
    }
}

static unsigned count_inside(void)
{
    unsigned inside = 0;
    double last = 0;
    for (unsigned i = 0; i < pairs; i++) {
        double x, y;
        get_coords(i, &x, &y);
        last = sqrt(x * x + y * y + last * 0x1p-60); /* one after the other, measured or not */
        inside += last <= 1;
    }
    return inside;
}

static void serve(void)
{
    uint64_t seed = 1;
    for (unsigned i = 0; i < rounds * (unsigned)(ranks - 1); i++) {
        MPI_Status status;
        char request;
        MPI_Recv(&request, 1, MPI_CHAR, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
        make_packet(&seed);
        MPI_Send(packet, (int)(2 * pairs), MPI_DOUBLE, status.MPI_SOURCE, PACKET, MPI_COMM_WORLD);
    }
}

static double work(MPI_Comm workers)
{
    double inside = 0, all = 0;
    for (unsigned i = 0; i < rounds; i++) {
        char request = 1;
        MPI_Send(&request, 1, MPI_CHAR, ranks - 1, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(packet, (int)(2 * pairs), MPI_DOUBLE, ranks - 1, PACKET, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        inside += count_inside();
        MPI_Allreduce(&inside, &all, 1, MPI_DOUBLE, MPI_SUM, workers);
    }
    return 4 * all / ((double)rounds * pairs * (ranks - 1));
}

/* What is measured: from one barrier to the next, and nothing besides. */
static double experiment(MPI_Comm workers)
{
    double pi = 0;
    if (rank == ranks - 1)
        serve();
    else
        pi = work(workers);
    MPI_Barrier(MPI_COMM_WORLD);
    return pi;
}

BENCH_PLAIN int main(int argc, char **argv)
{
    MPI_Comm workers;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pairs = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 100;
    packet = calloc(2 * (size_t)pairs + 1, sizeof *packet);
    if (!packet || ranks < 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1, rank, &workers);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t begin = element_now();
    double pi = experiment(workers);
    if (rank == 0) {
        element_tell(begin);
        printf("pi %.3f\n", pi);
    }
    MPI_Comm_free(&workers);
    free(packet);
    MPI_Finalize();
    return 0;
}
