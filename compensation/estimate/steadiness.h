/* How steadily a machine runs, from times of the same work again and again: what others that use the processor, or a
 * lower clock, took from a run. The next run may lose none of that, or twice as much.
 *
 * All zeros is empty. Pure arithmetic in double precision; not thread-safe for one accumulator. */
#ifndef PCOMP_STEADINESS_H
#define PCOMP_STEADINESS_H

#define PCOMP_STEADY_VALUES 8 /* of fewer, nothing is known */

/* Owned by the functions below. */
struct pcomp_steadiness {
    double values, sum, best; /* best: the shortest */
};

/* One more time of that work, above 0, any unit. */
void pcomp_steadiness_add(struct pcomp_steadiness *s, double value);

/* Part of the time that the work would have saved, each time as fast as the fastest. 0: there were not enough values.
 */
double pcomp_steadiness_lost(const struct pcomp_steadiness *s);

#endif
