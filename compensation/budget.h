/* What measuring costs the program while it runs, over the last second, and what is left of a budget.
 *
 * Pure arithmetic on an array of slices of time, with time as a parameter; not thread-safe. Times are ticks, costs are
 * ticks of the program's time. docs/online-model.md ("Budget") derives the rules and says when they fail.
 *
 *   |--|--|--|--|--|--|--|--|--|--|--|--|  100 slices of 10 ms; older ones are forgotten
 *                       now ^              */
#ifndef PCOMP_BUDGET_H
#define PCOMP_BUDGET_H

#include "compensation/excess.h"

#include <stdbool.h>
#include <stdint.h>

#define PCOMP_BUDGET_SLICES 100
#define PCOMP_BUDGET_CAUSES 8

struct pcomp_budget {
    double share;          /* that measuring may cost, of the program's time */
    double second;         /* ticks */
    uint64_t begin, slice; /* number of the present slice, since `begin` */
    double cost[PCOMP_BUDGET_SLICES], sum, by_cause[PCOMP_BUDGET_CAUSES][PCOMP_BUDGET_SLICES];
    double worst; /* greatest share of a second */
    struct pcomp_excess over;
};

/* share: above 0, at most 1; now: the measurement begins; hz: ticks a second. */
void pcomp_budget_start(struct pcomp_budget *b, double share, uint64_t now, double hz);

/* `cost` was observed just before `now`, for one of the causes. Notes when the last second cost more than a point
 * above the budget. */
void pcomp_budget_add(struct pcomp_budget *b, uint64_t now, double cost, unsigned cause);

/* What may still be spent now: of the budget of one second, less what the last second took. */
double pcomp_budget_left(struct pcomp_budget *b, uint64_t now);

/* What a burst and the gap behind it should last. */
struct pcomp_burst_plan {
    double length, gap;
};

/* A burst costs `each` besides `rate` a tick of its length; gaps and lengths are means. Spends `share` less a tenth:
 * the burst as long as can be had every 10 ms, but at least 0.25 ms; then gaps grow, to a sixth of a second at most. */
struct pcomp_burst_plan pcomp_budget_plan(double share, double second, double each, double rate);

/* When bursts have shown that counting every call costs too little to be worth them. */
struct pcomp_budget_return {
    double patience;       /* seconds that this must have lasted; doubles with every return; 0: not started */
    uint64_t quiet_since;  /* 0: it is not quiet */
    double cost, progress; /* of bursts, lately */
};

/* A burst ended at `now`, counting cost `cost` in it, and the program got on by `progress`. True: exact again. */
bool pcomp_budget_returns(struct pcomp_budget_return *r, const struct pcomp_budget *b, uint64_t now, double cost,
                          double progress);

#endif
