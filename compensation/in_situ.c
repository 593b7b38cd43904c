#include "compensation/in_situ.h"

#include <math.h>

#define SAMPLED_LEAST 8.0 /* segments of a kind that make a mean of their own */
#define BLUR          6.0 /* stamps are that many times longer than what they blur; docs/accuracy.md */

/* Standard deviation of what a counted call costs in proportion to the kernel: among dense calls, and what is added
 * where the work between calls, squared, is far above the last. docs/accuracy.md has the programs. */
#define CONTEXT_DENSE  0.1
#define CONTEXT_SPARSE 0.2
#define CONTEXT_HALF   2.0

/* What of a look-up hides behind other work, to one that has nothing to wait for. docs/accuracy.md has the programs. */
#define HIDDEN 0.25

/* Of what the brief would have if brief and rest were corrected alike. docs/accuracy.md has the programs. */
#define BRIEF_LEAST 0.5

#define MEANS_APART 100.0 /* a weighed mean is less than so many times the other */

/* Standard deviation of the time of one run and another, to that of the kernel's in one; the square of that is at most
 * the last. docs/accuracy.md has the programs. */
#define UNREST      1.2
#define UNREST_MOST 0.25

/* Built with -fno-math-errno: one instruction, no library. */
static double square_root(double x)
{
    return __builtin_sqrt(x);
}

static double at_least_zero(double x)
{
    return x > 0 ? x : 0;
}

static double square_of_sum(struct pcomp_timed timed) /* by their number */
{
    return timed.count > 0 ? timed.ticks * timed.ticks / timed.count : 0;
}

double pcomp_segment_variance(const struct pcomp_kind *enter, const struct pcomp_kind *exit, double squares)
{
    double count = enter->sampled.count + exit->sampled.count, ticks = enter->sampled.ticks + exit->sampled.ticks;
    double means = (enter->sampled.count > 0) + (exit->sampled.count > 0);

    if (count < 3)
        return NAN;
    if (!(squares < ticks * ticks)) /* of a damaged file */
        squares = ticks * ticks;
    return at_least_zero(squares - square_of_sum(enter->sampled) - square_of_sum(exit->sampled)) / (count - means);
}

static struct pcomp_timed all_timed(const struct pcomp_kind *kind)
{
    return (struct pcomp_timed){kind->always.ticks + kind->sampled.ticks, kind->always.count + kind->sampled.count};
}

/* The segments whose mean stands for the untimed ones of a kind; count 0: there are none. */
static struct pcomp_timed representatives(const struct pcomp_kind *kind)
{
    return kind->sampled.count >= SAMPLED_LEAST ? kind->sampled : all_timed(kind);
}

/* Above 0 however short the segment seems, and the segment itself where it is long against the blur. */
static double softened(double ticks, double blur)
{
    return (ticks + square_root(ticks * ticks + blur * blur)) / 2;
}

struct pcomp_kind_time pcomp_kind_estimate(const struct pcomp_kind *kind, const struct pcomp_kind *other,
                                           double thread_mean, double segment_variance,
                                           const struct pcomp_counting *counting)
{
    struct pcomp_timed timed = all_timed(kind), own = representatives(kind);
    struct pcomp_timed borrowed = representatives(other);
    struct pcomp_kind_time estimate = {.raw = timed.ticks,
                                       .always = kind->always.ticks - kind->always.count * counting->stamp};
    double blur = counting->stamp / BLUR, mean, length, most, one;

    estimate.untimed = at_least_zero(kind->occurrences - timed.count);
    estimate.others = kind->sampled.count + estimate.untimed;
    estimate.count = kind->always.count + estimate.others;
    if (own.count > 0)
        mean = own.ticks / own.count;
    else
        mean = borrowed.count > 0 ? borrowed.ticks / borrowed.count : thread_mean;
    length = softened(mean - counting->stamp, blur);
    most = counting->brief > 0 ? counting->brief : blur;
    estimate.brief = length < most ? length : most;
    estimate.rest = length - estimate.brief;
    /* A mean of nothing of its own, or of segments of which nothing is known, may be off by itself. */
    one = isnan(segment_variance) ? mean * mean : segment_variance;
    if (own.count > 0)
        estimate.variance = estimate.untimed * one * (estimate.untimed / own.count + 1);
    else
        estimate.variance = estimate.untimed * mean * estimate.untimed * mean;
    return estimate;
}

