/* pcomp calibrate --mpi: what a message costs between two processes on this machine, and between it and another. */
#ifndef PCOMP_CALIBRATE_MPI_H
#define PCOMP_CALIBRATE_MPI_H

#include "reporters/base/emitter.h"

#define CALIBRATE_MPIS "any|mpich|openmpi" /* for options; any: of those that can be run */

/* Measures, shows, and writes `path` (NULL: none; "-": instead of showing). host: another machine, which the MPI can
 * start processes on and which has the same files; NULL: none. Returns the exit status. */
int calibrate_mpi(int mpi, const char *host, const char *path, enum emit_format format);

#endif
