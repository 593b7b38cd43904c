/* Mutexes that the only thread of a process takes. Nobody can wait for them, so traces have none of them, unless the
 * thread still holds one when there is a second thread. By the thread that takes them; in signal handlers, too. */
#ifndef PCOMP_LONE_LOCKS_H
#define PCOMP_LONE_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the calling thread is the only one, so that a mutex that is free may be taken without an event. */
bool lone_locks_alone(void);

/* It was taken so. */
void lone_locks_taken(uint64_t object);

/* It is to be released. False: that is to be recorded. */
bool lone_locks_released(uint64_t object);

/* A second thread is about to exist, or the thread waits: from now on all is recorded, what it holds first. */
void lone_locks_end(void);

#endif
