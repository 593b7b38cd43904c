/* What a burst saw, added to the nodes and threads of the profile with what it stands for (struct pcomp_node_burst);
 * the arithmetic is compensation/burst.h.
 *
 * Called by the thread that switches hooks, while they are off. */
#ifndef PCOMP_BURST_WEIGHTS_H
#define PCOMP_BURST_WEIGHTS_H

#include <stdbool.h>

/* Right after hooks were turned: notes what processor time threads had until then. */
void burst_weights_turned(bool on);

struct burst_sums {
    double cost;          /* of the thread that was hit hardest, ticks */
    double progress;      /* of that thread */
    double on, low, high; /* calls of held functions, and weighed */
};

/* Adds a burst of `length` ticks, with `gap` ticks before it in which hooks were off. call: what a counted call costs
 * more than one whose hooks are off, which costs off_call, as calibrated, ticks; slowness: to what it costs in bursts.
 */
struct burst_sums burst_weights_add(double gap, double length, double call, double off_call, double slowness);

/* Tells held_see of all nodes what was called in an exact phase, before that is added; of a burst, adding it does. */
void burst_weights_show_calls(void);

#endif
