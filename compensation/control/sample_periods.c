#include "compensation/control/sample_periods.h"

#include "compensation/numeric/extremes.h"

struct pcomp_sample_periods pcomp_sample_periods(const struct pcomp_sample_costs *costs)
{
    double perf = PCOMP_SAMPLE_PROGRAM * costs->perf;
    double wanted = 1 / PCOMP_SAMPLE_PERIOD, allowed = PCOMP_SAMPLE_SHARE / perf;
    double of_ticks = costs->tick_period > 0 ? pcomp_min(1 / costs->tick_period, wanted) : 0;
    double of_perf = of_ticks < PCOMP_SAMPLE_TICKS * wanted
                         ? pcomp_max(pcomp_min(allowed, wanted - of_ticks), 1 / PCOMP_SAMPLE_PERIOD_MAX)
                         : 0;
    double all = of_ticks + of_perf;
    return (struct pcomp_sample_periods){of_perf > 0 ? 1 / of_perf : 0, 1 / all,
                                         (of_perf * perf + of_ticks * costs->tick) / all};
}

bool pcomp_sample_switches_add(struct pcomp_sample_switches *s, double switches, double seconds, double cost)
{
    s->left = pcomp_min(s->left + PCOMP_SAMPLE_SHARE * seconds, PCOMP_SWITCH_SAVED) - switches * cost;
    return s->left >= 0;
}
