/* What messages cost, as `pcomp calibrate --mpi -o FILE` writes it and `pcomp replay` reads it: a head, then a line for
 * each fact (see pcomp-calibrate(1)). Times are in nanoseconds. */
#ifndef PCOMP_COMM_FILE_H
#define PCOMP_COMM_FILE_H

#include "compensation/cost/comm_model.h"

#include <stdio.h>

/* `mpi` is the name and version of the MPI, in one line. `messages`: of those in a node; `between`: of those between
 * two nodes, of which nothing may be known. */
void comm_file_write(FILE *out, const char *mpi, const struct comm_model *messages, const struct comm_model *between);

/* False after writing one line to error: "PATH: line N: ...", or the system's reason. */
bool comm_file_read(const char *path, struct comm_model *messages, struct comm_model *between, char *error,
                    size_t error_size);

#endif
