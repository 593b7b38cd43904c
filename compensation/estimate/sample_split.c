#include "compensation/estimate/sample_split.h"

#include "compensation/numeric/t_quantile.h"

static double sound(double value)
{
    return value > 0 ? value : 0;
}

static double hypotenuse(double a, double b)
{
    return __builtin_sqrt(a * a + b * b);
}

/* So many samples of weight one tell as much of the share p. */
static double samples_of(struct pcomp_sample_sums place, struct pcomp_sample_sums all, double p)
{
    double variance = (1 - 2 * p) * place.squares + p * p * all.squares; /* times W^2 */
    double weight = all.weight * all.weight;
    if (p > 0 && p < 1 && variance > 0)
        return weight * p * (1 - p) / variance;
    return weight / all.squares;
}

struct pcomp_sampled_time pcomp_sample_split(struct pcomp_sample_sums place, struct pcomp_sample_sums all,
                                             double seconds, double error)
{
    seconds = sound(seconds);
    error = sound(error);
    if (!(all.weight > 0) || !(all.squares > 0))
        return (struct pcomp_sampled_time){0, seconds / 2, 0, seconds + PCOMP_NORMAL_95 * error};
    double p = sound(place.weight) / all.weight;
    p = p > 1 ? 1 : p;
    double n = samples_of((struct pcomp_sample_sums){place.weight, sound(place.squares)}, all, p);
    double z2 = PCOMP_NORMAL_95 * PCOMP_NORMAL_95, scale = 1 / (1 + z2 / n), middle = (p + z2 / (2 * n)) * scale;
    double half = PCOMP_NORMAL_95 * scale * __builtin_sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    double below = seconds * sound(p - (middle - half)), above = seconds * sound(middle + half - p);
    double known = PCOMP_NORMAL_95 * p * error;
    struct pcomp_sampled_time t = {.value = seconds * p};
    t.error = hypotenuse(seconds * half / PCOMP_NORMAL_95, p * error);
    t.low = sound(t.value - hypotenuse(below, known));
    t.high = t.value + hypotenuse(above, known);
    return t;
}
