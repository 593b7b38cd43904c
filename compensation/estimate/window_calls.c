#include "compensation/estimate/window_calls.h"

#include "compensation/numeric/t_quantile.h"

#define KNOWN  3  /* windows */
#define FEW    10 /* windows with which scatter is not told from steps, ... */
#define ENOUGH 40 /* ... and with which it is */
#define CHANCE 0.7
#define NORMAL 1.959964

static double at_least(double low, double value)
{
    return value > low ? value : low;
}

void pcomp_window_calls_begin(struct pcomp_window_calls *sums, double rate)
{
    sums->rate = at_least(0, rate);
    sums->rate_slope = sums->gap = sums->episode = sums->step_seconds = 0;
}

/* Gives seconds of a gap to the last window. */
static void extend(struct pcomp_window_calls *sums, double gap)
{
    sums->beside += gap * sums->rate;
    sums->slope += gap * sums->rate_slope;
    sums->gap += gap;
}

/* What the last window stands for is complete. */
static void settle(struct pcomp_window_calls *sums)
{
    sums->weights += sums->gap * (sums->gap + sums->progress);
    sums->gap = 0;
}

static void add_difference(struct pcomp_window_calls *sums, double difference, double gap)
{
    double square = gap * gap;
    sums->variation += square * difference * difference / 2;
    sums->variation_seconds += square;
    sums->variation_squares += square * square;
    if (sums->step_seconds > 0) {
        sums->swing += sums->step * gap * difference;
        sums->swing_seconds += sums->step_seconds * gap;
    }
    sums->step = gap * difference;
    sums->step_seconds = gap;
}

void pcomp_window_calls_add(struct pcomp_window_calls *sums, double calls, double seconds, double overhead, double gap,
                            double share)
{
    double progress = at_least(PCOMP_WINDOW_PROGRESS * seconds, seconds - overhead);
    if (!(progress > 0) || !(calls >= 0) || !(gap >= 0) || !(share >= 0 && share <= 1))
        return;
    double rate = calls / progress, before = sums->episode > 0 ? gap * (1 - share) : gap;
    add_difference(sums, rate - sums->rate, gap);
    if (sums->episode > 0) {
        extend(sums, gap - before);
        settle(sums);
    }
    sums->seen += calls;
    sums->seconds += gap;
    sums->windows++;
    sums->episode++;
    sums->rate = rate;
    sums->rate_slope = rate * at_least(0, overhead) / progress;
    sums->progress = progress;
    extend(sums, before);
}

void pcomp_window_calls_end(struct pcomp_window_calls *sums, double gap)
{
    gap = at_least(0, gap);
    extend(sums, gap);
    sums->seconds += gap;
    settle(sums);
}

/* The variance of the calls in gaps. */
static double variance_of(const struct pcomp_window_calls *sums)
{
    double all = sums->variation / sums->variation_seconds, variance = sums->weights * all;
    if (sums->windows <= FEW || !(sums->swing_seconds > 0))
        return variance;
    double chance = CHANCE * all / __builtin_sqrt(sums->windows); /* by which the product may be too small */
    double scatter = at_least(0, -sums->swing / sums->swing_seconds) + chance;
    if (scatter >= all)
        return variance;
    double steps = sums->variation - scatter * sums->variation_seconds; /* half of what steps make of g^2 d^2 */
    double told = (sums->windows - FEW) / (ENOUGH - FEW), apart = sums->weights * scatter + steps / 6;
    return told >= 1 ? apart : variance + told * (apart - variance);
}

struct pcomp_window_estimate pcomp_window_calls_estimate(const struct pcomp_window_calls *sums, double gap,
                                                         double price_error)
{
    struct pcomp_window_calls all = *sums;
    pcomp_window_calls_end(&all, gap);
    struct pcomp_window_estimate e = {.calls = all.seen + all.beside, .degrees = 1};
    double systematic = all.slope * price_error;
    if (all.windows < KNOWN || !(all.variation_seconds > 0)) {
        e.error = e.half = all.beside + systematic;
        return e;
    }
    double variance = variance_of(&all);
    double pairs = all.variation_seconds * all.variation_seconds / all.variation_squares;
    e.error = __builtin_sqrt(variance + systematic * systematic);
    e.degrees = at_least(1, 2 * pairs / 3);
    double random = pcomp_t_quantile(e.degrees), price = NORMAL * systematic;
    e.half = __builtin_sqrt(random * random * variance + price * price);
    e.known = true;
    return e;
}
