/* The functions of MPI that are wrapped: what libpcomp-mpich and libpcomp-openmpi define, and what the preloaded
 * library passes on to them. MPI_X of libpcomp calls PMPI_X of the MPI. */
#ifndef PCOMP_MPI_NAMES_H
#define PCOMP_MPI_NAMES_H

/* clang-format off */
/* Since MPI 4 twice: `c` is nothing, or _c, for counts of 64 bits. */
#define MPI_NAMES_WITH_COUNTS(X, c)                                                                                    \
    X(Send##c) X(Bsend##c) X(Ssend##c) X(Rsend##c) X(Recv##c) X(Sendrecv##c) X(Sendrecv_replace##c) X(Mrecv##c)        \
    X(Imrecv##c) X(Isend##c) X(Ibsend##c) X(Issend##c) X(Irsend##c) X(Irecv##c) X(Send_init##c) X(Bsend_init##c)       \
    X(Ssend_init##c) X(Rsend_init##c) X(Recv_init##c) X(Bcast##c) X(Reduce##c) X(Allreduce##c) X(Gather##c)            \
    X(Gatherv##c) X(Scatter##c) X(Scatterv##c) X(Allgather##c) X(Allgatherv##c) X(Alltoall##c) X(Alltoallv##c)         \
    X(Alltoallw##c) X(Scan##c) X(Exscan##c) X(Reduce_scatter##c) X(Reduce_scatter_block##c) X(Win_create##c)           \
    X(Win_allocate##c) X(Neighbor_allgather##c) X(Neighbor_allgatherv##c) X(Neighbor_alltoall##c)                      \
    X(Neighbor_alltoallv##c) X(Neighbor_alltoallw##c) X(File_read_all##c) X(File_write_all##c) X(File_read_at_all##c)  \
    X(File_write_at_all##c)

/* Those that MPI 4 has brought, so. */
#define MPI_NAMES_OF_MPI_4(X, c) X(Isendrecv##c) X(Isendrecv_replace##c)

#define MPI_NAMES_WITHOUT_COUNTS(X)                                                                                    \
    X(Init) X(Init_thread) X(Finalize)                                                                                 \
    X(Comm_dup) X(Comm_dup_with_info) X(Comm_split) X(Comm_split_type) X(Comm_create) X(Comm_create_group)             \
    X(Cart_create) X(Cart_sub) X(Graph_create) X(Dist_graph_create) X(Dist_graph_create_adjacent) X(Intercomm_merge)   \
    X(Probe) X(Iprobe) X(Mprobe) X(Improbe) X(Start) X(Startall)                                                       \
    X(Wait) X(Waitall) X(Waitany) X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome)                                \
    X(Cancel) X(Request_free) X(Barrier)                                                                               \
    X(Win_free) X(Win_fence) X(Win_start) X(Win_complete) X(Win_post) X(Win_wait) X(Win_lock) X(Win_unlock)            \
    X(Win_lock_all) X(Win_unlock_all) X(Win_flush) X(Win_flush_all) X(Win_flush_local) X(Win_flush_local_all)          \
    X(File_open) X(File_close)

#define MPI_NAMES(X)                                                                                                   \
    MPI_NAMES_WITHOUT_COUNTS(X) MPI_NAMES_WITH_COUNTS(X, ) MPI_NAMES_WITH_COUNTS(X, _c) MPI_NAMES_OF_MPI_4(X, )        \
    MPI_NAMES_OF_MPI_4(X, _c)
/* clang-format on */

#endif
