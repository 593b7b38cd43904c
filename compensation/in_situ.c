#include "compensation/in_situ.h"

#include <math.h>

#define SAMPLED_LEAST 8.0    /* segments of a kind that make a mean of their own */
#define COUNTED_LEAST 2000.0 /* counted events, and untimed segments, that tell more than the calibration */

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

struct pcomp_kind_time pcomp_kind_estimate(const struct pcomp_kind *kind, const struct pcomp_kind *other,
                                           double thread_mean, double segment_variance)
{
    struct pcomp_timed timed = all_timed(kind), own = representatives(kind);
    struct pcomp_timed borrowed = representatives(other);
    struct pcomp_kind_time estimate = {.timed = timed.ticks};
    double one;

    estimate.untimed = at_least_zero(kind->occurrences - timed.count);
    estimate.count = timed.count + estimate.untimed;
    if (own.count > 0)
        estimate.mean = own.ticks / own.count;
    else
        estimate.mean = borrowed.count > 0 ? borrowed.ticks / borrowed.count : thread_mean;
    /* A mean of nothing of its own, or of segments of which nothing is known, may be off by itself. */
    one = isnan(segment_variance) ? estimate.mean * estimate.mean : segment_variance;
    if (own.count > 0)
        estimate.variance = estimate.untimed * one * (estimate.untimed / own.count + 1);
    else
        estimate.variance = estimate.untimed * estimate.mean * estimate.untimed * estimate.mean;
    return estimate;
}

void pcomp_thread_add(struct pcomp_thread_sums *sums, const struct pcomp_kind_time *kind)
{
    sums->count += kind->count;
    sums->timed += kind->timed;
    sums->untimed += kind->untimed;
    sums->predicted += kind->untimed * kind->mean;
    sums->variance += kind->variance;
}

/* The share of a counted call that does not hide among the program's work: overlap / (overlap + work), where work is
 * what is left of `each`, the ticks that passed a call, when the call is taken away. So
 *   call * (overlap + each - call) = loop * overlap,
 * and the lesser root is meant: it goes to `loop` as the overlap grows. Where no work is left, nothing hides it. */
static double visible_share(double loop, double each, double overlap)
{
    double sum = overlap + each, root = sum * sum - 4 * loop * overlap;

    if (!(overlap > 0) || !(loop > 0) || overlap > 1e18 || root < 0)
        return 1;
    double call = 2 * loop * overlap / (sum + square_root(root));
    return call < each ? call / loop : 1;
}

struct pcomp_correction pcomp_correction_of(const struct pcomp_counting *counting, const struct pcomp_thread_sums *sums)
{
    double events = sums->counted_events, share;

    if (events < COUNTED_LEAST || sums->untimed < COUNTED_LEAST)
        return (struct pcomp_correction){
            .call = counting->call, .call_spread = counting->spread, .segment = -counting->stamp};
    share = visible_share(counting->call, sums->counted_ticks / (events / 2), counting->overlap);
    return (struct pcomp_correction){
        .call = share * counting->call,
        .call_spread = share * counting->spread,
        .segment = (sums->counted_ticks - events * share * counting->call / 2 - sums->predicted) / sums->untimed,
        .conserves = true,
        .untimed = sums->untimed,
        .variance = sums->variance};
}

/* The rule, for some segments: the times of the timed, the estimated times of the others, how many both are. */
static double compensate(double timed, double predicted, double count, const struct pcomp_correction *correction)
{
    return timed + predicted + count * correction->segment;
}

double pcomp_kind_compensated(const struct pcomp_kind_time *kind, const struct pcomp_correction *correction)
{
    return compensate(kind->timed, kind->untimed * kind->mean, kind->count, correction);
}

double pcomp_thread_compensated(const struct pcomp_thread_sums *sums, const struct pcomp_correction *correction)
{
    return compensate(sums->timed, sums->predicted, sums->count, correction);
}

double pcomp_part_variance(double count, double variance, const struct pcomp_correction *correction)
{
    if (!correction->conserves)
        return variance;
    double share = count / correction->untimed, others = at_least_zero(correction->variance - variance);
    return (1 - share) * (1 - share) * variance + share * share * others;
}
