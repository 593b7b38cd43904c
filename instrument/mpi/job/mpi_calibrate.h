/* What our wrappers take beside their events, measured at the start and added to alpha. */
#ifndef PCOMP_MPI_CALIBRATE_H
#define PCOMP_MPI_CALIBRATE_H

/* When mpi_traced, in the middle of own work: sends messages from this process to itself. */
void mpi_calibrate(void);

#endif
