#include "compensation/estimate/seen_transfers.h"

#define NONE 0x1p63 /* above each int64_t */

static uint32_t class_of(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

/* A trace that is damaged may say anything. */
static int64_t rounded(double time)
{
    return time < NONE ? (int64_t)(time + 0.5) : INT64_MAX;
}

void seen_transfers_add(struct seen_transfers *seen, uint64_t bytes, int64_t time)
{
    uint32_t class = class_of(bytes);

    seen->of[class].time += (double)time;
    seen->of[class].bytes += (double)bytes;
    seen->of[class].count++;
}

int64_t seen_transfers_bound(const struct seen_transfers *seen, uint64_t bytes)
{
    double min = NONE;

    for (uint32_t class = class_of(bytes); class < SEEN_TRANSFERS_CLASSES; class ++) {
        double count = (double)seen->of[class].count, larger;

        if (count < SEEN_TRANSFERS_MIN)
            continue;
        larger = (double)bytes * count / seen->of[class].bytes; /* than those that were seen; class 0 has no bytes */
        larger = larger > 1 ? larger : 1;
        if (seen->of[class].time / count * larger < min)
            min = seen->of[class].time / count * larger;
    }
    return rounded(min);
}

int64_t seen_transfers_like(const struct seen_transfers *seen, uint64_t bytes)
{
    uint32_t class = class_of(bytes);
    double count = (double)seen->of[class].count;

    return count < SEEN_TRANSFERS_MIN ? 0 : rounded(seen->of[class].time / count);
}
