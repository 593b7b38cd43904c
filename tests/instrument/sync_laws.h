/* What must be true of the events of any traced program, whatever its threads did (compensation/trace_event/event.h).
 * Told the events of all locations in the order of time. */
#ifndef PCOMP_TEST_SYNC_LAWS_H
#define PCOMP_TEST_SYNC_LAWS_H

#include "compensation/trace_event/event.h"

#include <stdbool.h>

struct sync_laws;

struct sync_laws *sync_laws_new(uint32_t locations);
void sync_laws_free(struct sync_laws *laws);

#define SYNC_UNKNOWN UINT64_MAX

/* Number of breaches, when all events are seen; each was printed as a line "MISS ...", the first hundred of them.
 * unsignalled: waits for conditions that the program itself saw end without a signal, or SYNC_UNKNOWN. */
uint64_t sync_laws_misses(const struct sync_laws *laws, uint64_t unsignalled);

/* The next event, of `location` in `process`. Short events have zeros in a and b. */
void sync_laws_event(struct sync_laws *laws, uint32_t location, int32_t process, const struct pcomp_event_long *e);

/* Of the kinds of two events of equal time: true when `a` is the one that may have caused the other. */
bool sync_laws_goes_first(uint32_t a, uint32_t b);

/* "SEM_V" and so on; NULL: no kind that is known here. */
const char *sync_kind_name(uint32_t kind);

#endif
