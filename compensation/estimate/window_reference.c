#include "compensation/estimate/window_reference.h"

#include "compensation/numeric/t_quantile.h"

#define KNOWN        3    /* windows */
#define OVERHEAD_MAX 3.0  /* factor */
#define ALIKE        0.05 /* of the factor: by which calls of other functions cost more or less than those compared */

static double square(double x)
{
    return x * x;
}

void pcomp_window_reference_add(struct pcomp_window_reference *sums, const struct pcomp_window_progress *before,
                                const struct pcomp_window_progress *window, double taken,
                                const struct pcomp_window_progress *after)
{
    bool enough =
        pcomp_progress_is_enough(before) && pcomp_progress_is_enough(window) && pcomp_progress_is_enough(after);
    if (!enough || !pcomp_progress_agrees(before, after) || !(taken > 0))
        return;
    double f = (before->seconds + after->seconds) / (before->calls + after->calls);
    double overhead = window->seconds - window->calls * f;
    sums->windows++;
    sums->overhead += overhead;
    sums->taken += taken;
    sums->overheads += square(overhead);
    sums->products += overhead * taken;
    sums->taken_twice += square(taken);
}

static double within(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

struct pcomp_window_overhead pcomp_window_overhead_of(const struct pcomp_window_reference *sums,
                                                      struct pcomp_window_overhead before)
{
    if (sums->windows < KNOWN || !(before.error > 0))
        return before;
    double factor = sums->overhead / sums->taken, effective = square(sums->taken) / sums->taken_twice;
    double rest = sums->overheads - 2 * factor * sums->products + square(factor) * sums->taken_twice;
    double scatter = (rest > 0 ? rest : 0) * sums->windows / (sums->windows - 1) / square(sums->taken);
    double wide = pcomp_t_quantile(effective > 2 ? effective - 1 : 1) / PCOMP_NORMAL_95;
    double weight = 1 / (square(wide) * scatter), known = 1 / square(before.error);
    if (!(weight < 1e12))
        return before; /* no scatter at all: of no real run */
    double mean = (weight * factor + known * before.factor) / (weight + known);
    double error = __builtin_sqrt(1 / (weight + known) + square(ALIKE * mean));
    return (struct pcomp_window_overhead){within(0, mean, OVERHEAD_MAX), error};
}
