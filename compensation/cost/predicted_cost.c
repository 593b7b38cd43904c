#include "compensation/cost/predicted_cost.h"

#include <math.h>

/* The first ones. */
double pcomp_predicted_not_counted(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double calls,
                                   double own)
{
    return mode == PCOMP_PREDICT_FULL ? calls : fmin(calls, prices->allowance + prices->rate * fmax(own, 0) / 1e9);
}

double pcomp_predicted_recorded_max(const struct pcomp_call_prices *prices, double own)
{
    double cost = prices->start + prices->share * fmax(own, 0);
    return cost > 0 && prices->recorded > 0 ? cost / prices->recorded : INFINITY;
}

double pcomp_predicted_calls(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double calls,
                             double own)
{
    double first = pcomp_predicted_not_counted(prices, mode, calls, own),
           price = mode == PCOMP_PREDICT_TRACE ? prices->recorded : prices->timed;
    return first * price + (calls - first) * prices->counted;
}

double pcomp_predicted_share(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double cost,
                             double own)
{
    if (!(own > 0))
        return NAN;
    double share = cost / own;
    return mode == PCOMP_PREDICT_FULL ? share : fmin(share, prices->limit);
}
