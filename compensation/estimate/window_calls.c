#include "compensation/estimate/window_calls.h"

#include "compensation/numeric/t_quantile.h"

#define KNOWN  3  /* windows */
#define FEW    10 /* windows with which scatter is not told from steps, ... */
#define ENOUGH 40 /* ... and with which it is */
#define CHANCE 0.7
#define NEAR   0.1 /* of what overhead was passed, progress is at least, when corrected */

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
static void end_gap(struct pcomp_window_calls *sums)
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
    double progress =
        at_least(calls * PCOMP_WINDOW_CALL, at_least(PCOMP_WINDOW_PROGRESS * seconds, seconds - overhead));
    if (!(progress > 0) || !(seconds > 0) || !(calls >= 0) || !(gap >= 0) || !(share >= 0 && share <= 1))
        return;
    double rate = calls / progress, before = sums->episode > 0 ? gap * (1 - share) : gap;
    add_difference(sums, rate - sums->rate, gap);
    if (sums->episode > 0) {
        extend(sums, gap - before);
        end_gap(sums);
    }
    sums->seen += calls;
    sums->seconds += gap;
    sums->windows++;
    sums->episode++;
    sums->rate = rate;
    sums->rate_slope = rate * at_least(0, overhead > seconds - progress ? seconds - progress : overhead) / progress;
    sums->progress = progress;
    extend(sums, before);
}

void pcomp_window_calls_end(struct pcomp_window_calls *sums, double gap)
{
    gap = at_least(0, gap);
    extend(sums, gap);
    sums->seconds += gap;
    end_gap(sums);
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
    double trust = (sums->windows - FEW) / (ENOUGH - FEW), apart = sums->weights * scatter + steps / 6;
    return trust >= 1 ? apart : variance + trust * (apart - variance);
}

/* Progress in windows with overheads by `factor` of those that were passed, over progress with those. */
static double progress_with(const struct pcomp_window_calls *sums, double factor)
{
    double overhead = sums->beside > 0 ? sums->slope / sums->beside : 0; /* over progress */
    return at_least(NEAR / (1 + overhead), 1 + (1 - factor) * overhead);
}

/* Half-widths of the 95 % interval over those of a normal distribution. */
static double degrees_of(const struct pcomp_window_calls *sums)
{
    double pairs = sums->variation_seconds * sums->variation_seconds / sums->variation_squares;
    return at_least(1, 2 * pairs / 3);
}

static bool is_usable(const struct pcomp_window_calls *sums)
{
    return sums->windows >= KNOWN && sums->variation_seconds > 0;
}

struct pcomp_window_estimate pcomp_window_calls_estimate(const struct pcomp_window_calls *sums, double gap,
                                                         struct pcomp_window_overhead overhead)
{
    struct pcomp_window_calls all = *sums;
    pcomp_window_calls_end(&all, gap);
    double progress = progress_with(&all, overhead.factor), beside = all.beside / progress;
    struct pcomp_window_estimate e = {.calls = all.seen + beside, .degrees = 1};
    double systematic = all.slope / (progress * progress) * overhead.error;
    if (!is_usable(&all)) {
        double changes = __builtin_sqrt(2 * all.variation); /* calls that gaps had, or not, where rates changed */
        e.error = e.half = beside + systematic + changes / progress;
        return e;
    }
    double variance = variance_of(&all) / (progress * progress);
    e.error = __builtin_sqrt(variance + systematic * systematic);
    e.degrees = degrees_of(&all);
    double random = pcomp_t_quantile(e.degrees), price = PCOMP_NORMAL_95 * systematic;
    e.half = __builtin_sqrt(random * random * variance + price * price);
    e.known = true;
    return e;
}
