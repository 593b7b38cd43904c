#include "compensation/numeric/student_tail.h"

#include <math.h>

#define TERMS    500   /* of the continued fraction, which needs about the root of the degrees */
#define PRECISE  1e-13 /* where the fraction stops */
#define INFINITE 1e7   /* degrees from which on the normal distribution is as good */

/* log of Gamma(x), x > 0: Stirling's series at 8 and more, recurrence below. lgamma() writes a global. */
static double log_gamma(double x)
{
    double shift = 0;
    while (x < 8) {
        shift += log(x);
        x += 1;
    }
    double r = 1 / x, r2 = r * r;
    double series = r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680 - r2 / 1188))));
    return (x - 0.5) * log(x) - x + 0.918938533204672742 + series - shift;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        value *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        value *= c * d;
        if (fabs(c * d - 1) < PRECISE)
            break;
    }
    return value;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double pcomp_student_tail(double t, double degrees)
{
    if (isnan(t) || !(degrees > 0))
        return 1;
    if (degrees > INFINITE)
        return erfc(fabs(t) / sqrt(2));
    double p = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
    return isnan(p) ? 1 : p;
}
