/* mpi_ranks KIND ROUNDS SIZE: two ranks or more, whose hot functions are called more often than a trace should record:
 *
 *   master    the last rank draws packets of SIZE pairs of random numbers for the others, which ask for them and see
 *             whether each lies in the circle (2005 §5)
 *   stencil   a line of SIZE cells a rank, whose edges go to the neighbours in each step; ranks take longer in turns */
#include "element_work.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

enum { REQUEST = 1, PACKET = 2, TO_LEFT = 3, TO_RIGHT = 4 };

static int rank, ranks;
static unsigned rounds, size;
static double *now, *next;
static uint64_t seed = 1;

/* --- master and workers ----------------------------------------------------------------------------------------------
 */

BENCH_CALL static double draw(void)
{
    seed = element_chain(seed, 3);
    return (double)(seed >> 11) * 0x1p-53;
}

BENCH_CALL static unsigned is_inside(double x, double y)
{
    return x * x + y * y <= 1;
}

static void serve(void)
{
    for (unsigned i = 0; i < rounds * (unsigned)(ranks - 1); i++) {
        MPI_Status status;
        char request;
        for (unsigned k = 0; k < 2 * size; k++)
            now[k] = draw();
        MPI_Recv(&request, 1, MPI_CHAR, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
        MPI_Send(now, (int)(2 * size), MPI_DOUBLE, status.MPI_SOURCE, PACKET, MPI_COMM_WORLD);
    }
}

static double consume(void)
{
    double inside = 0;
    for (unsigned i = 0; i < rounds; i++) {
        char request = 1;
        MPI_Send(&request, 1, MPI_CHAR, ranks - 1, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(now, (int)(2 * size), MPI_DOUBLE, ranks - 1, PACKET, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (unsigned k = 0; k < size; k++)
            inside += is_inside(now[2 * k], now[2 * k + 1]);
    }
    return inside;
}

static double master(void)
{
    if (rank < ranks - 1)
        return consume();
    serve();
    return 0;
}

/* --- stencil ---------------------------------------------------------------------------------------------------------
 */

BENCH_CALL static double cell_update(double left, double here, double right)
{
    double change = (left - 2 * here + right) * 0.25;
    for (unsigned i = 0; i < 3; i++) /* Newton's root of x + x^3 = change */
        here -= (here + here * here * here - change) / (1 + 3 * here * here);
    return change + here * 0.5;
}

static void update(unsigned step)
{
    unsigned turns = 1 + ((unsigned)rank + step / 16) % 2;
    for (unsigned turn = 0; turn < turns; turn++) {
        for (unsigned i = 1; i <= size; i++)
            next[i] = cell_update(now[i - 1], now[i], now[i + 1]);
        double *last = now;
        now = next;
        next = last;
    }
}

static void exchange(void)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, TO_LEFT, &now[size + 1], 1, MPI_DOUBLE, right, TO_LEFT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now[size], 1, MPI_DOUBLE, right, TO_RIGHT, &now[0], 1, MPI_DOUBLE, left, TO_RIGHT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static double stencil(void)
{
    double sum = 0;
    for (unsigned step = 0; step < rounds; step++) {
        exchange();
        update(step);
    }
    for (unsigned i = 1; i <= size; i++)
        sum += now[i];
    return sum;
}

/* --- both ------------------------------------------------------------------------------------------------------------
 */

/* What is measured: from one barrier to the next, and nothing besides. */
BENCH_CALL static double experiment(double (*part)(void))
{
    double sum = part();
    MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

BENCH_PLAIN int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool is_stencil = argc > 1 && !strcmp(argv[1], "stencil");
    rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 400;
    size = argc > 3 ? (unsigned)atoi(argv[3]) : 20000;
    now = calloc(2 * (size_t)size + 2, sizeof *now);
    next = calloc(2 * (size_t)size + 2, sizeof *next);
    if (!now || !next || ranks < 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (unsigned i = 0; i < size + 2; i++)
        now[i] = next[i] = element_random((unsigned)rank, i, 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t begin = element_now();
    double sum = experiment(is_stencil ? stencil : master);
    if (rank == 0) {
        element_tell(begin);
        printf("sum %.3f\n", sum);
    }
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
