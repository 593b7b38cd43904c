#include "compensation/trace_event/alpha.h"

#include "compensation/numeric/t_quantile.h"
#include "compensation/trace_event/event.h"

#include <math.h>

#define FACTOR_MAX 64.0
#define ALPHA_MAX  ((int64_t)1 << 52)

double alpha_factor(const int64_t alpha[], int64_t measured)
{
    double known = ((double)alpha[PCOMP_EVENT_ENTER] + (double)alpha[PCOMP_EVENT_EXIT]) / 2;
    if (measured <= 0 || !(known > 0))
        return 1;
    double factor = (double)measured / known;
    return factor <= FACTOR_MAX && factor >= 1 / FACTOR_MAX ? factor : 1;
}

int64_t alpha_times(int64_t alpha, double factor)
{
    if (factor == 1 || alpha > ALPHA_MAX || alpha < -ALPHA_MAX)
        return alpha;
    double product = (double)alpha * factor;
    return (int64_t)(product < 0 ? product - 0.5 : product + 0.5);
}

int64_t alpha_in_context(int64_t alpha, double factor, const struct alpha_context *context)
{
    return alpha ? alpha_times(alpha, factor) + context->more : 0;
}

double alpha_deviation(double alpha, double spread)
{
    return hypot(ALPHA_CONTEXT * alpha, spread);
}

double alpha_uncertainty(double overhead)
{
    return PCOMP_NORMAL_95 * alpha_deviation(fabs(overhead), 0);
}
