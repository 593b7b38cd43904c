/* The making of communicators: a collective operation of those that they are made from, after which the members agree
 * on a number. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_collective.h"
#include "instrument/mpi/mpi_muted.h"

/* Before the call: MPICH 5.0.2 returns success where the program's handler has taken an error, and leaves *made. */
static MPI_Comm unset(MPI_Comm *made)
{
    MPI_Comm before = made ? *made : MPI_COMM_NULL;
    if (made)
        *made = MPI_COMM_NULL;
    return before;
}

static int made_of(int result, MPI_Comm *made, MPI_Comm before)
{
    if (made && result == MPI_SUCCESS)
        comm_made(*made);
    else if (made)
        *made = before;
    return result;
}

/* The body of a wrapper that makes *made out of comm. */
#define CREATION(call)                                                                                                 \
    do {                                                                                                               \
        if (!mpi_traced)                                                                                               \
            return call;                                                                                               \
        MPI_Comm before = unset(made);                                                                                 \
        struct collective collective = collective_enter(comm_find(comm), PCOMP_OPERATION_CREATE, 0, 0);                \
        return made_of(collective_exit(&collective, MUTED(call)), made, before);                                       \
    } while (0)

EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    CREATION(PMPI_Comm_dup(comm, made));
}

EXPORT int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
    CREATION(PMPI_Comm_dup_with_info(comm, info, made));
}

EXPORT int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made)
{
    CREATION(PMPI_Comm_split(comm, colour, key, made));
}

EXPORT int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    CREATION(PMPI_Comm_split_type(comm, type, key, info, made));
}

EXPORT int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    CREATION(PMPI_Comm_create(comm, group, made));
}

EXPORT int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periodic[], int reorder,
                           MPI_Comm *made)
{
    CREATION(PMPI_Cart_create(comm, dimensions, sizes, periodic, reorder, made));
}

EXPORT int MPI_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm *made)
{
    CREATION(PMPI_Cart_sub(comm, kept, made));
}

EXPORT int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made)
{
    CREATION(PMPI_Graph_create(comm, nodes, index, edges, reorder, made));
}

EXPORT int MPI_Dist_graph_create(MPI_Comm comm, int count, const int sources[], const int degrees[],
                                 const int destinations[], const int weights[], MPI_Info info, int reorder,
                                 MPI_Comm *made)
{
    CREATION(PMPI_Dist_graph_create(comm, count, sources, degrees, destinations, weights, info, reorder, made));
}

EXPORT int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[], const int source_weights[],
                                          int out, const int destinations[], const int weights[], MPI_Info info,
                                          int reorder, MPI_Comm *made)
{
    CREATION(PMPI_Dist_graph_create_adjacent(comm, in, sources, source_weights, out, destinations, weights, info,
                                             reorder, made));
}

/* Only some members of `comm` take part, or members of two communicators: no collective of one of them. */
#define CREATION_AMONG_SOME(call)                                                                                      \
    do {                                                                                                               \
        if (!mpi_traced)                                                                                               \
            return call;                                                                                               \
        MPI_Comm before = unset(made);                                                                                 \
        return made_of(MUTED(call), made, before);                                                                     \
    } while (0)

EXPORT int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    CREATION_AMONG_SOME(PMPI_Comm_create_group(comm, group, tag, made));
}

EXPORT int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *made)
{
    CREATION_AMONG_SOME(PMPI_Intercomm_merge(comm, high, made));
}
