#include "compensation/estimate/count_price.h"

#define CALLS_MIN 10000 /* fewer tell nothing of slots */

static double square(double x)
{
    return x * x;
}

/* The errors of both are factors, whatever the price is. */
struct pcomp_count_price pcomp_count_price_expected(const struct pcomp_count_price_sources *from)
{
    double weights = 0, weighted = 0;
    if (from->kernel > 0) {
        weights = 1 / square(PCOMP_COUNT_PRICE_KERNEL);
        weighted = weights * from->kernel;
    }
    if (from->slot_samples > 0 && from->slot_seconds > 0 && from->calls >= CALLS_MIN) {
        double weight = 1 / (square(PCOMP_COUNT_PRICE_SLOTS) + 1 / from->slot_samples);
        weights += weight;
        weighted += weight * PCOMP_COUNT_PRICE_OUTSIDE * (from->slot_seconds / from->calls);
    }
    if (!(weights > 0))
        return (struct pcomp_count_price){0, 0};
    return (struct pcomp_count_price){weighted / weights, 1 / __builtin_sqrt(weights)};
}

/* Square of what is expected's standard error beside what windows say. It is a factor: at the geometric mean of both,
 * the difference over it is next to that of their logarithms. */
static double variance_beside(struct pcomp_count_price p, double windows)
{
    return square(p.error) * p.price * (windows > p.price ? windows : p.price);
}

struct pcomp_count_price pcomp_count_price_with(struct pcomp_count_price p, const struct pcomp_price *windows)
{
    double ours = variance_beside(p, windows->price), theirs = square(windows->error);
    if (!windows->known || !(theirs > 0))
        return p;
    if (!(p.price > 0))
        return windows->price > 0 ? (struct pcomp_count_price){windows->price, windows->error / windows->price} : p;
    if (square(windows->price - p.price) > square(PCOMP_COUNT_PRICE_FAR) * (ours + theirs))
        return p;
    double price = (p.price / ours + windows->price / theirs) / (1 / ours + 1 / theirs);
    price = price > PCOMP_COUNT_PRICE_MIN * p.price ? price : PCOMP_COUNT_PRICE_MIN * p.price;
    return (struct pcomp_count_price){price, 1 / __builtin_sqrt(1 / ours + 1 / theirs) / price};
}

struct pcomp_count_price pcomp_count_price(const struct pcomp_count_price_sources *from)
{
    return pcomp_count_price_with(pcomp_count_price_expected(from), &from->windows);
}