void pcomp_region_add(struct pcomp_region *sums, const struct pcomp_kind_time *kind)
{
    sums->count += kind->count;
    sums->raw += kind->raw;
    sums->untimed += kind->untimed;
    sums->brief += kind->untimed * kind->brief;
    sums->rest += kind->untimed * kind->rest;
    sums->variance += kind->variance;
}

static bool tells(const struct pcomp_region *region)
{
    return region->counted_events >= PCOMP_REGION_LEAST && region->untimed >= PCOMP_REGION_LEAST;
}

struct pcomp_correction pcomp_correction_of_thread(const struct pcomp_region *region, double call)
{
    double counting = region->counted_events * call / 2 + region->dearer;
    double actual = region->counted_ticks - counting, left = actual - region->rest;

    if (!(region->brief + region->rest > 0))
        return (struct pcomp_correction){1, 1};
    if (actual < 0)
        return (struct pcomp_correction){0, 0};
    if (region->brief > 0 && left > PCOMP_BRIEF_MOST * region->brief) {
        double more = actual / (PCOMP_BRIEF_MOST * region->brief + region->rest);
        return (struct pcomp_correction){PCOMP_BRIEF_MOST * more, more};
    }
    if (!(region->brief > 0))
        return (struct pcomp_correction){0, actual / region->rest};
    double least = BRIEF_LEAST * actual / (region->brief + region->rest);
    if (left >= least * region->brief)
        return (struct pcomp_correction){left / region->brief, 1};
    return (struct pcomp_correction){least, (actual - least * region->brief) / region->rest};
}

struct pcomp_correction pcomp_correction_of(const struct pcomp_region *region, double call,
                                            struct pcomp_correction otherwise)
{
    if (!tells(region) || !(region->brief + region->rest > 0))
        return otherwise;
    return pcomp_correction_of_thread(region, call);
}

double pcomp_kind_compensated(const struct pcomp_kind_time *kind, const struct pcomp_correction *correction)
{
    return kind->always + kind->others * (correction->brief * kind->brief + correction->rest * kind->rest);
}

double pcomp_part_variance(double brief, double variance, const struct pcomp_region *region)
{
    if (!tells(region) || !(region->brief > 0))
        return variance;
    double share = brief / region->brief, others = at_least_zero(region->variance - variance);
    return (1 - share) * (1 - share) * variance + share * share * others;
}

void pcomp_in_place_add(struct pcomp_in_place *sums, double cost, double squares, double count)
{
    if (!isfinite(squares) || !(squares >= 0)) /* of a damaged file */
        return;
    sums->cost += cost;
    sums->squares += squares;
    sums->count += count;
}

double pcomp_in_place_mean(const struct pcomp_in_place *sums, double otherwise, double *spread)
{
    if (sums->count < PCOMP_IN_PLACE_LEAST || !(sums->cost > 0))
        return otherwise;
    double mean = sums->cost / sums->count, scatter = at_least_zero(sums->squares / sums->count - mean * mean);
    double weighed = sums->event_cost / sums->events, alike = sums->event_squares / (sums->events * sums->events);
    bool known =
        sums->events > 0 && weighed > 0 && weighed < MEANS_APART * mean && alike >= 0 && alike <= 1; /* not damaged */
    *spread = square_root(scatter * (known ? alike : 1 / sums->count));
    return known ? weighed : mean;
}

double pcomp_fetching(double ticks, double count, double near_ticks, double near_count)
{
    if (!(count >= PCOMP_IN_PLACE_LEAST) || !(near_count >= PCOMP_IN_PLACE_LEAST))
        return 0;
    return at_least_zero(ticks / count - (1 + HIDDEN) * near_ticks / near_count);
}

double pcomp_in_place_context(double work)
{
    double more = work > 0 ? CONTEXT_SPARSE / (1 + CONTEXT_HALF / (work * work)) : 0; /* finite, whatever work */
    return square_root(CONTEXT_DENSE * CONTEXT_DENSE + more * more);
}

double pcomp_unrest(double ticks, double products, double pairs)
{
    if (!(pairs >= PCOMP_IN_PLACE_LEAST) || !(ticks > 0) || !isfinite(ticks) || !isfinite(products))
        return 0;
    double mean = ticks / pairs, share = products / pairs / (mean * mean) - 1;
    return UNREST * square_root(share > UNREST_MOST ? UNREST_MOST : at_least_zero(share));
}
