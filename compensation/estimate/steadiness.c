#include "compensation/estimate/steadiness.h"

void pcomp_steadiness_add(struct pcomp_steadiness *s, double value)
{
    if (!(value > 0))
        return;
    s->best = s->values > 0 && s->best < value ? s->best : value;
    s->values++;
    s->sum += value;
}

double pcomp_steadiness_lost(const struct pcomp_steadiness *s)
{
    return s->values < PCOMP_STEADY_VALUES ? 0 : 1 - s->best * s->values / s->sum;
}
