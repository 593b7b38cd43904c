/* The offset of this process's clock to that of rank 0, measured at the start and at the end (2005 §5). */
#ifndef PCOMP_MPI_CLOCK_H
#define PCOMP_MPI_CLOCK_H

/* To be called by all processes of MPI_COMM_WORLD: which 0 at the start, 1 at the end. Where clocks differ, it is
 * measured on the way, too, every second and, in long runs, less often (mpi_before_synchronising). */
void clock_measure(int which);

#endif
