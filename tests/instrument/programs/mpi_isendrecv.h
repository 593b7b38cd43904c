/* Whether the MPI has MPI_Isendrecv: of MPI 4, and in Open MPI 5, an MPI 3.1. */
#ifndef PCOMP_TESTS_MPI_ISENDRECV_H
#define PCOMP_TESTS_MPI_ISENDRECV_H

#include <mpi.h>

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define ISENDRECV
#endif

#endif
