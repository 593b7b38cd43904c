#include "compensation/sample_shares.h"

#include <math.h>

#define SITES_TAKE    1.75 /* times what is seen at sites: registers are kept for them elsewhere. docs/accuracy.md */
#define SITES_LEAVE   0.25 /* of a function, whatever is seen */
#define WAITING_ERROR 0.3  /* of what bursts say of the time that samples do not see */

static double sound(double value)
{
    return isfinite(value) && value > 0 ? fmin(value, 1e100) : 0;
}

static double square(double x)
{
    return x * x;
}

double pcomp_samples_without_sites(double samples, double at_sites)
{
    samples = sound(samples);
    return fmax(samples - SITES_TAKE * fmin(sound(at_sites), samples), SITES_LEAVE * samples);
}

/* Fienberg and Holland's K: so many samples the expectation is worth. */
static double worth_of(const struct pcomp_sampled_part *parts, size_t count, double samples, double bursts)
{
    double squares = 0, off = 0;
    for (size_t i = 0; i < count; i++) {
        squares += square(sound(parts[i].samples));
        off += square(sound(parts[i].samples) - samples * (sound(parts[i].bursts) / bursts));
    }
    double chance = fmax(square(samples) - squares, 0);
    return off > chance / (1e3 * samples) ? chance / off : 1e3 * samples;
}

/* Of what bursts saw, the time that samples did not: where that is little of it, it rather is an error of bursts. */
static double unexplained(double seen, double sampled)
{
    double more = fmax(seen - sampled, 0);
    return seen > 0 ? more * (more / seen) : 0;
}

bool pcomp_sample_shares(struct pcomp_sampled_part *parts, size_t count, double busy)
{
    double samples = 0, bursts = 0, apart = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        samples += sound(parts[i].samples);
        bursts += sound(parts[i].bursts);
    }
    if (!(samples >= PCOMP_SAMPLES_LEAST) || !(bursts > 0))
        return false;
    busy = bursts * fmin(sound(busy), 1);
    double worth = worth_of(parts, count, samples, bursts);
    for (size_t i = 0; i < count; i++) {
        struct pcomp_sampled_part *p = &parts[i];
        double seen = sound(p->bursts), share = (sound(p->samples) + worth * (seen / bursts)) / (samples + worth);
        double one = 1 / samples; /* as if one more had met it */
        p->time = busy * share;
        p->variance = square(busy) * fmin(share + one, 1) * one;
        apart += unexplained(seen, p->time);
    }
    for (size_t i = 0; i < count; i++) { /* what it waited, as bursts have it */
        struct pcomp_sampled_part *p = &parts[i];
        double part = apart > 0 ? unexplained(sound(p->bursts), p->time) / apart : sound(p->bursts) / bursts;
        double waited = (bursts - busy) * part;
        p->time += waited;
        p->variance += square(WAITING_ERROR * waited);
        sum += p->time;
    }
    for (size_t i = 0; i < count && sum > 0; i++)
        parts[i].time *= bursts / sum; /* rounding */
    return true;
}
