#include "reporters/tree/build/time_spread.h"

#include "compensation/numeric/log_buckets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct time_spread {
    uint32_t first, n; /* places */
    uint64_t counts[];
};

/* One activation is the number of its place in the pointer: its lowest bit is set, as that of no address is. */
static bool is_single(const struct time_spread *spread)
{
    return (uintptr_t)spread & 1;
}

static uint32_t single_place(const struct time_spread *spread)
{
    return (uint32_t)((uintptr_t)spread >> 1);
}

/* Room for the places [from, to) and what is in the slot. */
static struct time_spread *room(struct time_spread **slot, uint32_t from, uint32_t to)
{
    const struct time_spread *old = *slot;
    bool single = is_single(old);
    uint32_t first = !old ? from : single ? single_place(old) : old->first;
    uint32_t end = !old ? to : single ? first + 1 : old->first + old->n;
    if (old && !single && from >= first && to <= end)
        return *slot;
    from = from < first ? from : first;
    to = to > end ? to : end;
    struct time_spread *spread = calloc(1, sizeof *spread + (to - from) * sizeof *spread->counts);
    if (!spread)
        return NULL;
    spread->first = from;
    spread->n = to - from;
    if (single)
        spread->counts[first - from] = 1;
    else if (old)
        memcpy(spread->counts + (first - from), old->counts, old->n * sizeof *old->counts);
    time_spread_free(slot);
    *slot = spread;
    return spread;
}

bool time_spread_put(struct time_spread **slot, uint32_t place, uint64_t count)
{
    if (!*slot && count == 1) {
        *slot = (struct time_spread *)((uintptr_t)place << 1 | 1); // NOLINT(performance-no-int-to-ptr)
        return true;
    }
    struct time_spread *spread = room(slot, place, place + 1);
    if (spread)
        spread->counts[place - spread->first] += count;
    return spread != NULL;
}

bool time_spread_add(struct time_spread **slot, const struct time_spread *from)
{
    if (!from)
        return true;
    if (is_single(from))
        return time_spread_put(slot, single_place(from), 1);
    struct time_spread *spread = room(slot, from->first, from->first + from->n);
    for (uint32_t i = 0; spread && i < from->n; i++)
        spread->counts[from->first + i - spread->first] += from->counts[i];
    return spread != NULL;
}

void time_spread_free(struct time_spread **slot)
{
    if (!is_single(*slot))
        free(*slot);
    *slot = NULL;
}

uint32_t time_spread_next(const struct time_spread *spread, uint32_t place, uint64_t *count)
{
    *count = 1;
    if (!spread)
        return UINT32_MAX;
    if (is_single(spread))
        return single_place(spread) >= place ? single_place(spread) : UINT32_MAX;
    for (uint32_t i = place > spread->first ? place - spread->first : 0; i < spread->n; i++)
        if ((*count = spread->counts[i]))
            return spread->first + i;
    return UINT32_MAX;
}

uint64_t time_spread_total(const struct time_spread *spread)
{
    uint64_t total = 0, count;
    for (uint32_t at = 0; (at = time_spread_next(spread, at, &count)) != UINT32_MAX; at++)
        total += count;
    return total;
}

uint32_t time_spread_place(double time, double unit)
{
    double ticks = fmin(fmax(time / unit, -9e18), 9e18);
    return pcomp_bucket_place(pcomp_bucket((int64_t)ticks));
}

double time_spread_middle(uint32_t place, double unit)
{
    uint32_t bucket = pcomp_bucket_at(place);
    return ((double)pcomp_bucket_min(bucket) + (double)pcomp_bucket_width(bucket) / 2) * unit;
}

double time_spread_quantile(const struct time_spread *spread, double unit, double share, double min, double greatest)
{
    uint64_t total = time_spread_total(spread), count, seen = 0;
    double rank = ceil(share * (double)total);
    for (uint32_t at = 0; (at = time_spread_next(spread, at, &count)) != UINT32_MAX; at++)
        if ((double)(seen += count) >= rank)
            return fmin(fmax(time_spread_middle(at, unit), min), greatest); /* numbers win over NAN */
    return NAN;
}
