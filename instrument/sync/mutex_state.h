/* What locks and condition variables know of themselves. */
#ifndef PCOMP_MUTEX_STATE_H
#define PCOMP_MUTEX_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether an unlock by the calling thread would release `m`: not where it is not the holder of a mutex that keeps its
 * holder, and not the inner ones of a recursive mutex. Of a mutex that does not keep its holder: true. */
bool mutex_unlock_releases(const pthread_mutex_t *m);

/* Whether other processes have it. */
bool mutex_is_shared(const pthread_mutex_t *m);

/* The object of their events. 0: other processes have it, and how they name it is not known here. */
uint64_t mutex_object(const pthread_mutex_t *m);
uint64_t condition_object(const pthread_cond_t *c);
uint64_t rwlock_object(const pthread_rwlock_t *l);

#endif
