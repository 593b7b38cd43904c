/* Functions with counts exist twice since MPI 4: MPI_X with int, and MPI_X_c with MPI_Count, whose places are MPI_Aint.
 * A source that includes this is compiled for each (CMakeLists.txt), with the names and types of this header. */
#ifndef PCOMP_MPI_COUNTS_H
#define PCOMP_MPI_COUNTS_H

#include <mpi.h>

/* Of MPI 4; Open MPI 5, which is an MPI 3.1, has it, too. */
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define PCOMP_MPI_ISENDRECV
#endif

#ifdef PCOMP_MPI_LARGE
#define WRAPPED(name) MPI_##name##_c
#define REAL(name)    PMPI_##name##_c
typedef MPI_Count count_t;
typedef MPI_Aint place_t;
#else
#define WRAPPED(name) MPI_##name
#define REAL(name)    PMPI_##name
typedef int count_t;
typedef int place_t;
#endif

#endif
