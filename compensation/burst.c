#include "compensation/burst.h"

#define DILATION_MOST 20.0 /* of a burst */
#define FACTOR_LEAST  0.6  /* what a call costs differs from program to program, and is more in a short burst */
#define FACTOR_MOST   1.4
#define FACTOR_ERROR  0.2
#define HELD_LEAST    30.0

static double greater(double x, double y)
{
    return x > y ? x : y;
}

static double lesser(double x, double y)
{
    return x < y ? x : y;
}

/* Built with -fno-math-errno: one instruction, no library. */
static double square_root(double x)
{
    return __builtin_sqrt(x);
}

static double square(double x)
{
    return x * x;
}

/* What is left of a burst. */
static double progress(double length, double counting)
{
    double left = length - counting;
    return left > length / DILATION_MOST ? left : length / DILATION_MOST;
}

struct pcomp_burst_weight pcomp_burst_weigh(double gap, double length, double counting)
{
    if (!(gap > 0) || !(length > 0) || !(counting >= 0))
        return (struct pcomp_burst_weight){0, 0};
    return (struct pcomp_burst_weight){gap / length, gap / progress(length, counting)};
}

/* What adds up to low and high adds up to this with that factor: for bursts that are alike, 1/sum is linear in it. */
static double sum_at(double low, double high, double factor)
{
    if (!(low > 0) || !(high > low))
        return low > 0 ? low : 0;
    double inverse = (1 - factor) / low + factor / high, least = 1 / (low * DILATION_MOST);
    return 1 / (inverse > least ? inverse : least);
}

struct pcomp_burst_slowness pcomp_burst_slowness_of(const struct pcomp_burst_held *held)
{
    struct pcomp_burst_slowness slowness = {1, FACTOR_ERROR};
    double low = held->low, high = held->high, off = held->off;
    if (!(held->on >= HELD_LEAST) || !(off >= HELD_LEAST) || !(low > 0) || !(high > low * 1.001))
        return slowness;
    double ratio = off / high,
           residuals = held->off_squares - 2 * ratio * held->products + square(ratio) * held->high_squares;
    double relative = square_root(square(1 / square_root(held->on)) + greater(residuals, 0) / square(off));
    double slope = 1 / low - 1 / high, factor = (1 / low - 1 / off) / slope;
    double error = lesser(relative, 1) / off / slope; /* of the factor */
    double weight = square(FACTOR_ERROR) / (square(FACTOR_ERROR) + square(error));
    slowness.factor = lesser(greater(1 + weight * (factor - 1), FACTOR_LEAST), FACTOR_MOST);
    /* more where the two do not agree */
    slowness.error = FACTOR_ERROR * square_root(1 - weight) *
                     greater(1, square_root(square(factor - 1) / (square(FACTOR_ERROR) + square(error))));
    slowness.error = lesser(slowness.error, FACTOR_ERROR);
    return slowness;
}

struct pcomp_burst_count pcomp_burst_count_of(const struct pcomp_burst_calls *path, double bursts, double scale,
                                              const struct pcomp_burst_slowness *slowness)
{
    struct pcomp_burst_count count = {0, 0};
    if (!(path->seen > 0) || !(path->low > 0) || !(path->high > 0) || !(scale > 0))
        return count;
    double calls = scale * sum_at(path->low, path->high, slowness->factor), each = calls / path->seen;
    double more = scale * sum_at(path->low, path->high, slowness->factor + slowness->error);
    double to_calls = calls / path->high;
    count.calls = calls;
    /* what a burst holds of rare calls is a matter of chance even where all bursts look alike */
    count.variance = each * (each + 1) * (path->seen + 1);
    if (bursts >= 2) {
        double spread = path->squares - square(path->high) / bursts;
        count.variance = greater(count.variance, spread * bursts / (bursts - 1) * square(to_calls));
    } else { /* one burst tells nothing of the others */
        count.variance = greater(count.variance, square(calls));
    }
    count.variance += square(more - calls);
    return count;
}

struct pcomp_burst_total pcomp_burst_total_of(const struct pcomp_burst_times *times,
                                              const struct pcomp_burst_slowness *slowness)
{
    double on = greater(times->on, 0), off = greater(times->off, 0), counting = greater(times->counting, 0);
    double calls = greater(times->off_calls, 0) * greater(times->off_call, 0);
    double seen = progress(on, slowness->factor * counting), whole = seen + off;
    struct pcomp_burst_total total = {.actual = whole - calls};
    if (!(total.actual > whole / 4)) /* calls cost more than there was: the calibration is of another machine */
        total.actual = whole;
    total.error = square_root(square(lesser(slowness->error * counting, on)) +
                              square(greater(times->off_calls, 0) * times->off_call_spread));
    return total;
}

double pcomp_burst_time_variance(double time, double whole, double length)
{
    return time > 0 && time < whole ? length * time * (1 - time / whole) : 0;
}
