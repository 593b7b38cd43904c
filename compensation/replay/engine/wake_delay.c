#include "compensation/replay/engine/wake_delay.h"

#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 32, QUARTILES_EVERY = 16 };
#define QUARTILES_APART 1.349 /* standard deviations, of a normal distribution */

static int compare_delays(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void find_quartiles(struct wake_delay *d)
{
    int64_t sorted[WAKE_DELAYS];
    size_t count = d->count < WAKE_DELAYS ? d->count : WAKE_DELAYS;
    memcpy(sorted, d->recent, sizeof sorted);
    qsort(sorted, count, sizeof *sorted, compare_delays);
    d->low = sorted[count / 4];
    d->high = sorted[count - 1 - count / 4];
}

void wake_delay_add(struct wake_delays *delays, bool waited, int64_t delay)
{
    struct wake_delay *d = waited ? &delays->waited : &delays->passed;
    d->recent[d->count++ % WAKE_DELAYS] = delay;
    if (d->count >= ENOUGH && d->count % QUARTILES_EVERY == 0)
        find_quartiles(d);
}

bool wake_delays_differ(const struct wake_delays *delays)
{
    const struct wake_delay *a = &delays->waited, *b = &delays->passed;
    return a->count >= ENOUGH && b->count >= ENOUGH && (a->low > b->high || b->low > a->high);
}

int64_t wake_delay_changed(const struct wake_delays *delays, int64_t delay, bool waited, bool waits)
{
    const struct wake_delay *from = waited ? &delays->waited : &delays->passed,
                            *to = waits ? &delays->waited : &delays->passed;
    if (waited == waits || !wake_delays_differ(delays))
        return delay;
    int64_t changed = delay + to->low - from->low;
    return changed > 0 ? changed : 0;
}

double wake_delay_variance(const struct wake_delays *delays)
{
    double waited = (double)(delays->waited.high - delays->waited.low) / QUARTILES_APART,
           passed = (double)(delays->passed.high - delays->passed.low) / QUARTILES_APART;
    return waited * waited + passed * passed;
}
