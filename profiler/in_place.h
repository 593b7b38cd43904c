/* What a counted call costs, measured again and again while the program runs: a processor changes its speed, and shares
 * its core and caches with other work, so that what was measured at the start is off by up to a third later.
 *
 * A stamped hook now and then evaluates the calibration kernel (profiler/calibrate_counted.h) with and without hooks,
 * in the thread and on the processor where the program's calls are made. The hook's own time is in no segment. */
#ifndef PCOMP_IN_PLACE_H
#define PCOMP_IN_PLACE_H

#include "profiler/hot.h"

/* The scratch thread of a calibration, in which the kernel's paths are counted; it is kept for good. Once a session. */
void in_place_keep(struct hot *scratch);

/* Child of a fork: there is none, until it calibrates. */
void in_place_forget(void);

/* By the owning thread, in a stamped hook: measures when it is time, and adds to the thread's sums. */
void in_place_measure(struct hot *h, uint64_t now);

#endif
