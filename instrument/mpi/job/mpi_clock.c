/* Processes of one boot of one machine, in one time namespace, have one clock: nothing is measured among them. Others
 * exchange messages with rank 0: the answer that came soonest tells what its clock said in the middle, to half of the
 * time that passed. */
#include "instrument/mpi/job/mpi_clock.h"

#include "instrument/mpi/mpi_collective.h"
#include "instrument/mpi/mpi_muted.h"
#include "profiler/format/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define EXCHANGES        50
#define EXCHANGES_ON_WAY 10
#define INTERVAL_S       1.0

struct clock_name { /* equal for equal clocks */
    char boot[40], space[40];
};

static MPI_Comm clock_comm = MPI_COMM_NULL; /* not to meet the program's messages; NULL: all have one clock */
static int clock_is_other;                  /* than that of rank 0 */

static void clock_name_read(struct clock_name *name)
{
    int kept = errno;
    *name = (struct clock_name){{0}, {0}};
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, name->boot, sizeof name->boot - 1) < 0)
            name->boot[0] = 0;
        close(file);
    }
    if (readlink("/proc/self/ns/time", name->space, sizeof name->space - 1) < 0)
        name->space[0] = 0;
    errno = kept;
}

static void clock_find_out(void)
{
    struct clock_name own, first;
    int any = 0;
    clock_name_read(&own);
    first = own;
    PMPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    clock_is_other = memcmp(&own, &first, sizeof own) != 0;
    PMPI_Allreduce(&clock_is_other, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any)
        PMPI_Comm_dup(MPI_COMM_WORLD, &clock_comm);
}

static int exchanges_of(int which)
{
    return which == 2 ? EXCHANGES_ON_WAY : EXCHANGES;
}

/* Rank 0 answers each exchange of the process with its time. */
static void clock_answer(int rank, int which)
{
    for (int i = 0; i < exchanges_of(which); i++) {
        uint64_t now;
        PMPI_Recv(NULL, 0, MPI_BYTE, rank, 0, clock_comm, MPI_STATUS_IGNORE);
        now = pcomp_trace_clock();
        PMPI_Send(&now, sizeof now, MPI_BYTE, rank, 0, clock_comm);
    }
}

static void clock_ask(int which)
{
    uint64_t best_tick = 0, best_there = 0, best_trip = UINT64_MAX;
    for (int i = 0; i < exchanges_of(which); i++) {
        uint64_t there = 0, before = pcomp_trace_clock();
        PMPI_Send(NULL, 0, MPI_BYTE, 0, 0, clock_comm);
        PMPI_Recv(&there, sizeof there, MPI_BYTE, 0, 0, clock_comm, MPI_STATUS_IGNORE);
        uint64_t trip = pcomp_trace_clock() - before;
        if (trip < best_trip) {
            best_trip = trip;
            best_tick = before + trip / 2;
            best_there = there;
        }
    }
    pcomp_trace_offset(which, best_tick, (int64_t)(best_there - best_tick), (best_trip + 1) / 2);
}

/* Rank 0 asks one process after the other whether it has another clock. */
static void clock_exchange(int which)
{
    int rank, size, other = 0;
    PMPI_Comm_rank(clock_comm, &rank);
    PMPI_Comm_size(clock_comm, &size);
    if (rank > 0) {
        PMPI_Send(&clock_is_other, 1, MPI_INT, 0, 0, clock_comm);
        if (clock_is_other)
            clock_ask(which);
    }
    for (int peer = 1; rank == 0 && peer < size; peer++) {
        PMPI_Recv(&other, 1, MPI_INT, peer, 0, clock_comm, MPI_STATUS_IGNORE);
        if (other)
            clock_answer(peer, which);
    }
}

/* --- on the way ----------------------------------------------------------------------------------------------------
 * All processes count how often all meet, and look at each `next` of it what rank 0 says: it has the time, and plans
 * the next look about an interval ahead. */

struct plan { /* of rank 0 */
    uint64_t next;
    int measure;
};

static struct {
    uint64_t passed, next;
    /* of rank 0 */
    uint64_t looked;
    double looked_s, measured_s, interval_s;
    unsigned kept; /* measurements in the headers of traces, which drop every other one when they are full */
} way;

static struct plan clock_plan(void)
{
    double now = PMPI_Wtime(), since = now - way.looked_s;
    uint64_t passed = way.passed - way.looked, ahead = 2 * passed; /* at most, since the pace may change */
    struct plan plan = {.measure = 0};
    if (way.looked == 0) { /* the first look */
        way.interval_s = INTERVAL_S;
        way.measured_s = now;
    } else if (now - way.measured_s >= way.interval_s) {
        plan.measure = 1;
        way.measured_s = now;
        if (++way.kept > PCOMP_TRACE_OFFSETS) {
            way.kept = PCOMP_TRACE_OFFSETS / 2 + 1;
            way.interval_s *= 2;
        }
    }
    if (way.looked && since > way.interval_s / 2)
        ahead = (uint64_t)((double)passed * way.interval_s / since);
    way.looked = way.passed;
    way.looked_s = now;
    plan.next = way.passed + (ahead ? ahead : 1);
    return plan;
}

static void clock_measure_again(void)
{
    struct plan plan = {0, 0};
    int rank;
    if (++way.passed < way.next)
        return;
    pcomp_trace_own_work(true);
    pcomp_trace_mute();
    PMPI_Comm_rank(clock_comm, &rank);
    if (rank == 0)
        plan = clock_plan();
    PMPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, clock_comm);
    way.next = plan.next;
    if (plan.measure)
        clock_exchange(2);
    pcomp_trace_unmute();
    pcomp_trace_own_work(false);
}

void clock_measure(int which)
{
    pcomp_trace_own_work(true);
    pcomp_trace_mute();
    if (which == 0)
        clock_find_out();
    if (!clock_is_other)
        pcomp_trace_offset(which, pcomp_trace_clock(), 0, 0);
    if (clock_comm != MPI_COMM_NULL)
        clock_exchange(which);
    if (clock_comm != MPI_COMM_NULL)
        mpi_before_synchronising = which == 0 ? clock_measure_again : NULL;
    if (which == 1 && clock_comm != MPI_COMM_NULL)
        PMPI_Comm_free(&clock_comm);
    pcomp_trace_unmute();
    pcomp_trace_own_work(false);
}
