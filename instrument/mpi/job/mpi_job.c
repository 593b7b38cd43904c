/* The beginning and the end of MPI in this process. */
#include "instrument/exported.h"
#include "instrument/mpi/job/mpi_calibrate.h"
#include "instrument/mpi/job/mpi_clock.h"
#include "instrument/mpi/job/mpi_protocol.h"
#include "instrument/mpi/mpi_comm.h"
#include "instrument/mpi/mpi_muted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What every process of the job sees alike, unlike whether its recording has begun. */
static bool trace_is_wanted(void)
{
    const char *options = secure_getenv("PCOMP_OPTIONS");
    return options && strstr(options, "--trace");
}

static void job_begin(void)
{
    int rank = 0, size = 1, can, all = 0;
    MUTED(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUTED(PMPI_Comm_size(MPI_COMM_WORLD, &size));
    pcomp_trace_rank(rank, size);
    if (!trace_is_wanted())
        return;
    /* The processes help each other in numbering communicators: all record, or none. */
    pcomp_trace_own_work(true);
    pcomp_trace_mute();
    can = pcomp_trace_is_on() && comm_start(rank, size);
    PMPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    pcomp_trace_unmute();
    pcomp_trace_own_work(false);
    if (all)
        clock_measure(0);
    else if (rank == 0)
        dprintf(STDERR_FILENO, "pcomp: MPI: messages are not recorded: not every process can record a trace\n");
    mpi_traced = all;
    if (!all)
        return;
    pcomp_trace_own_work(true);
    mpi_calibrate();
    mpi_protocol_find();
    pcomp_trace_own_work(false);
}

/* Before the MPI makes threads of its own, which are no locations of the program. */
static void job_prepare(void)
{
    if (trace_is_wanted())
        pcomp_trace_start();
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    job_prepare();
    int result = MUTED(PMPI_Init(argc, argv));
    if (result == MPI_SUCCESS)
        job_begin();
    return result;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    job_prepare();
    int result = MUTED(PMPI_Init_thread(argc, argv, required, provided));
    if (result == MPI_SUCCESS)
        job_begin();
    return result;
}

EXPORT int MPI_Finalize(void)
{
    if (mpi_traced)
        clock_measure(1);
    mpi_traced = false;
    return MUTED(PMPI_Finalize());
}
