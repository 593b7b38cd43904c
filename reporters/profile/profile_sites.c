#include "reporters/profile/profile_sites.h"

#include "compensation/estimate/site_price.h"
#include "compensation/numeric/t_quantile.h"
#include "reporters/profile/profile_calls.h"
#include "reporters/profile/profile_records.h"

#include <math.h>
#include <stdlib.h>

#define COUNT_PRICE_UNCERTAINTY 0.5 /* of the kernel's price, half-width, relative: a kernel is not the program */
#define PRICE_MIN               0.1 /* half-width of a price from windows, relative, at least: a mean over functions */
#define PRICE_MAX               1000.0 /* ns: one from windows that is above is damaged */
#define SHARE_MAX               0.9    /* a share above is damaged, or the own time is */

struct profile_count_price profile_count_price(const struct profile_file *f)
{
    const struct pcomp_header *h = &f->header;
    double kernel = (double)h->count_cost / (1 << PCOMP_FIX_SHIFT) * profile_tick_ns(f);
    double measured = h->count_price * 1e9;
    if (measured > 0 && measured < PRICE_MAX)
        return (struct profile_count_price){measured,
                                            fmax(PCOMP_NORMAL_95 * h->count_price_error * 1e9 / measured, PRICE_MIN),
                                            pcomp_site_unit(measured, kernel)};
    kernel = kernel > 0 ? kernel : 0;
    return (struct profile_count_price){kernel, COUNT_PRICE_UNCERTAINTY, kernel};
}

struct calls_sum { /* of functions that fell: those of others are too few to matter */
    double in_place, off;
    double off_half; /* half-width */
};

static struct calls_sum sum_calls(const struct profile_file *f, const struct profile_calls *calls)
{
    struct calls_sum sum = {0};
    for (uint32_t id = PCOMP_FUNCTION_FIRST; id < f->function_count; id++) {
        if (!(f->functions[id]->flags & PCOMP_FUNCTION_COUNTED))
            continue;
        double all = (double)profile_calls_all(&calls[id]), counted = (double)(calls[id].live + calls[id].ended);
        sum.in_place += fmin(counted, all);
        sum.off += fmax(all - counted, 0);
        sum.off_half += PCOMP_NORMAL_95 * sqrt(calls[id].variance);
    }
    return sum;
}

struct profile_site_cost profile_site_cost(const struct profile_file *f)
{
    struct profile_site_cost none = {0};
    double own = f->header.own_seconds * 1e9;
    if (!(f->header.site_enters || f->header.site_sleds) || !(own > 0) || !(own < 1e18))
        return none;
    struct profile_calls *calls = calloc(f->function_count, sizeof *calls);
    if (!calls)
        return none;
    profile_calls_read(f, calls);
    struct calls_sum sum = sum_calls(f, calls);
    free(calls);
    struct profile_count_price counted = profile_count_price(f);
    struct pcomp_site_price site =
        pcomp_site_price(f->header.site_sleds > 0, sum.in_place + sum.off, own, counted.unit);
    double off = sum.off * site.price, unsure = off > 0 ? fmin(sum.off_half * site.next / off, 1) : 0;
    if (!(site.price > 0) || !((sum.in_place + sum.off) * site.price < SHARE_MAX * own))
        return none;
    return (struct profile_site_cost){.call = site.price,
                                      .call_deviation = hypot(counted.error, site.error) / PCOMP_NORMAL_95,
                                      .share = off / own,
                                      .share_deviation = hypot(counted.error, site.error + unsure) / PCOMP_NORMAL_95};
}
