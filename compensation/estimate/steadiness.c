#include "compensation/estimate/steadiness.h"

#include "compensation/numeric/t_quantile.h"

void pcomp_steadiness_add(struct pcomp_steadiness *s, double value)
{
    if (!(value > 0))
        return;
    s->best = s->values > 0 && s->best < value ? s->best : value;
    s->values++;
    s->sum += value;
    for (int k = 0; k < PCOMP_STEADY_SCALES; k++) {
        double before = s->scale[k].waiting;
        if (!(before > 0)) {
            s->scale[k].waiting = value;
            return;
        }
        s->scale[k].waiting = 0;
        s->scale[k].pairs++;
        s->scale[k].squares += (value - before) * (value - before) / 2;
        value = (value + before) / 2;
    }
}

double pcomp_steadiness_scatter(const struct pcomp_steadiness *s)
{
    int k = PCOMP_STEADY_SCALES - 1;
    while (k >= 0 && s->scale[k].pairs < PCOMP_STEADY_PAIRS)
        k--;
    if (k < 0)
        return 0;
    double pairs = s->scale[k].pairs, mean = s->sum / s->values;
    return __builtin_sqrt(s->scale[k].squares / pairs) / mean * (pcomp_t_quantile(pairs) / PCOMP_NORMAL_95);
}

double pcomp_steadiness_lost(const struct pcomp_steadiness *s)
{
    return s->values < 2 * PCOMP_STEADY_PAIRS ? 0 : 1 - s->best * s->values / s->sum;
}
