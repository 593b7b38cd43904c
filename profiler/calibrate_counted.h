/* Calibration of calls that are counted, a random few timed. */
#ifndef PCOMP_CALIBRATE_COUNTED_H
#define PCOMP_CALIBRATE_COUNTED_H

#include "profiler/hot.h"

/* Measures with the scratch thread `h`, which is the current one: in `delta` the variants REPEAT and LOOKUP (what a
 * counted call's hooks do), BARE (calling them) and SKIP (all of a filtered one), and *stamp, a stamped segment with
 * nothing in it. `empty` makes a call of an instrumented empty function, which has the node `node`. Fixed-point ticks.
 */
void calibrate_counted(struct hot *h, struct pcomp_delta delta[PCOMP_VARIANTS], int64_t *stamp, void (*empty)(uint64_t),
                       uint64_t function, struct pcomp_node *node);

/* One more measurement of a counted call, hooks and calling them, with the scratch thread of calibrate_counted, on the
 * current one. Signals blocked. Fixed-point ticks. *plain: what the kernel took without hooks, ticks. */
int64_t calibrate_counted_again(struct hot *scratch, int64_t *plain);

/* What a call costs whose hooks are off, and its standard deviation; fixed-point ticks. */
void calibrate_off_call(int64_t *cost, int64_t *spread);

#endif
