#include "compensation/control/window_plan.h"

#include "compensation/numeric/extremes.h"

#define OF_CREDIT 0.3  /* a window may spend so much of what is left of the credit */
#define UNEVEN    0.15 /* the length of a window varies by so much of it */

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014); 0 to below 1. */
static double draw(struct pcomp_window_plan *plan)
{
    uint64_t z = plan->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

void pcomp_window_plan_init(struct pcomp_window_plan *plan, uint64_t seed)
{
    *plan = (struct pcomp_window_plan){
        .random = seed, .min = PCOMP_STRATUM_FIRST, .credit = PCOMP_WINDOW_START, .length = PCOMP_WINDOW_MIN};
}

/* Where turning the sites on costs more than counting does, longer windows cost little more. */
static double length_of(struct pcomp_window_plan *plan, double switching, double counting)
{
    double even = PCOMP_WINDOW_MIN * (1 + UNEVEN);
    if (switching > counting * even)
        even = counting > 0 ? pcomp_min(switching / counting, PCOMP_WINDOW_MAX) : PCOMP_WINDOW_MAX;
    even = pcomp_min(even, PCOMP_WINDOW_MAX / (1 + UNEVEN));
    double length = even * (1 + UNEVEN * (2 * draw(plan) - 1));
    return pcomp_min(pcomp_max(length, PCOMP_WINDOW_MIN), PCOMP_WINDOW_MAX);
}

/* The next stratum: so long that its window, what is paid by the credit taken off, costs its share of what is left of
 * the stratum without that cost. */
static void plan_stratum(struct pcomp_window_plan *plan, const struct pcomp_window_costs *costs)
{
    double switching = pcomp_max(costs->switching, 0), counting = pcomp_min(pcomp_max(costs->counting, 0), 1);
    plan->window = length_of(plan, switching, counting);
    double cost = switching + counting * plan->window, paid = pcomp_min(OF_CREDIT * plan->credit, cost);
    plan->credit -= paid;
    double stratum = pcomp_max(plan->min, costs->share > 0 ? cost + (cost - paid) / costs->share : PCOMP_STRATUM_MAX);
    plan->stratum = pcomp_min(stratum, PCOMP_STRATUM_MAX);
    plan->min = pcomp_min(plan->min * PCOMP_STRATUM_GROWTH, PCOMP_STRATUM_MIN);
}

double pcomp_window_next_gap(struct pcomp_window_plan *plan, const struct pcomp_window_costs *costs)
{
    if (!(plan->stratum > 0))
        plan_stratum(plan, costs);
    double before = draw(plan) * plan->stratum, gap = plan->left + before;
    plan->length = plan->window;
    plan->share = plan->last > 0 ? plan->last / (plan->last + plan->stratum) : 0;
    plan->last = plan->stratum;
    plan->left = plan->stratum - before - plan->length;
    if (gap < 0) { /* the last window reaches into this one's place */
        plan->left += gap;
        gap = 0;
    }
    plan_stratum(plan, costs);
    return gap;
}

double pcomp_window_gap_share(const struct pcomp_window_plan *plan)
{
    return plan->share;
}

double pcomp_window_next_length(const struct pcomp_window_plan *plan)
{
    return plan->length;
}
