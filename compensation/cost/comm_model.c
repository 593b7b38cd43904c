/* Communication time: two lines and a table, and their fit. */
#include "compensation/cost/comm_model.h"

#include <math.h>

enum comm_protocol comm_protocol_of(const struct comm_model *model, const struct comm_protocols *seen, uint64_t bytes)
{
    if (model->has_protocols)
        return model->threshold && bytes >= model->threshold ? COMM_RENDEZVOUS : COMM_EAGER;
    if (bytes <= seen->eager_max)
        return COMM_EAGER;
    return seen->rendezvous_min && bytes >= seen->rendezvous_min ? COMM_RENDEZVOUS : COMM_UNKNOWN;
}

bool comm_is_known(const struct comm_model *model)
{
    const struct comm_line *lines[] = {&model->eager, &model->rendezvous};
    for (size_t i = 0; i < 2; i++)
        if (lines[i]->start > 0 || lines[i]->per_byte > 0)
            return true;
    return model->copies > 0;
}

double comm_time(const struct comm_model *model, uint64_t bytes)
{
    bool large = model->threshold && bytes >= model->threshold;
    const struct comm_line *line = large ? &model->rendezvous : &model->eager;

    return line->start + line->per_byte * (double)bytes;
}

double comm_copy_time(const struct comm_model *model, uint64_t bytes)
{
    const struct comm_copy *copy = model->copy;
    uint32_t i = 0, last = model->copies - 1;

    if (model->copies == 0)
        return 0;
    if (bytes <= copy[0].bytes)
        return copy[0].time;
    if (bytes > copy[last].bytes)
        return copy[last].time * ((double)bytes / (double)copy[last].bytes);
    while (copy[i + 1].bytes < bytes)
        i++;
    return copy[i].time + (copy[i + 1].time - copy[i].time) * (double)(bytes - copy[i].bytes) /
                              (double)(copy[i + 1].bytes - copy[i].bytes);
}

/* --- The fit: weights 1/time^2, so that it is relative errors whose squares are least. A message of a megabyte takes
 * a thousand times as long as an empty one, and would decide alone what the empty one is said to take. --- */

struct fit {
    struct comm_line line;
    double relative; /* sum of squared relative residuals */
    size_t count;
    bool two_sizes;
};

/* Samples of sizes from..to-1. */
static bool in_range(const struct comm_sample *sample, uint64_t from, uint64_t to)
{
    return sample->bytes >= from && sample->bytes < to && sample->time > 0;
}

#define USUAL 0.1 /* relative residuals beyond this are of disturbed samples, and count by their size alone (Huber) */

static double residual(const struct fit *fit, const struct comm_sample *sample)
{
    return fit->line.start + fit->line.per_byte * (double)sample->bytes - sample->time;
}

/* Weight of a sample: by relative error; once there is a line, less for one that lies far off it. */
static double weight_of(const struct fit *fit, const struct comm_sample *sample, bool again)
{
    double weight = 1 / (sample->time * sample->time);
    double off = again ? fabs(residual(fit, sample)) / sample->time : 0;
    return off > USUAL ? weight * USUAL / off : weight;
}

static void residuals(struct fit *fit, const struct comm_sample *samples, size_t count, uint64_t from, uint64_t to)
{
    double squares = 0;

    fit->relative = 0;
    for (size_t i = 0; i < count; i++) {
        if (!in_range(&samples[i], from, to))
            continue;
        double left = residual(fit, &samples[i]), off = fabs(left) / samples[i].time;
        squares += left * left;
        fit->relative += off > USUAL ? USUAL * (2 * off - USUAL) : off * off;
    }
    fit->line.residual = sqrt(squares / (double)fit->count);
}

static void fit_line(struct fit *fit, const struct comm_sample *samples, size_t count, uint64_t from, uint64_t to,
                     bool again)
{
    double weights = 0, size = 0, time = 0, square = 0, product = 0;
    const struct fit before = *fit;

    for (size_t i = 0; i < count; i++) {
        if (!in_range(&samples[i], from, to))
            continue;
        double weight = weight_of(&before, &samples[i], again);
        weights += weight;
        size += weight * (double)samples[i].bytes;
        time += weight * samples[i].time;
    }
    size /= weights;
    time /= weights;
    for (size_t i = 0; i < count; i++) {
        if (!in_range(&samples[i], from, to))
            continue;
        double weight = weight_of(&before, &samples[i], again), distance = (double)samples[i].bytes - size;
        square += weight * distance * distance;
        product += weight * distance * (samples[i].time - time);
    }
    fit->line.per_byte = product / square;
    fit->line.start = time - fit->line.per_byte * size;
    if (fit->line.per_byte < 0) /* no message gets faster by being longer */
        fit->line = (struct comm_line){.start = time};
    else if (fit->line.start < 0)
        fit->line =
            (struct comm_line){.per_byte = (product + weights * size * time) / (square + weights * size * size)};
}

