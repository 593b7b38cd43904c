/* Communication time: two lines and a table, and their fit. */
#include "compensation/replay/comm_model.h"

#include <math.h>

enum comm_protocol comm_protocol_of(const struct comm_model *model, const struct comm_protocols *seen, uint64_t bytes)
{
    if (model->has_protocols)
        return model->threshold && bytes >= model->threshold ? COMM_RENDEZVOUS : COMM_EAGER;
    if (bytes <= seen->eager_most)
        return COMM_EAGER;
    return seen->rendezvous_least && bytes >= seen->rendezvous_least ? COMM_RENDEZVOUS : COMM_UNKNOWN;
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

static void residuals(struct fit *fit, const struct comm_sample *samples, size_t count, uint64_t from, uint64_t to)
{
    double squares = 0;

    fit->relative = 0;
    for (size_t i = 0; i < count; i++) {
        if (!in_range(&samples[i], from, to))
            continue;
        double left = fit->line.start + fit->line.per_byte * (double)samples[i].bytes - samples[i].time;
        squares += left * left;
        fit->relative += left * left / (samples[i].time * samples[i].time);
    }
    fit->line.residual = sqrt(squares / (double)fit->count);
}

static struct fit fit_range(const struct comm_sample *samples, size_t count, uint64_t from, uint64_t to)
{
    struct fit fit = {0};
    double weights = 0, size = 0, time = 0, square = 0, product = 0;
    uint64_t first = 0;

    for (size_t i = 0; i < count; i++) {
        if (!in_range(&samples[i], from, to))
            continue;
        double weight = 1 / (samples[i].time * samples[i].time);
        first = fit.count++ ? first : samples[i].bytes;
        fit.two_sizes = fit.two_sizes || samples[i].bytes != first;
        weights += weight;
        size += weight * (double)samples[i].bytes;
        time += weight * samples[i].time;
    }
    if (!fit.two_sizes)
        return fit;
    size /= weights;
    time /= weights;
    for (size_t i = 0; i < count; i++) {
        if (!in_range(&samples[i], from, to))
            continue;
        double weight = 1 / (samples[i].time * samples[i].time), distance = (double)samples[i].bytes - size;
        square += weight * distance * distance;
        product += weight * distance * (samples[i].time - time);
    }
    fit.line.per_byte = product / square;
    fit.line.start = time - fit.line.per_byte * size;
    if (fit.line.per_byte < 0) /* no message gets faster by being longer */
        fit.line = (struct comm_line){.start = time};
    else if (fit.line.start < 0)
        fit.line = (struct comm_line){.per_byte = (product + weights * size * time) / (square + weights * size * size)};
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

enum { BREAK = 6 }; /* parameters: a second line, and the best of many places */

bool comm_fit(struct comm_model *model, const struct comm_sample *samples, size_t count, const uint8_t *blocks)
{
    struct fit all = fit_range(samples, count, 0, UINT64_MAX);
    double best = information(all.relative, (double)all.count, 2);
    size_t least_wrong = blocks ? misplaced(samples, count, blocks, UINT64_MAX) : 0;

    if (!all.two_sizes)
        return false;
    model->eager = model->rendezvous = all.line;
    model->threshold = 0;
    model->has_protocols = true;
    for (size_t i = 0; i < count; i++) {
        struct fit below = fit_range(samples, count, 0, samples[i].bytes);
        struct fit above = fit_range(samples, count, samples[i].bytes, UINT64_MAX);
        double here = information(below.relative + above.relative, (double)all.count, 2 + BREAK);
        size_t wrong = blocks ? misplaced(samples, count, blocks, samples[i].bytes) : 0;

        if (!below.two_sizes || !above.two_sizes || wrong > least_wrong || (wrong == least_wrong && here >= best))
            continue;
        least_wrong = wrong;
        best = here;
        model->eager = below.line;
        model->rendezvous = above.line;
        model->threshold = samples[i].bytes;
    }
    return true;
}
