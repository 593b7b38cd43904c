#include "compensation/control/sample_periods.h"

#include "compensation/numeric/extremes.h"

struct pcomp_sample_periods pcomp_sample_periods(const struct pcomp_sample_costs *costs)
{
    double beat = PCOMP_SAMPLE_PROGRAM * costs->beat;
    double wanted = 1 / PCOMP_SAMPLE_PERIOD, allowed = PCOMP_SAMPLE_SHARE / beat;
    bool ticks = costs->tick_period > 0 && allowed < wanted;
    double of_ticks = ticks ? pcomp_min(1 / costs->tick_period, wanted) : 0;
    double beats = of_ticks < PCOMP_SAMPLE_TICKS * wanted
                       ? pcomp_max(pcomp_min(allowed, wanted - of_ticks), 1 / PCOMP_SAMPLE_PERIOD_MAX)
                       : 0;
    double all = of_ticks + beats;
    return (struct pcomp_sample_periods){ticks, beats > 0 ? 1 / beats : 0, 1 / all,
                                         (beats * beat + of_ticks * costs->tick) / all};
}
