/* Calibration: what the hooks of this process cost on this machine, now. */
#ifndef PCOMP_CALIBRATE_H
#define PCOMP_CALIBRATE_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* Measures the hook variants in use through the hooks themselves, on a scratch profile: a few milliseconds. `delta` is
 * filled; the other prices are kept for calibrate_publish. False: no memory. Signals blocked; no other thread may be
 * measuring. */
bool calibrate(struct pcomp_delta delta[PCOMP_VARIANTS]);

/* The same of one call counted in place, in a kernel, where this process counts so. Signals blocked. */
void calibrate_count(void);

/* Writes the prices that this process, or the one that it was forked from, measured last. */
void calibrate_publish(struct pcomp_header *header);

/* What the calibration file that was read says it was fitted to (`pcomp verify --fit`); empty: to nothing. */
extern char calibration_fitted[128];

/* Reads the deltas of a calibration file instead, in ns, and converts them with `tick_hz`. NULL, or what is wrong. */
const char *calibration_read(const char *path, double tick_hz, struct pcomp_delta delta[PCOMP_VARIANTS]);

#endif
