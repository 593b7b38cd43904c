/* mpi_transpose SIZE ROUNDS CALLS [blind]: a matrix of SIZE x SIZE numbers, a slab of columns in each rank, is computed
 * on and transposed, again and again (1993 §4.2). A slab is as many blocks as there are ranks; block p goes to rank p
 * by a blocking write and a blocking read. CALLS calls are made before each transpose; with 0, one for each of a slab's
 * numbers.
 *
 * blind: all blocks are written first, then read from whoever comes, and rank r has r + 1 times the calls. The number
 * of ranks is a power of two. */
#include "element_work.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

static int rank, ranks;
static unsigned size, rounds, calls;
static double *slab, *block;

/* Depends on the one before, so that calls do not overlap in the processor, measured or not. */
BENCH_CALL static uint64_t element(uint64_t x)
{
    return element_chain(x, 100);
}

static void compute(void)
{
    unsigned columns = size / (unsigned)ranks, numbers = size * columns, count = calls ? calls : numbers;
    uint64_t x = 1;
    for (unsigned i = 0; i < count; i++) {
        x = element(x);
        slab[i % numbers] = (double)x;
    }
}

static void send_block(int to)
{
    unsigned columns = size / (unsigned)ranks, numbers = columns * columns;
    MPI_Send(slab + (size_t)to * numbers, (int)numbers, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

static void receive_block(int from)
{
    unsigned columns = size / (unsigned)ranks, numbers = columns * columns;
    MPI_Status status;
    MPI_Recv(block, (int)numbers, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &status);
    double *to = slab + (size_t)status.MPI_SOURCE * numbers;
    for (unsigned i = 0; i < numbers; i++)
        to[i] = block[i % columns * columns + i / columns];
}

/* Each pair of ranks in turn, the lower one writes first: whether a write waits for its read or not. */
static void transpose(void)
{
    for (int step = 1; step < ranks; step++) {
        int other = rank ^ step;
        if (rank < other)
            send_block(other);
        receive_block(other);
        if (rank > other)
            send_block(other);
    }
}

static void transpose_blind(void)
{
    for (int step = 1; step < ranks; step++)
        send_block(rank ^ step);
    for (int step = 1; step < ranks; step++)
        receive_block(MPI_ANY_SOURCE);
}

/* What is measured: from one barrier to the next. */
static void experiment(bool blind)
{
    for (unsigned i = 0; i < rounds; i++) {
        compute();
        if (blind)
            transpose_blind();
        else
            transpose();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

BENCH_PLAIN int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size = argc > 1 ? (unsigned)atoi(argv[1]) : 64;
    rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 50;
    calls = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    bool blind = argc > 4 && !strcmp(argv[4], "blind");
    if (size % (unsigned)ranks || (ranks & (ranks - 1)) || size / (unsigned)ranks == 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    calls = blind ? (calls ? calls : 1000) * (unsigned)(rank + 1) : calls;
    slab = calloc((size_t)size * size / (unsigned)ranks + 1, sizeof *slab);
    block = calloc((size_t)size * size + 1, sizeof *block);
    if (!slab || !block)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t begin = element_now();
    experiment(blind);
    if (rank == 0)
        element_tell(begin);
    free(slab);
    free(block);
    MPI_Finalize();
    return 0;
}
