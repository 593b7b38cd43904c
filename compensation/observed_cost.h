/* Observed cost: what measuring took while the program ran, from what was counted meanwhile (Hollingsworth and Miller
 * 1996, 3.2 and 5).
 *
 * Pure arithmetic in double precision, for reporters; no state; thread-safe. All times of one call are in one unit, the
 * caller's (ticks, ns), and so is the result. docs/cost-model.md has the equations and says when they fail.
 *
 * The paper adds the known cycles of a piece of instrumentation each time it runs. Here the calls are counted anyhow,
 * so the same sum is the counts times what one of each costs; what is no constant (first calls of a path, the insides
 * of hooks that read the clock) was measured with the clock.
 *
 * Arguments may be absurd (a damaged file): as long as they are finite, results are. Nothing is clamped but counts. */
#ifndef PCOMP_OBSERVED_COST_H
#define PCOMP_OBSERVED_COST_H

enum pcomp_cost_kind {
    PCOMP_COST_COUNTING,  /* hooks that count a call, and calling them */
    PCOMP_COST_TIMING,    /* hooks that read the clock */
    PCOMP_COST_NEW_PATHS, /* first calls of call paths: look-ups, growth of memory */
    PCOMP_COST_BURSTS,    /* what the program lost by being slower in bursts */
    PCOMP_COST_OFF,       /* calls whose hooks were off */
    PCOMP_COST_FILTERED,  /* calls of functions that are not measured (--only, --skip) */
    PCOMP_COST_RECORDING, /* events of a trace, and writing them */
    PCOMP_COST_SWITCHING, /* turning hooks off and on */
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

struct pcomp_cost_events { /* of a call path of which all calls are counted, and a few timed */
    double counted;        /* events (an enter, an exit) without a stamp; below 0 counts as 0 */
    double stamped;        /* events with one */
    double hook;           /* time inside stamped hooks, slow ones included */
    double slow;           /* of that: in first calls */
};

/* call: one counted call, two events, calling the hooks included; stamp: between two stamped hooks when nothing is. */
struct pcomp_cost pcomp_cost_of_events(const struct pcomp_cost_events *events, double call, double stamp);

/* Where every call is timed: calls times what each costs its callers, and the slow enters as they were measured. */
struct pcomp_cost pcomp_cost_of_timed(double repeated, double repeat, double looked_up, double lookup, double slow);

struct pcomp_cost_bursts { /* of a thread, hooks being off but in bursts */
    double lost;           /* all that the run took longer, but for first calls of paths */
    double off_calls;      /* calls while hooks were off */
    double off_call;       /* what one of them cost */
    double constant;       /* counting and timing in bursts as pcomp_cost_of_events has them, of all paths */
};

/* In bursts constants are not what it cost: what the program's progress lost there is known better (burst.h), and
 * paths share it in proportion to the constants. Returns the factor; 1 where the constants are nothing. */
double pcomp_cost_burst_scale(const struct pcomp_cost_bursts *thread);

/* The cost of one path: `seen`, by pcomp_cost_of_events, in bursts; off_calls between them. */
struct pcomp_cost pcomp_cost_of_bursts(const struct pcomp_cost *seen, double scale, double off_calls, double off_call);

#endif
