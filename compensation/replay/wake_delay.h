/* How long who awaits takes to notice, and how long one takes who finds that nothing need be awaited.
 *
 * Whoever looks again and again, and lets others run in between, goes on some time after the cause; who finds it there
 * goes on at once. A wait that appears without the measurement, or vanishes, has the other's delay, which is known from
 * the others of its process. Not in the papers, whose (W) carries over the measured delay whatever it was. */
#ifndef PCOMP_REPLAY_WAKE_DELAY_H
#define PCOMP_REPLAY_WAKE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

enum { WAKE_DELAYS = 64 };

struct wake_delay { /* all zero: nothing is known */
    int64_t recent[WAKE_DELAYS];
    uint64_t count;
    int64_t low, high; /* quartiles of the recent ones; any unit */
};

struct wake_delays {
    struct wake_delay waited, passed;
};

/* Adds a measured delay, of one that waited or of one that did not. */
void wake_delay_seen(struct wake_delays *delays, bool waited, int64_t delay);

/* What a delay becomes where it waited in one execution and not in the other: the difference of the lower quartiles is
 * added or taken away, down to 0 (what disturbs only lengthens). Unchanged unless both kinds were seen often and the
 * middle halves of them lie apart. */
int64_t wake_delay_changed(const struct wake_delays *delays, int64_t delay, bool waited, bool waits);

#endif
