#include "compensation/level_allowance.h"

/* What the functions that stay timed with this allowance have cost. */
static double cost_below(const uint64_t *calls, const bool *timed, uint32_t count, double allowance, double cost)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (timed[i] && (double)calls[i] <= allowance)
            sum += (double)calls[i] * cost;
    return sum;
}

double pcomp_levels_allowance(const uint64_t *calls, const bool *timed, uint32_t count, double seconds, double cost)
{
    double allowance = PCOMP_LEVEL_BURST + PCOMP_LEVEL_RATE * seconds;
    double most = PCOMP_LEVEL_START + PCOMP_LEVEL_SHARE * seconds;
    while (allowance >= 1 && cost_below(calls, timed, count, allowance, cost) > most)
        allowance /= 2;
    return allowance;
}
