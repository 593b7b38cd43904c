#include "compensation/estimate/window_calls.h"

#include "compensation/estimate/t_quantile.h"

#define KNOWN  3 /* windows */
#define NORMAL 1.959964

static double at_least(double low, double value)
{
    return value > low ? value : low;
}

void pcomp_window_calls_begin(struct pcomp_window_calls *sums, double rate)
{
    sums->rate = at_least(0, rate);
    sums->rate_slope = sums->gap = sums->episode = 0;
}

/* Gives seconds of a gap to the last window. */
static void extend(struct pcomp_window_calls *sums, double gap)
{
    sums->beside += gap * sums->rate;
    sums->slope += gap * sums->rate_slope;
    sums->gap += gap;
}

void pcomp_window_calls_add(struct pcomp_window_calls *sums, double calls, double seconds, double overhead, double gap)
{
    double progress = at_least(PCOMP_WINDOW_PROGRESS * seconds, seconds - overhead);
    if (!(progress > 0) || !(calls >= 0) || !(gap >= 0))
        return;
    double rate = calls / progress, square = gap * gap, difference = rate - sums->rate;
    double before = sums->episode > 0 ? gap / 2 : gap;
    if (sums->episode > 0) {
        extend(sums, gap - before);
        sums->weights += sums->gap * sums->gap;
    }
    sums->unrest += square * difference * difference / 2;
    sums->unrest_seconds += square;
    sums->unrest_squares += square * square;
    sums->seen += calls;
    sums->seconds += gap;
    sums->windows++;
    sums->episode++;
    sums->rate = rate;
    sums->rate_slope = rate * at_least(0, overhead) / progress;
    sums->gap = 0;
    extend(sums, before);
}

void pcomp_window_calls_end(struct pcomp_window_calls *sums, double gap)
{
    gap = at_least(0, gap);
    extend(sums, gap);
    sums->seconds += gap;
    sums->weights += sums->gap * sums->gap;
    sums->gap = 0;
}

struct pcomp_window_estimate pcomp_window_calls_estimate(const struct pcomp_window_calls *sums, double gap,
                                                         double price_error)
{
    struct pcomp_window_calls all = *sums;
    pcomp_window_calls_end(&all, gap);
    struct pcomp_window_estimate e = {.calls = all.seen + all.beside, .degrees = 1};
    double systematic = all.slope * price_error;
    if (all.windows < KNOWN || !(all.unrest_seconds > 0)) {
        e.error = e.half = all.beside + systematic;
        return e;
    }
    double variance = all.weights * all.unrest / all.unrest_seconds;
    double pairs = all.unrest_seconds * all.unrest_seconds / all.unrest_squares;
    e.error = __builtin_sqrt(variance + systematic * systematic);
    e.degrees = at_least(1, 2 * pairs / 3);
    double random = pcomp_t_quantile(e.degrees), price = NORMAL * systematic;
    e.half = __builtin_sqrt(random * random * variance + price * price);
    e.known = true;
    return e;
}
