#include "compensation/estimate/price_pairs.h"

#include "compensation/estimate/t_quantile.h"

#define KNOWN 3 /* pairs */

void pcomp_price_pairs_add(struct pcomp_price_pairs *sums, const struct pcomp_window_progress *a,
                           const struct pcomp_window_progress *b)
{
    if (!(a->seconds > 0) || !(b->seconds > 0) || !(a->calls >= PCOMP_PRICE_CALLS) || !(b->calls >= PCOMP_PRICE_CALLS))
        return;
    double weight = a->calls * b->calls / (a->calls + b->calls);
    double price = a->seconds / a->calls - b->seconds / b->calls;
    sums->pairs++;
    sums->weights += weight;
    sums->weighted += weight * price;
    sums->squares += weight * weight;
    sums->products += weight * weight * price;
    sums->deviation += weight * weight * price * price;
}

struct pcomp_price pcomp_price_of_pairs(const struct pcomp_price_pairs *sums)
{
    struct pcomp_price p = {.degrees = 1};
    if (!(sums->weights > 0))
        return p;
    p.price = sums->weighted / sums->weights;
    double deviation = sums->deviation - 2 * p.price * sums->products + p.price * p.price * sums->squares;
    double pairs = sums->weights * sums->weights / sums->squares; /* effective */
    p.known = sums->pairs >= KNOWN;
    p.degrees = pairs > 2 ? pairs - 1 : 1;
    if (sums->pairs < 2) {
        p.error = p.price < 0 ? -p.price : p.price;
    } else {
        double spread = (deviation > 0 ? deviation : 0) * sums->pairs / (sums->pairs - 1);
        p.error = __builtin_sqrt(spread) / sums->weights;
    }
    p.half = pcomp_t_quantile(p.degrees) * p.error;
    return p;
}
