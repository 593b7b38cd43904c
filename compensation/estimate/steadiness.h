/* How steadily a machine runs, from times of the same work again and again: by how much a run on it differs from the
 * next.
 *
 * Two neighbouring blocks of 2^k values have means whose difference d tells the scatter on that scale (the Allan
 * variance, half of the mean d^2: Allan, Proc. IEEE 54 (1966), 221). Values that scatter independently are told apart
 * less and less as blocks grow; processors that others use, or whose clock wanders, keep a floor, which is about the
 * same on all greater scales. So the greatest scale with PCOMP_STEADY_PAIRS pairs stands for the scale of a run.
 *
 * All zeros is empty. Pure arithmetic in double precision; not thread-safe for one accumulator. */
#ifndef PCOMP_STEADINESS_H
#define PCOMP_STEADINESS_H

#define PCOMP_STEADY_SCALES 20
#define PCOMP_STEADY_PAIRS  4

/* Owned by the functions below. */
struct pcomp_steadiness {
    double values, sum, best; /* best: the shortest */
    struct {
        double waiting; /* a block's mean that has no neighbour yet; 0: none */
        double pairs, squares;
    } scale[PCOMP_STEADY_SCALES];
};

/* One more time of that work, above 0, any unit. */
void pcomp_steadiness_add(struct pcomp_steadiness *s, double value);

/* Standard deviation of runs, relative, with the factor by which Student's t of so few pairs exceeds the normal
 * quantile. 0: there were not enough values. */
double pcomp_steadiness_scatter(const struct pcomp_steadiness *s);

/* Part of the time that the work would have saved, each time as fast as the fastest: what others that use the
 * processor, or a lower clock, took from it. 0: there were not enough values. */
double pcomp_steadiness_lost(const struct pcomp_steadiness *s);

#endif
