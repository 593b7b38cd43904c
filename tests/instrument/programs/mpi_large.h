/* Included before a program of MPI 4: what it calls are the functions with counts of 64 bits. */
#ifndef PCOMP_TESTS_MPI_LARGE_H
#define PCOMP_TESTS_MPI_LARGE_H

#include <mpi.h>

#define COUNT_T MPI_Count
#define PLACE_T MPI_Aint

#define MPI_Allgather            MPI_Allgather_c
#define MPI_Allgatherv           MPI_Allgatherv_c
#define MPI_Allreduce            MPI_Allreduce_c
#define MPI_Alltoall             MPI_Alltoall_c
#define MPI_Alltoallv            MPI_Alltoallv_c
#define MPI_Alltoallw            MPI_Alltoallw_c
#define MPI_Bcast                MPI_Bcast_c
#define MPI_Bsend                MPI_Bsend_c
#define MPI_Exscan               MPI_Exscan_c
#define MPI_Gather               MPI_Gather_c
#define MPI_Gatherv              MPI_Gatherv_c
#define MPI_Iallreduce           MPI_Iallreduce_c
#define MPI_Imrecv               MPI_Imrecv_c
#define MPI_Irecv                MPI_Irecv_c
#define MPI_Irsend               MPI_Irsend_c
#define MPI_Isend                MPI_Isend_c
#define MPI_Isendrecv            MPI_Isendrecv_c
#define MPI_Isendrecv_replace    MPI_Isendrecv_replace_c
#define MPI_Issend               MPI_Issend_c
#define MPI_Mrecv                MPI_Mrecv_c
#define MPI_Put                  MPI_Put_c
#define MPI_Recv                 MPI_Recv_c
#define MPI_Recv_init            MPI_Recv_init_c
#define MPI_Reduce               MPI_Reduce_c
#define MPI_Reduce_scatter       MPI_Reduce_scatter_c
#define MPI_Reduce_scatter_block MPI_Reduce_scatter_block_c
#define MPI_Rsend                MPI_Rsend_c
#define MPI_Scan                 MPI_Scan_c
#define MPI_Scatter              MPI_Scatter_c
#define MPI_Scatterv             MPI_Scatterv_c
#define MPI_Send                 MPI_Send_c
#define MPI_Send_init            MPI_Send_init_c
#define MPI_Sendrecv             MPI_Sendrecv_c
#define MPI_Sendrecv_replace     MPI_Sendrecv_replace_c
#define MPI_Ssend                MPI_Ssend_c
#define MPI_Win_create           MPI_Win_create_c

#endif
