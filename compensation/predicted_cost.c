#include "compensation/predicted_cost.h"

#include <math.h>

static double exact_call(const struct pcomp_call_prices *prices, double segment, double stamped)
{
    double share = !isnan(stamped) ? fmin(fmax(stamped, 0), 1) : segment >= PCOMP_PREDICT_LONG ? 1 : prices->sampled;
    return prices->counted * (1 - share) + prices->stamped * share;
}

double pcomp_predicted_call(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double segment,
                            double stamped)
{
    switch (mode) {
    case PCOMP_PREDICT_FULL:
        return prices->timed;
    case PCOMP_PREDICT_TRACE:
        return prices->recorded;
    case PCOMP_PREDICT_EXACT:
    case PCOMP_PREDICT_BURST:
        break;
    }
    return exact_call(prices, segment, stamped);
}

/* Bursts and what lies between them have their lengths by the wall clock; the program gets on by length / (1 + share).
 */
static double burst_share(const struct pcomp_call_prices *prices, double on, double off)
{
    double in_burst = prices->burst / (1 + on), between = prices->gap / (1 + off);
    double own = in_burst + between;
    return own > 0 ? (in_burst * on + between * off) / own : on;
}

double pcomp_predicted_share(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode,
                             const struct pcomp_demand *demand)
{
    if (!(demand->own > 0))
        return NAN;
    double share = demand->cost / demand->own;
    if (mode == PCOMP_PREDICT_BURST)
        return burst_share(prices, fmax(share, 0), fmax(demand->calls * prices->off / demand->own, 0));
    return share;
}
