/* Memory of the MPI libraries, from the system: the program's malloc may be instrumented, or be measured. Thread-safe.
 */
#ifndef PCOMP_MPI_PAGES_H
#define PCOMP_MPI_PAGES_H

#include <stddef.h>

/* Zeroed memory, whole pages; NULL: there is none. Keeps errno. */
void *pages_new(size_t bytes);

/* Gives back what pages_new(bytes) returned; NULL is left alone. */
void pages_free(void *pages, size_t bytes);

#endif
