/* The functions of MPI that are wrapped: what libpcomp-mpich and libpcomp-openmpi define, and what the preloaded
 * library passes on to them. MPI_X of libpcomp calls PMPI_X of the MPI. */
#ifndef PCOMP_MPI_NAMES_H
#define PCOMP_MPI_NAMES_H

/* clang-format off */
#define MPI_NAMES(X)                                                                                                   \
    X(Init) X(Init_thread) X(Finalize)                                                                                 \
    X(Comm_dup) X(Comm_dup_with_info) X(Comm_split) X(Comm_split_type) X(Comm_create) X(Comm_create_group)             \
    X(Cart_create) X(Cart_sub) X(Graph_create) X(Dist_graph_create) X(Dist_graph_create_adjacent) X(Intercomm_merge)   \
    X(Send) X(Bsend) X(Ssend) X(Rsend) X(Recv) X(Sendrecv) X(Sendrecv_replace) X(Probe) X(Iprobe)                      \
    X(Mprobe) X(Improbe) X(Mrecv) X(Imrecv)                                                                            \
    X(Isend) X(Ibsend) X(Issend) X(Irsend) X(Irecv)                                                                    \
    X(Send_init) X(Bsend_init) X(Ssend_init) X(Rsend_init) X(Recv_init) X(Start) X(Startall)                           \
    X(Wait) X(Waitall) X(Waitany) X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome)                                \
    X(Cancel) X(Request_free)                                                                                          \
    X(Barrier) X(Bcast) X(Reduce) X(Allreduce) X(Gather) X(Gatherv) X(Scatter) X(Scatterv) X(Allgather) X(Allgatherv)  \
    X(Alltoall) X(Alltoallv) X(Alltoallw) X(Scan) X(Exscan) X(Reduce_scatter) X(Reduce_scatter_block)  \
    X(Win_create) X(Win_allocate) X(Win_free) X(Win_fence) X(Win_start)                                                \
    X(Win_complete) X(Win_post) X(Win_wait) X(Win_lock) X(Win_unlock)                                                  \
    X(Win_lock_all) X(Win_unlock_all) X(Win_flush) X(Win_flush_all) X(Win_flush_local)                                 \
    X(Win_flush_local_all) X(Neighbor_allgather) X(Neighbor_allgatherv) X(Neighbor_alltoall) X(Neighbor_alltoallv)     \
    X(Neighbor_alltoallw) X(File_open) X(File_close) X(File_read_all) X(File_write_all)                                \
    X(File_read_at_all) X(File_write_at_all)
/* clang-format on */

#endif
