/* What belongs to phases in which every call was counted, and what to bursts: kept apart in each node and thread of the
 * profile (struct pcomp_exact, struct pcomp_node_burst), so that the one stands for itself and the other for the time
 * around it.
 *
 *   hooks   ████████████░░░░░░██░░░░░░░░░██░░░░░█████████████░░░░░░██░░░░
 *           exact phase |  bursts               | exact phase |  bursts
 *
 * Called by the thread that switches hooks, while they are off. */
#ifndef PCOMP_PHASES_H
#define PCOMP_PHASES_H

#include <stdbool.h>

/* An exact phase begins, or ended; the first began with the profile. */
void phases_begin_exact(void);
void phases_end_exact(void);

/* Right after hooks were turned: notes what processor time threads had until then. */
void phases_turned(bool on);

struct phases_burst {
    double cost;          /* of the thread that was hit hardest, ticks */
    double progress;      /* of that thread */
    double on, low, high; /* calls of held functions, and weighed */
};

/* Adds a burst of `length` ticks, with `gap` ticks before it in which hooks were off. call: what a counted call costs
 * more than one whose hooks are off, as calibrated, ticks; slowness: to what it costs in bursts. */
struct phases_burst phases_add_burst(double gap, double length, double call, double slowness);

/* What was counted since the last time, in the thread in which it cost most, ticks; for the moment of an exact phase.
 */
double phases_cost_of_exact(double call);

/* Tells held_see of all nodes what was called since the last burst, or exact phase. Before those are added. */
void phases_show_calls(void);

#endif
