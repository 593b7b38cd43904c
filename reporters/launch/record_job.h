/* Whether this command is itself one of the processes of an MPI job (mpirun -n 4 pcomp record ...). */
#ifndef PCOMP_RECORD_JOB_H
#define PCOMP_RECORD_JOB_H

#include <stdbool.h>

/* Sets its rank and the job's id, which is the same in all its processes on this machine, and in no other job. False:
 * it is none. Thread-safe. */
bool record_job_find(unsigned char id[16], int *rank);

#endif
