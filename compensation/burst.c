#include "compensation/burst.h"

#include "compensation/in_situ.h"

#define DILATION_MOST 8.0 /* of a burst: a call takes the program a nanosecond or two, however little it does */
#define FACTOR_LEAST  0.6 /* what a call costs differs from program to program, and is more in a short burst */
#define FACTOR_MOST   1.4
#define FACTOR_ERROR  0.2
/* What it differs by from phase to phase: held functions are called in others than a path. */
#define FACTOR_PHASES 0.1
#define HELD_LEAST    30.0
#define OFF_MOST      0.75 /* of a gap: calls there cannot have taken more of it */
#define BRIEF_LEAST   0.25 /* times what it seems: what a stamp blurs, and preemption is not all the brief's */
#define BRIEF_MOST    4.0

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

double pcomp_burst_progress(double length, double counting)
{
    double left = length - counting;
    return left > length / DILATION_MOST ? left : length / DILATION_MOST;
}

double pcomp_burst_hooks_ran(double hooks, double length, double ran)
{
    double away = greater(length - ran, 0);
    if (hooks > ran / 2 && hooks > away)
        hooks -= away;
    return lesser(hooks, greater(ran / 2, 0));
}

double pcomp_burst_cost(double counting, double hooks, double length, double ran)
{
    return greater(lesser(counting + hooks, lesser(ran, length)), 0);
}

struct pcomp_burst_weight pcomp_burst_weigh(double gap, double length, double counting)
{
    if (!(gap > 0) || !(length > 0) || !(counting >= 0))
        return (struct pcomp_burst_weight){0, 0};
    return (struct pcomp_burst_weight){gap / length, gap / pcomp_burst_progress(length, counting)};
}

/* What adds up to low and high adds up to this with that factor: for bursts that are alike, 1/sum is linear in it. */
static double sum_at(double low, double high, double factor)
{
    if (!(low > 0) || !(high > low))
        return low > 0 ? low : 0;
    double inverse = (1 - factor) / low + factor / high, least = 1 / (low * DILATION_MOST);
    return 1 / (inverse > least ? inverse : least);
}

double pcomp_burst_weight_at(const struct pcomp_burst_weight *weight, double factor)
{
    return sum_at(weight->low, weight->high, factor);
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

/* What a few bursts met may have been met by few by chance: by how much the variance that they show is too small for a
 * 95 % interval to reach the upper limit of a Poisson mean of which so many were counted (within 10 % from 1 to 30). */
static double of_few(double met)
{
    met = greater(met, 1);
    return 1 + 4.5 / square_root(met * square_root(met));
}

struct pcomp_burst_count pcomp_burst_count_of(const struct pcomp_burst_calls *path, double bursts, double scale,
                                              const struct pcomp_burst_slowness *slowness)
{
    struct pcomp_burst_count count = {0, 0};
    if (!(path->seen > 0) || !(path->low > 0) || !(path->high > 0) || !(scale > 0))
        return count;
    double calls = scale * sum_at(path->low, path->high, slowness->factor), each = calls / path->seen;
    double error = square_root(square(slowness->error) + square(FACTOR_PHASES));
    double more = scale * sum_at(path->low, path->high, slowness->factor + error);
    double fewer = scale * sum_at(path->low, path->high, slowness->factor - error);
    double to_calls = calls / path->high;
    count.calls = calls;
    /* what a burst holds of rare calls is a matter of chance even where all bursts look alike */
    count.variance = each * (each + 1) * (path->seen + 1);
    if (bursts >= 2) {
        double spread = path->squares - square(path->high) / bursts;
        spread *= of_few(square(path->high) / greater(path->squares, square(path->high) / bursts));
        count.variance = greater(count.variance, spread * bursts / (bursts - 1) * square(to_calls));
    } else { /* one burst tells nothing of the others */
        count.variance = greater(count.variance, square(calls));
    }
    /* where a burst is nothing but counting, it may be less so, and hardly more */
    count.variance += square(greater(more - calls, calls - fewer));
    return count;
}

struct pcomp_burst_total pcomp_burst_total_of(const struct pcomp_burst_times *times,
                                              const struct pcomp_burst_slowness *slowness)
{
    double on = greater(times->on, 0), off = greater(times->off, 0), counting = greater(times->counting, 0);
    double calls = greater(times->off_calls, 0) * greater(times->off_call, 0);
    double seen = pcomp_burst_progress(on, slowness->factor * counting), whole = seen + off;
    struct pcomp_burst_total total = {.actual = whole - calls};
    total.actual = greater(total.actual, (1 - OFF_MOST) * whole);
    total.error = square_root(square(lesser(slowness->error * counting, on)) +
                              square(greater(times->off_calls, 0) * times->off_call_spread));
    return total;
}

double pcomp_burst_stands_for(double gap, double progress, double off)
{
    return gap - lesser(greater(off, 0), OFF_MOST * gap) + progress;
}

struct pcomp_burst_share pcomp_burst_share_of(const struct pcomp_burst_seen *seen, double stands_for)
{
    double left = seen->ticks - seen->counting - seen->rest;
    struct pcomp_burst_share share = {0, 1};
    if (seen->brief > 0)
        share.brief = lesser(greater(left / seen->brief, BRIEF_LEAST), PCOMP_BRIEF_MOST);
    double predicted = seen->sure + seen->rest + share.brief * seen->brief;
    if (predicted >= 1 && stands_for > 0) /* a tick */
        share.weight = stands_for / predicted;
    return share;
}

double pcomp_burst_sum_variance(double changes)
{
    return changes > 0 ? changes / 2 : 0;
}

double pcomp_burst_part_variance(double time, double stands, double squares)
{
    if (!(stands > 0) || !(squares > 0))
        return 0;
    double one = squares / stands; /* as if one more burst had seen the part */
    double share = (greater(lesser(time, stands), 0) + one) / (stands + one);
    return squares * share * (1 - share);
}
