#include "instrument/mpi/mpi_comm.h"

#include "instrument/mpi/mpi_muted.h"
#include "instrument/mpi/mpi_pages.h"

#define NUMBERS   (1u << 24)
#define NO_NUMBER UINT32_MAX

bool mpi_traced;

static struct mpi_comm *comm_world;
static int comm_key = MPI_KEYVAL_INVALID; /* of the attribute */
static uint32_t comms_led;                /* how many communicators got their number from this process */

static size_t comm_bytes(int size)
{
    return sizeof(struct mpi_comm) + (size_t)size * sizeof(int32_t);
}

void comm_hold(struct mpi_comm *comm)
{
    __atomic_add_fetch(&comm->users, 1, __ATOMIC_RELAXED);
}

void comm_release(struct mpi_comm *comm)
{
    if (__atomic_sub_fetch(&comm->users, 1, __ATOMIC_ACQ_REL) == 0)
        pages_free(comm, comm_bytes(comm->size));
}

static int comm_deleted(MPI_Comm comm, int key, void *known, void *unused)
{
    (void)comm, (void)key, (void)unused;
    comm_release(known);
    return MPI_SUCCESS;
}

static struct mpi_comm *comm_new(uint32_t number, int size)
{
    struct mpi_comm *known = pages_new(comm_bytes(size));
    if (known) {
        known->number = number;
        known->users = 1;
        known->size = size;
        for (int i = 0; i < size; i++)
            known->world[i] = i;
    }
    return known;
}

/* Numbers are dealt out by the first member of a communicator: the n-th that rank r of w deals out is n * w + r + 1.
 * The one of MPI_COMM_SELF is the 0-th. */
static uint32_t comm_number(void)
{
    uint64_t nth = __atomic_fetch_add(&comms_led, 1, __ATOMIC_RELAXED);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    uint64_t number = nth * (uint64_t)comm_world->size + (uint64_t)rank + 1;
    return number < NUMBERS ? (uint32_t)number : NO_NUMBER;
}

bool comm_start(int rank, int size)
{
    struct mpi_comm *self = comm_new((uint32_t)rank + 1, 1);
    comm_world = comm_new(0, size);
    if (!self || !comm_world || PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_deleted, &comm_key, NULL))
        return false;
    self->world[0] = rank;
    comms_led = 1;
    PMPI_Comm_set_attr(MPI_COMM_SELF, comm_key, self);
    return true;
}

/* Fills in the members' ranks in MPI_COMM_WORLD. False: one is not in it. */
static bool comm_translate(MPI_Comm comm, struct mpi_comm *known)
{
    MPI_Group members, world;
    bool all = true;
    PMPI_Comm_group(comm, &members);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < known->size; i++) {
        int rank = MPI_UNDEFINED;
        PMPI_Group_translate_ranks(members, 1, &i, world, &rank);
        known->world[i] = rank;
        all = all && rank != MPI_UNDEFINED;
    }
    PMPI_Group_free(&members);
    PMPI_Group_free(&world);
    return all;
}

static void comm_register(MPI_Comm comm)
{
    int between = 0, size = 0, rank = 0;
    PMPI_Comm_test_inter(comm, &between);
    if (between)
        return;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &rank);
    /* The number is sent in any case: the other members wait for it. */
    struct mpi_comm *known = comm_new(NO_NUMBER, size);
    if (known && !comm_translate(comm, known)) {
        comm_release(known);
        return; /* the same in all members */
    }
    uint32_t number = rank == 0 ? comm_number() : 0;
    PMPI_Bcast(&number, sizeof number, MPI_BYTE, 0, comm);
    if (!known)
        return;
    known->number = number;
    if (number == NO_NUMBER || PMPI_Comm_set_attr(comm, comm_key, known))
        comm_release(known);
}

void comm_made(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL)
        return;
    pcomp_trace_own_work(true);
    pcomp_trace_mute();
    comm_register(comm);
    pcomp_trace_unmute();
    pcomp_trace_own_work(false);
}

struct mpi_comm *comm_find(MPI_Comm comm)
{
    void *known = NULL;
    int found = 0;
    if (comm == MPI_COMM_WORLD)
        return comm_world;
    if (comm == MPI_COMM_NULL)
        return NULL;
    MUTED(PMPI_Comm_get_attr(comm, comm_key, &known, &found));
    return found ? known : NULL;
}
