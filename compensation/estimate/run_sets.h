/* Two sets of runs: by how much their means differ, and how probable that is without a difference of the programs.
 *
 * A run's value is  x = mu + r + e: the mean of the program; what differs from run to run; the error that the run
 * states of its own value. The runs of a set scatter by r and by that part of e that is new in each run: their standard
 * deviation S measures both together, whatever either is. The part of e that the scatter does not show is the same in
 * all runs (a price that is a little wrong everywhere), c = sqrt(max(0, mean of s^2 - S^2)) with s the standard
 * deviation of e. It cancels in the difference of two sets as far as the program makes the same calls:
 *
 *     variance of the difference = V_a + V_b + (q * c)^2,  q = |N_b - N_a| / max(N_a, N_b)
 *
 * with the degrees of freedom that Satterthwaite gives the first two terms (Welch 1947). V is the variance of a mean of
 * n runs. Runs that follow each other are alike, since the speed of a machine drifts: with a correlation of rho^k at a
 * distance of k runs, and g = 1 + 2 * sum over k of (1 - k / n) * rho^k,
 *
 *     V = S^2 / n * g * (n - 1) / (n - g)
 *
 * which is S^2 / n for independent runs. Where the runs of both sets were made in turns, what drifts is in both means
 * alike: V is then S^2 / n, and the drift within a set is in S still. A set of one run has the scatter of the other;
 * where both have one, nothing is known of r, and s^2 stands for V.
 *
 * Pure arithmetic in double precision; no state; thread-safe. */
#ifndef PCOMP_RUN_SETS_H
#define PCOMP_RUN_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCOMP_RUN_CORRELATION 0.3 /* rho: of times of functions in 60 runs on a virtual machine */

struct pcomp_run {
    double value;       /* NAN: not known of this run, which is then left out */
    double uncertainty; /* half-width of its 95 % interval; NAN: as 0 */
    double calls;       /* whose cost was taken off of the value */
};

struct pcomp_run_set {
    size_t runs;        /* with a value */
    double mean, calls; /* NAN without runs */
    double scatter;     /* S: standard deviation of one run; NAN below two runs */
    double stated;      /* s: root of the mean square of the runs' own standard deviations */
    double shared;      /* c: error that all runs share */
    double uncertainty; /* half-width of the 95 % interval of the mean, the shared error included */
};

struct pcomp_set_difference {
    double change;      /* after - before; NAN: not known */
    double uncertainty; /* half-width of its 95 % interval */
    double p;           /* probability of a change as great or greater, in either direction, if there is none */
};

struct pcomp_run_set pcomp_run_set_of(const struct pcomp_run *runs, size_t count);

/* Whether runs were made in turns: at no time had one set begun two runs more than the other. begins[i] is when run i
 * began (no unit; 0: not known), the first `before` of `count` runs are those of one set. */
bool pcomp_runs_in_turns(const uint64_t *begins, size_t before, size_t count);

struct pcomp_set_difference pcomp_run_sets_compare(const struct pcomp_run_set *before,
                                                   const struct pcomp_run_set *after, bool in_turns);

/* Many tests at once. Benjamini and Hochberg (1995): the adjusted p is the least share of false ones, expected, among
 * all that are called significant together with this one. */
struct pcomp_test {
    double p;        /* NAN: no test */
    double adjusted; /* set by pcomp_tests_adjust; NAN: no test */
    size_t index;    /* set by it: the order that it was given and leaves them in */
};
void pcomp_tests_adjust(struct pcomp_test *tests, size_t count);

#endif
