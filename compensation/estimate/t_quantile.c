#include "compensation/estimate/t_quantile.h"

#define NORMAL 1.959964
#define FEW    5 /* degrees of freedom below which the table is used */

/* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5 */
static double expansion(double degrees)
{
    double z = NORMAL, z2 = z * z, n = 1 / degrees;
    double first = z * (z2 + 1) / 4, second = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + n * (first + n * (second + n * third));
}

double pcomp_t_quantile(double degrees)
{
    static const double table[FEW + 1] = {12.706, 12.706, 4.303, 3.182, 2.776, 2.571};
    if (!(degrees > 1))
        return table[1];
    if (degrees >= FEW)
        return expansion(degrees);
    int low = (int)degrees;
    double part = (1 / (double)low - 1 / degrees) * (double)low * (low + 1); /* linear in 1 / degrees */
    return table[low] + part * (table[low + 1] - table[low]);
}