enum { AGAIN = 5 }; /* fits with the weights of the one before */

static struct fit fit_range(const struct comm_sample *samples, size_t count, uint64_t from, uint64_t to)
{
    struct fit fit = {0};
    uint64_t first = 0;

    for (size_t i = 0; i < count; i++) {
        if (!in_range(&samples[i], from, to))
            continue;
        first = fit.count++ ? first : samples[i].bytes;
        fit.two_sizes = fit.two_sizes || samples[i].bytes != first;
    }
    for (int times = 0; fit.two_sizes && times <= AGAIN; times++)
        fit_line(&fit, samples, count, from, to, times > 0);
    if (fit.two_sizes)
        residuals(&fit, samples, count, from, to);
    return fit;
}

/* Samples on the wrong side of a break, by what was seen of their sends. */
static size_t misplaced(const struct comm_sample *samples, size_t count, const uint8_t *blocks, uint64_t threshold)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++)
        wrong += (blocks[i] != 0) != (samples[i].bytes >= threshold);
    return wrong;
}

/* Bayesian information: a break must explain as much as the parameters that it costs. */
static double information(double relative, double count, double parameters)
{
    const double exact = 1e-12; /* below this, residuals are those of the arithmetic */

    return count * log(relative / count > exact ? relative / count : exact) + parameters * log(count);
}

enum { BREAK = 6 };    /* parameters: a second line, and the best of many places */
#define AS_LIKELY 3.84 /* twice the logarithm of the likelihood: beyond this a break is outside the 95 % interval */

struct candidate { /* a break in front of a size */
    struct fit below, above;
    double information;
    size_t wrong;
    bool possible;
};

static struct candidate break_at(const struct comm_sample *samples, size_t count, const uint8_t *blocks, size_t all,
                                 uint64_t bytes)
{
    struct candidate c = {.below = fit_range(samples, count, 0, bytes),
                          .above = fit_range(samples, count, bytes, UINT64_MAX)};

    c.possible = c.below.two_sizes && c.above.two_sizes;
    c.wrong = blocks ? misplaced(samples, count, blocks, bytes) : 0;
    c.information = information(c.below.relative + c.above.relative, (double)all, 2 + BREAK);
    return c;
}

/* The largest size below `bytes`; 0: none. */
static uint64_t size_below(const struct comm_sample *samples, size_t count, uint64_t bytes)
{
    uint64_t below = 0;

    for (size_t i = 0; i < count; i++)
        below = samples[i].bytes < bytes && samples[i].bytes > below ? samples[i].bytes : below;
    return below;
}

static void find_interval(struct comm_model *model, const struct comm_sample *samples, size_t count,
                          const uint8_t *blocks, size_t all, const struct candidate *best)
{
    model->threshold_min = model->threshold_max = model->threshold;
    for (size_t i = 0; i < count; i++) {
        struct candidate c = break_at(samples, count, blocks, all, samples[i].bytes);

        if (!c.possible || c.wrong != best->wrong || c.information > best->information + AS_LIKELY)
            continue;
        if (samples[i].bytes < model->threshold_min)
            model->threshold_min = samples[i].bytes;
        if (samples[i].bytes > model->threshold_max)
            model->threshold_max = samples[i].bytes;
    }
    /* The break lies behind the size before the first possible one. */
    model->threshold_min = size_below(samples, count, model->threshold_min) + 1;
}

bool comm_fit(struct comm_model *model, const struct comm_sample *samples, size_t count, const uint8_t *blocks)
{
    struct fit all = fit_range(samples, count, 0, UINT64_MAX);
    struct candidate best = {.information = information(all.relative, (double)all.count, 2),
                             .wrong = blocks ? misplaced(samples, count, blocks, UINT64_MAX) : 0};

    if (!all.two_sizes)
        return false;
    model->eager = model->rendezvous = all.line;
    model->threshold = model->threshold_min = model->threshold_max = 0;
    model->has_protocols = true;
    for (size_t i = 0; i < count; i++) {
        struct candidate c = break_at(samples, count, blocks, all.count, samples[i].bytes);

        if (!c.possible || c.wrong > best.wrong || (c.wrong == best.wrong && c.information >= best.information))
            continue;
        best = c;
        model->eager = c.below.line;
        model->rendezvous = c.above.line;
        model->threshold = samples[i].bytes;
    }
    if (model->threshold)
        find_interval(model, samples, count, blocks, all.count, &best);
    return true;
}
