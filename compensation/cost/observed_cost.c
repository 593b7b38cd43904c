#include "compensation/cost/observed_cost.h"

#include <math.h>
#include <stddef.h>

const char *pcomp_cost_kind_name(int kind)
{
    switch (kind) {
    case PCOMP_COST_COUNTING:
        return "counting";
    case PCOMP_COST_TIMING:
        return "timing";
    case PCOMP_COST_NEW_PATHS:
        return "new_paths";
    case PCOMP_COST_FILTERED:
        return "filtered";
    case PCOMP_COST_RECORDING:
        return "recording";
    case PCOMP_COST_SWITCHING:
        return "switching";
    case PCOMP_COST_SAMPLING:
        return "sampling";
    case PCOMP_COST_STARTUP:
        return "startup";
    case PCOMP_COST_EXIT:
        return "exit";
    default:
        return NULL;
    }
}

void pcomp_cost_add(struct pcomp_cost *sum, const struct pcomp_cost *part)
{
    for (int k = 0; k < PCOMP_COST_KINDS; k++)
        sum->of[k] += part->of[k];
}

double pcomp_cost_total(const struct pcomp_cost *cost)
{
    double total = 0;
    for (int k = 0; k < PCOMP_COST_KINDS; k++)
        total += cost->of[k];
    return total;
}

double pcomp_cost_share(double cost, double own)
{
    return own > 0 ? cost / own : NAN;
}

struct pcomp_cost pcomp_cost_of_timed(double repeated, double repeat, double looked_up, double lookup, double slow)
{
    return (struct pcomp_cost){
        {[PCOMP_COST_TIMING] = repeated * repeat + looked_up * lookup, [PCOMP_COST_NEW_PATHS] = slow}};
}
