#include "compensation/budget.h"

#include <string.h>

#define TOLERANCE    0.01 /* of the program's time, above the budget */
#define MARGIN       0.9
#define SHARE_LEAST  1e-6
#define PERIOD       0.01 /* seconds from burst to burst */
#define LENGTH_LEAST 0.00025
#define LENGTH_MOST  0.005
#define GAP_MOST     0.165 /* its longest is half as much again */
#define QUIET        0.5   /* of the budget */
#define FORGET       0.9   /* how much of what bursts showed is still worth at the next one */

void pcomp_budget_start(struct pcomp_budget *b, double share, uint64_t now, double hz)
{
    memset(b, 0, sizeof(*b));
    b->share = share;
    b->second = hz;
    b->begin = now;
}

/* Forgets the slices that are older than a second. */
static void move_to(struct pcomp_budget *b, uint64_t now)
{
    uint64_t slice = now > b->begin ? (uint64_t)((double)(now - b->begin) / b->second * PCOMP_BUDGET_SLICES) : 0;
    uint64_t steps = slice > b->slice ? slice - b->slice : 0;
    for (uint64_t i = 0; i < steps && i < PCOMP_BUDGET_SLICES; i++) {
        unsigned at = (unsigned)((b->slice + 1 + i) % PCOMP_BUDGET_SLICES);
        b->cost[at] = 0;
        for (unsigned c = 0; c < PCOMP_BUDGET_CAUSES; c++)
            b->by_cause[c][at] = 0;
    }
    b->slice += steps;
    b->sum = 0;
    for (unsigned i = 0; i < PCOMP_BUDGET_SLICES; i++)
        b->sum += b->cost[i];
}

static unsigned greatest_cause(const struct pcomp_budget *b)
{
    unsigned best = 0;
    double most = 0;
    for (unsigned c = 0; c < PCOMP_BUDGET_CAUSES; c++) {
        double sum = 0;
        for (unsigned i = 0; i < PCOMP_BUDGET_SLICES; i++)
            sum += b->by_cause[c][i];
        if (sum > most) {
            most = sum;
            best = c;
        }
    }
    return best;
}

/* Cost is a share of what is left of the second without it. */
static double share_of(const struct pcomp_budget *b)
{
    double own = b->second - b->sum;
    return own > b->second / 100 ? b->sum / own : 100;
}

void pcomp_budget_add(struct pcomp_budget *b, uint64_t now, double cost, unsigned cause)
{
    uint64_t before = b->slice;
    move_to(b, now);
    unsigned at = (unsigned)(b->slice % PCOMP_BUDGET_SLICES);
    if (cost > 0 && cause < PCOMP_BUDGET_CAUSES) {
        b->cost[at] += cost;
        b->by_cause[cause][at] += cost;
        b->sum += cost;
    }
    double share = share_of(b);
    if (share > b->worst)
        b->worst = share;
    uint64_t passed = (uint64_t)((double)(b->slice - before) * b->second / PCOMP_BUDGET_SLICES);
    if (pcomp_excess_note(&b->over, now, passed, share > b->share + TOLERANCE))
        pcomp_excess_because(&b->over, greatest_cause(b));
}

double pcomp_budget_left(struct pcomp_budget *b, uint64_t now)
{
    move_to(b, now);
    return b->share * (b->second - b->sum) - b->sum;
}

static double between(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

struct pcomp_burst_plan pcomp_budget_plan(double share, double second, double each, double rate)
{
    double may = (share > SHARE_LEAST ? share : SHARE_LEAST) * MARGIN, period = PERIOD * second;
    rate = between(rate, 0.01, 1);
    each = each > 0 ? each : 0;
    double length = between((may * period - each) / rate, LENGTH_LEAST * second, LENGTH_MOST * second);
    double gap = (each + rate * length) / may - length;
    return (struct pcomp_burst_plan){length, between(gap, PERIOD / 2 * second, GAP_MOST * second)};
}

bool pcomp_budget_returns(struct pcomp_budget_return *r, const struct pcomp_budget *b, uint64_t now, double cost,
                          double progress)
{
    if (!(r->patience > 0))
        r->patience = 1;
    r->cost = r->cost * FORGET + (cost > 0 ? cost : 0);
    r->progress = r->progress * FORGET + (progress > 0 ? progress : 0);
    bool quiet = r->progress > 0 && r->cost < QUIET * b->share * r->progress;
    if (!quiet)
        r->quiet_since = 0;
    else if (!r->quiet_since)
        r->quiet_since = now ? now : 1;
    else if ((double)(now - r->quiet_since) >= r->patience * b->second) {
        r->patience *= 2;
        r->quiet_since = 0;
        r->cost = r->progress = 0;
        return true;
    }
    return false;
}
