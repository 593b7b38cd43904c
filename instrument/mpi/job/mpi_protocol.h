/* Up to which size this MPI sends a message although its receiver has not come. */
#ifndef PCOMP_MPI_PROTOCOL_H
#define PCOMP_MPI_PROTOCOL_H

/* When mpi_traced, in the middle of own work, by all processes of MPI_COMM_WORLD: tries it between neighbouring ranks,
 * and tells the trace. */
void mpi_protocol_find(void);

#endif
