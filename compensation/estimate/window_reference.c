#include "compensation/estimate/window_reference.h"

#include "compensation/numeric/t_quantile.h"

#define KNOWN        3    /* windows */
#define OVERHEAD_MAX 3.0  /* factor */
#define ALIKE        0.05 /* of the factor: by which calls of other functions cost more or less than those compared */
#define ELSEWHERE    0.1  /* of the price: by which runs scatter, whatever their windows say */

static double square(double x)
{
    return x * x;
}

static void ratio_add(struct pcomp_window_ratio *r, double y, double x)
{
    r->x += x;
    r->y += y;
    r->xx += square(x);
    r->xy += x * y;
    r->yy += square(y);
}

/* Square of the standard error of y / x, as wide as that of a normal distribution with the same 95 % interval. */
static double ratio_variance(const struct pcomp_window_ratio *r, double windows)
{
    double ratio = r->y / r->x, effective = square(r->x) / r->xx; /* windows that weigh alike */
    double rest = r->yy - 2 * ratio * r->xy + square(ratio) * r->xx;
    double scatter = (rest > 0 ? rest : 0) * windows / (windows - 1) / square(r->x);
    double wide = pcomp_t_quantile(effective > 2 ? effective - 1 : 1) / PCOMP_NORMAL_95;
    return square(wide) * scatter;
}

static bool is_enough(const struct pcomp_window_progress *gap)
{
    return gap->seconds > 0 && gap->calls >= PCOMP_WINDOW_STEPS;
}

static bool agree(const struct pcomp_window_progress *before, const struct pcomp_window_progress *after)
{
    double a = before->calls / before->seconds, b = after->calls / after->seconds;
    return a < PCOMP_WINDOW_AGREE * b && b < PCOMP_WINDOW_AGREE * a;
}

/* Of calls that the gaps say were to come in the window, those that did not, at the time per call all around: so that
 * it is right in the mean both where bursts are regular and where they are not. */
static double overhead_of(const struct pcomp_window_progress *before, const struct pcomp_window_progress *window,
                          double taken, const struct pcomp_window_progress *after)
{
    double seconds = before->seconds + after->seconds, calls = before->calls + after->calls;
    double own = window->seconds > taken ? window->seconds - taken : 0;
    double missing = window->seconds * calls / seconds - window->calls;
    return missing * (seconds + own) / (calls + window->calls);
}

void pcomp_window_reference_add(struct pcomp_window_reference *sums, const struct pcomp_window_progress *before,
                                const struct pcomp_window_progress *window, const struct pcomp_window_cost *cost,
                                const struct pcomp_window_progress *after)
{
    if (!is_enough(before) || !is_enough(after) || !agree(before, after) || !(window->seconds > 0) || !(cost->all > 0))
        return;
    double overhead = overhead_of(before, window, cost->all, after);
    sums->windows++;
    ratio_add(&sums->factor, overhead, cost->all);
    ratio_add(&sums->price, overhead - cost->besides, cost->counted);
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
    double factor = sums->factor.y / sums->factor.x;
    double weight = 1 / ratio_variance(&sums->factor, sums->windows), known = 1 / square(before.error);
    if (!(weight < 1e12))
        return before; /* no scatter at all: of no real run */
    double mean = (weight * factor + known * before.factor) / (weight + known);
    double error = __builtin_sqrt(1 / (weight + known) + square(ALIKE * mean));
    return (struct pcomp_window_overhead){within(0, mean, OVERHEAD_MAX), error};
}

struct pcomp_price pcomp_window_price_of(const struct pcomp_window_reference *sums)
{
    if (!(sums->price.x > 0))
        return (struct pcomp_price){0};
    double price = sums->price.y / sums->price.x;
    if (sums->windows < KNOWN)
        return (struct pcomp_price){.price = price};
    double error = __builtin_sqrt(ratio_variance(&sums->price, sums->windows) + square(ELSEWHERE * price));
    return (struct pcomp_price){.price = price, .error = error, .known = true};
}
