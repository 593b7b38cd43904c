#include "compensation/estimate/probe_price.h"

struct estimate {
    double value, variance;
};

static double square(double x)
{
    return x * x;
}

/* all: C / K; 0: not known. */
static struct estimate by_samples(double inside, double all, const struct pcomp_probe_price_sources *from)
{
    double bare = inside + (from->sleds ? 0 : PCOMP_PROBE_OUTSIDE), gain = 1;
    double factor = bare - PCOMP_PROBE_SHADE_MAX;
    double in_part = (bare - PCOMP_PROBE_SHADE * all) / (1 - PCOMP_PROBE_SHADE);
    if (!(all > bare)) {
        factor = bare;
    } else if (in_part > factor) {
        factor = in_part;
        gain = 1 / (1 - PCOMP_PROBE_SHADE);
    }
    double variance = square(inside * gain) / from->samples + square(PCOMP_PROBE_OUTSIDE_ERROR) +
                      square(PCOMP_PROBE_SHADE_ERROR * (bare - factor));
    return (struct estimate){factor, variance};
}

static struct estimate mean_of(struct estimate a, struct estimate b)
{
    double of_a = 1 / a.variance, of_b = 1 / b.variance;
    return (struct estimate){(of_a * a.value + of_b * b.value) / (of_a + of_b), 1 / (of_a + of_b)};
}

struct pcomp_probe_price pcomp_probe_price(const struct pcomp_probe_price_sources *from)
{
    struct estimate found = {PCOMP_PROBE_USUAL, square(PCOMP_PROBE_USUAL_ERROR)};
    double inside = from->library - from->slow, all = from->processor - from->slow;
    if (from->kernel > 0 && from->samples >= 1 && inside > 0) {
        struct estimate ours = by_samples(inside / from->kernel, all / from->kernel, from);
        double above = ours.value - found.value, error = __builtin_sqrt(ours.variance + found.variance);
        if (ours.value > PCOMP_PROBE_MIN && ours.value < PCOMP_PROBE_MAX)
            found = above > PCOMP_PROBE_FAR * error ? ours : mean_of(ours, found);
    }
    return (struct pcomp_probe_price){found.value, __builtin_sqrt(found.variance) / found.value};
}

int64_t pcomp_probe_calibrated(int64_t charged, int64_t slow, int64_t factor)
{
    return (charged - slow) * 1024 / factor + slow;
}
