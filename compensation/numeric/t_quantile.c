#include "compensation/numeric/t_quantile.h"

#define FEW 5 /* degrees of freedom below which the table is used */

/* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5 */
static double expansion(double degrees)
{
    double z = PCOMP_NORMAL_95, z2 = z * z, n = 1 / degrees;
    double first = z * (z2 + 1) / 4, second = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + n * (first + n * (second + n * third));
}

double pcomp_t_quantile(double degrees)
{
    static const double table[] = {12.7062, 6.0167, 4.3027, 3.5747, 3.1825, 2.9401, 2.7764, 2.6589, 2.5706, 2.5706};
    if (!(degrees > 1))
        return table[0];
    if (degrees >= FEW)
        return expansion(degrees);
    int step = (int)(2 * degrees - 2); /* from 1 + step / 2 on, linear in 1 / degrees */
    double low = 1 + step / 2.0, part = (1 / low - 1 / degrees) * 2 * low * (low + 0.5);
    return table[step] + part * (table[step + 1] - table[step]);
}
