/* Calibration: what the hooks of this process cost on this machine, now. */
#ifndef PCOMP_CALIBRATE_H
#define PCOMP_CALIBRATE_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* Measures the hook variants in use through the hooks themselves, on a scratch profile: a few milliseconds. `delta` and
 * the deltas of the header's counters are filled, *clock_pair is the cost of two bare clock reads, fixed-point ticks.
 * False: no memory. Signals blocked; no other thread may be measuring. */
bool calibrate(struct pcomp_delta delta[PCOMP_VARIANTS], struct pcomp_counter *counters, int64_t *clock_pair);

/* What counting one call in place costs, fixed-point ticks, in a kernel. 0: calls are not counted in place here.
 * Signals blocked. */
int64_t calibrate_count(void);

/* What the calibration file that was read says it was fitted to (`pcomp verify --fit`); empty: to nothing. */
extern char calibration_fitted[128];

/* Reads the deltas of a calibration file instead, in ns, and converts them with `tick_hz`. NULL, or what is wrong. */
const char *calibration_read(const char *path, double tick_hz, struct pcomp_delta delta[PCOMP_VARIANTS]);

#endif
