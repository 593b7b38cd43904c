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

/* An exact phase begins, or ended; the first began with the profile. */
void phases_begin_exact(void);
void phases_end_exact(void);

/* What was counted since the last time, in the thread in which it cost most, ticks; for the moment of an exact phase.
 */
double phases_cost_of_exact(double call);

#endif
