#include "compensation/estimate/price_pairs.h"

#include "compensation/numeric/t_quantile.h"

#define KNOWN 3 /* windows */

static double square(double x)
{
    return x * x;
}

bool pcomp_progress_is_enough(const struct pcomp_window_progress *stretch)
{
    return stretch->seconds > 0 && stretch->calls >= PCOMP_PRICE_CALLS;
}

bool pcomp_progress_agrees(const struct pcomp_window_progress *before, const struct pcomp_window_progress *after)
{
    double a = before->calls / before->seconds, b = after->calls / after->seconds;
    return a < PCOMP_PRICE_AGREE * b && b < PCOMP_PRICE_AGREE * a;
}

void pcomp_price_pairs_add(struct pcomp_price_pairs *sums, const struct pcomp_window_progress *before,
                           const struct pcomp_window_progress *middle, const struct pcomp_window_progress *after,
                           bool costly)
{
    if (!pcomp_progress_is_enough(before) || !pcomp_progress_is_enough(middle) || !pcomp_progress_is_enough(after))
        return;
    if (!pcomp_progress_agrees(before, after)) {
        sums->apart++;
        return;
    }
    double rate_before = before->calls / before->seconds, rate_after = after->calls / after->seconds;
    double weight = before->calls + after->calls, usual = (before->seconds + after->seconds) / weight;
    double other = middle->seconds / middle->calls, sign = costly ? 1 : -1, price = sign * (other - usual);
    /* Of one neighbour; the same time of the program has the same variance. */
    double variance = 2 * square((rate_before - rate_after) / (rate_before + rate_after));
    double curved = variance * (weight / 2 / middle->calls) * (usual < other ? usual : other);
    sums->pairs++;
    sums->weights += weight;
    sums->weighted += weight * price;
    sums->squares += square(weight);
    sums->products += square(weight) * price;
    sums->deviation += square(weight * price);
    sums->curved += sign * weight * curved;
}

struct pcomp_price pcomp_price_of_pairs(const struct pcomp_price_pairs *sums)
{
    struct pcomp_price p = {.degrees = 1};
    if (!(sums->weights > 0))
        return p;
    double mean = sums->weighted / sums->weights, curved = sums->curved / sums->weights;
    p.price = mean - curved;
    if (sums->pairs < 2) {
        p.error = p.half = mean < 0 ? -mean : mean;
        return p;
    }
    double deviation = sums->deviation - 2 * mean * sums->products + square(mean) * sums->squares;
    double scatter = (deviation > 0 ? deviation : 0) * sums->pairs / (sums->pairs - 1) / square(sums->weights);
    double effective = square(sums->weights) / sums->squares; /* pairs that weigh alike */
    p.error = __builtin_sqrt(scatter + square(curved / 2));
    p.degrees = effective > 2 ? effective - 1 : 1;
    p.half = pcomp_t_quantile(p.degrees) * p.error;
    p.known = sums->pairs >= KNOWN && sums->apart <= sums->pairs;
    return p;
}
