/* Observed cost: what measuring took while the program ran, from what was counted meanwhile (Hollingsworth and Miller
 * 1996, 3.2 and 5).
 *
 * Pure arithmetic in double precision, for reporters; no state; thread-safe. All times of one call are in one unit, the
 * caller's (ticks, ns), and so is the result. docs/model/observed-cost.md has the equations and says when they fail.
 *
 * The paper adds the known cycles of a piece of instrumentation each time it runs. Here the calls are counted anyhow,
 * so the same sum is the counts times what one of each costs; what is no constant (first calls of a path, the insides
 * of hooks that read the clock) was measured with the clock.
 *
 * Arguments may be absurd (a damaged file): as long as they are finite, results are. Nothing is clamped but counts. */
#ifndef PCOMP_OBSERVED_COST_H
#define PCOMP_OBSERVED_COST_H

enum pcomp_cost_kind {
    PCOMP_COST_COUNTING,  /* calls counted in place */
    PCOMP_COST_TIMING,    /* hooks that read the clock */
    PCOMP_COST_NEW_PATHS, /* first calls of call paths: look-ups, growth of memory */
    PCOMP_COST_FILTERED,  /* calls of functions that are not measured (--only, --skip) */
    PCOMP_COST_RECORDING, /* events of a trace, and writing them */
    PCOMP_COST_SWITCHING, /* turning sites off and on in windows */
    PCOMP_COST_SAMPLING,  /* signals of samples, and unwinding the stack in them */
    PCOMP_COST_STARTUP,   /* of the process */
    PCOMP_COST_EXIT,
    PCOMP_COST_KINDS
};

struct pcomp_cost {
    double of[PCOMP_COST_KINDS]; /* times */
};

/* "counting", as reports call it; NULL for any other value. */
const char *pcomp_cost_kind_name(int kind);

/* Adds part to sum. */
void pcomp_cost_add(struct pcomp_cost *sum, const struct pcomp_cost *part);

/* Sum over the kinds. */
double pcomp_cost_total(const struct pcomp_cost *cost);

/* Cost as a share of the program's own time; NAN where that is not above 0. */
double pcomp_cost_share(double cost, double own);

/* Where every call is timed: calls times what each costs its callers, and the slow enters as they were measured. */
struct pcomp_cost pcomp_cost_of_timed(double repeated, double repeat, double looked_up, double lookup, double slow);

#endif
