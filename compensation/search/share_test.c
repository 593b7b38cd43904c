#include "compensation/search/share_test.h"

#include <math.h>

#define LEVELS 12   /* test levels on either side: enough that the interval is within 10 % of the best mixture's */
#define STEPS  40   /* of bisection */
#define RATIO  0.62 /* between the distances of two levels from p */

/* log of the mean of E over levels between p and `end` (0 or 1). */
static double log_evidence(double samples, double sum, double p, double end)
{
    double logs[LEVELS], max = -INFINITY, distance = (end - p) * 0.9, total = 0;
    for (int i = 0; i < LEVELS; i++, distance *= RATIO) {
        double t = p + distance;
        logs[i] = sum * log(t / p) + (samples - sum) * log((1 - t) / (1 - p));
        max = fmax(max, logs[i]);
    }
    for (int i = 0; i < LEVELS; i++)
        total += exp(logs[i] - max);
    return max + log(total / LEVELS);
}

static bool is_valid(double samples, double sum)
{
    return samples > 0 && sum >= 0 && sum <= samples && samples < 1e15;
}

bool pcomp_share_is_above(double samples, double sum, double p, double error)
{
    return is_valid(samples, sum) && p > 0 && p < 1 && sum > p * samples &&
           log_evidence(samples, sum, p, 1) >= log(1 / error);
}

bool pcomp_share_is_below(double samples, double sum, double p, double error)
{
    return is_valid(samples, sum) && p > 0 && p < 1 && sum < p * samples &&
           log_evidence(samples, sum, p, 0) >= log(1 / error);
}

struct pcomp_share pcomp_share_of(double samples, double sum, double error)
{
    struct pcomp_share share = {.low = 0, .high = 1};
    if (!is_valid(samples, sum))
        return share;
    share.value = sum / samples;
    double below = 0, above = share.value; /* the low end lies between */
    for (int i = 0; i < STEPS && share.value > 0; i++) {
        double middle = (below + above) / 2;
        *(pcomp_share_is_above(samples, sum, middle, error / 2) ? &below : &above) = middle;
    }
    share.low = below;
    below = share.value;
    above = 1;
    for (int i = 0; i < STEPS && share.value < 1; i++) {
        double middle = (below + above) / 2;
        *(pcomp_share_is_below(samples, sum, middle, error / 2) ? &above : &below) = middle;
    }
    share.high = above;
    return share;
}

enum pcomp_verdict pcomp_share_verdict(double samples, double sum, double threshold, double error)
{
    if (pcomp_share_is_above(samples, sum, threshold, error / 2))
        return PCOMP_VERDICT_ABOVE;
    return pcomp_share_is_below(samples, sum, threshold, error / 2) ? PCOMP_VERDICT_BELOW : PCOMP_VERDICT_OPEN;
}
