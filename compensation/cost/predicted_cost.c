#include "compensation/cost/predicted_cost.h"

#include <math.h>

/* The first calls are timed, those behind them counted. */
static double auto_calls(const struct pcomp_call_prices *prices, double calls, double own)
{
    double timed = fmin(calls, prices->allowance + prices->rate * fmax(own, 0) / 1e9);
    return timed * prices->timed + (calls - timed) * prices->counted;
}

double pcomp_predicted_calls(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double calls,
                             double own)
{
    switch (mode) {
    case PCOMP_PREDICT_FULL:
        return calls * prices->timed;
    case PCOMP_PREDICT_TRACE:
        return calls * prices->recorded;
    case PCOMP_PREDICT_AUTO:
        break;
    }
    return auto_calls(prices, calls, own);
}

double pcomp_predicted_share(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double cost,
                             double own)
{
    if (!(own > 0))
        return NAN;
    double share = cost / own;
    return mode == PCOMP_PREDICT_AUTO ? fmin(share, prices->limit) : share;
}
