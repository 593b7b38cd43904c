/* Minimum and maximum of two numbers; fmin and fmax would need libm, which the library does not link. */
#ifndef PCOMP_EXTREMES_H
#define PCOMP_EXTREMES_H

static inline double pcomp_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double pcomp_max(double a, double b)
{
    return a > b ? a : b;
}

#endif
