#include "compensation/estimate/window_calls.h"

#include "compensation/estimate/t_quantile.h"

#define KNOWN 3 /* windows */

static double at_least(double low, double value)
{
    return value > low ? value : low;
}

void pcomp_window_calls_begin(struct pcomp_window_calls *sums, double rate)
{
    sums->rate = rate;
    sums->begun = true;
}

/* Differences of neighbours weigh as what lies between them does. */
static void add_difference(struct pcomp_window_calls *sums, double rate, double gap)
{
    double square = gap * gap, difference = rate - sums->rate;
    sums->unrest += square * difference * difference / 2;
    sums->unrest_seconds += square;
    sums->unrest_squares += square * square;
}

void pcomp_window_calls_add(struct pcomp_window_calls *sums, double calls, double seconds, double overhead, double gap)
{
    double progress = at_least(PCOMP_WINDOW_PROGRESS * seconds, seconds - overhead);
    if (!(progress > 0) || !(calls >= 0) || !(gap >= 0))
        return;
    double rate = calls / progress, before = gap;
    if (sums->windows > 0) { /* half of the gap is the last window's */
        before = gap / 2;
        sums->beside += before * sums->rate;
        sums->weights += (sums->gap + before) * (sums->gap + before);
    }
    if (sums->windows > 0 || sums->begun)
        add_difference(sums, rate, gap);
    sums->beside += before * rate;
    sums->seen += calls;
    sums->seconds += gap;
    sums->rate = rate;
    sums->gap = before;
    sums->windows++;
}

struct pcomp_window_estimate pcomp_window_calls_estimate(const struct pcomp_window_calls *sums, double gap)
{
    struct pcomp_window_estimate e = {.calls = sums->seen + sums->beside + gap * sums->rate, .degrees = 1};
    if (sums->windows == 0)
        e.calls = 0;
    double last = sums->gap + gap, weights = sums->weights + last * last;
    if (sums->windows < KNOWN || !(sums->unrest_seconds > 0)) {
        e.error = e.half = at_least(e.calls, (sums->seconds + gap) * sums->rate);
        return e;
    }
    double variance = weights * sums->unrest / sums->unrest_seconds;
    double pairs = sums->unrest_seconds * sums->unrest_seconds / sums->unrest_squares;
    e.error = __builtin_sqrt(variance);
    e.degrees = at_least(1, 2 * pairs / 3);
    e.half = pcomp_t_quantile(e.degrees) * e.error;
    e.known = true;
    return e;
}
