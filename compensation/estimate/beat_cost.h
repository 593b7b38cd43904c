/* What a beat (the signal of a perf event) costs, from the pauses that a loop of equal steps makes while beats come. */
#ifndef PCOMP_BEAT_COST_H
#define PCOMP_BEAT_COST_H

#include <stdbool.h>

#define PCOMP_BEATS       12u      /* to wait for */
#define PCOMP_BEAT_PERIOD 50021e-9 /* seconds of the loop's processor time from one to the next, at first */
#define PCOMP_BEAT_MAX    200e-6   /* seconds: in a longer pause the loop had no processor */

struct pcomp_beat_pauses {     /* all zero at first, but for `period`; seconds */
    double period;             /* of the loop's processor time from one beat to the next */
    double pause[PCOMP_BEATS]; /* of steps with a beat, the shortest first */
    double behind, waited;     /* what other steps took longer; all steps */
    unsigned beats, lost;      /* pauses above; pauses longer than PCOMP_BEAT_MAX */
};

/* A step that took `passed` seconds, in place of `step` where nothing comes in between. False: pcomp_beat_cost knows
 * enough, or will not know more. Not thread-safe for one `p`. */
bool pcomp_beat_pauses_add(struct pcomp_beat_pauses *p, double passed, double step, bool beat);

/* The period with which a cost has to be measured again that was found with `period`; 0: it is good. Where a beat takes
 * longer than a period, as on some virtual machines, pauses are those of several. Thread-safe. */
double pcomp_beat_next_period(double period, double cost);

/* Seconds; PCOMP_BEAT_MAX where others had the processor; 0: there were no beats. Thread-safe. */
double pcomp_beat_cost(const struct pcomp_beat_pauses *p);

#endif
