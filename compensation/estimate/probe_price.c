#include "compensation/estimate/probe_price.h"

static double square(double x)
{
    return x * x;
}

struct pcomp_probe_price pcomp_probe_price(const struct pcomp_probe_price_sources *from)
{
    struct pcomp_probe_price kernel = {1, PCOMP_PROBE_KERNEL_ERROR};
    double inside = from->library - from->slow + from->sampling;
    if (!(from->kernel > 0) || !(from->samples >= 1) || !(inside > 0))
        return kernel;
    double factor = inside / from->kernel + PCOMP_PROBE_OUTSIDE;
    double variance = square(inside / from->kernel) / from->samples + square(PCOMP_PROBE_OUTSIDE_ERROR);
    double ours = 1 / variance, theirs = 1 / square(kernel.error), mean = (ours * factor + theirs) / (ours + theirs);
    return (struct pcomp_probe_price){mean, __builtin_sqrt(1 / (ours + theirs)) / mean};
}
