/* Counters of --counters, through PAPI, which is loaded only when they are asked for (dlopen, RTLD_LOCAL). */
#ifndef PCOMP_COUNTERS_H
#define PCOMP_COUNTERS_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

struct counter_set; /* of one thread */

/* Loads PAPI and checks the events of config.counters; fills header.counters[].name and counter_count. Returns NULL or
 * what is wrong (static text). Once a session. */
const char *counters_start(void);

/* The calling thread's counters, running; NULL: they cannot be had here. */
struct counter_set *counters_begin(void);
void counters_end(struct counter_set *set);

/* Reads all counters of the calling thread. */
void counters_read(struct counter_set *set, int64_t *values);

#endif
