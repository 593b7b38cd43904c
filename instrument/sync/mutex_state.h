/* What a mutex knows of its holder. */
#ifndef PCOMP_MUTEX_STATE_H
#define PCOMP_MUTEX_STATE_H

#include <pthread.h>
#include <stdbool.h>

/* Whether an unlock by the calling thread would release `m`: not where it is not the holder of a mutex that keeps its
 * holder, and not the inner ones of a recursive mutex. Of a mutex that does not keep its holder: true. */
bool mutex_unlock_releases(const pthread_mutex_t *m);

#endif
