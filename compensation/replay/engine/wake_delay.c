#include "compensation/replay/engine/wake_delay.h"

#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 32, FEW = 4, QUARTILES_EVERY = 16 };
#define QUARTILES_APART 1.349 /* standard deviations, of a normal distribution */

struct wake_known {
    struct wake_known *next;
    uint32_t process, kind;
    struct wake_delays delays;
};

struct wake_delays *wake_memory_find(struct wake_memory *memory, uint32_t process, uint32_t kind)
{
    struct wake_known *k = memory->known;
    while (k && (k->process != process || k->kind != kind))
        k = k->next;
    if (k)
        return &k->delays;
    k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    *k = (struct wake_known){.next = memory->known, .process = process, .kind = kind};
    memory->known = k;
    return &k->delays;
}

void wake_memory_free(struct wake_memory *memory)
{
    for (struct wake_known *k = memory->known, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    memory->known = NULL;
}

/* The n-th smallest of `count` values, which it reorders: smaller ones to the left of it, larger ones to the right. A
 * whole sort of all delays took an eighth of a replay of threads. */
static int64_t select_nth(int64_t *values, size_t count, size_t n)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        int64_t pivot = values[low + (high - low) / 2];
        size_t i = low, k = high;
        for (;; i++, k--) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i >= k)
                break;
            int64_t other = values[i];
            values[i] = values[k];
            values[k] = other;
        }
        if (n <= k)
            high = k;
        else
            low = k + 1;
    }
    return values[n];
}

static void find_quartiles(struct wake_delay *d)
{
    int64_t values[WAKE_DELAYS];
    size_t count = d->count < WAKE_DELAYS ? d->count : WAKE_DELAYS, quarter = count / 4;
    memcpy(values, d->recent, sizeof values);
    d->low = select_nth(values, count, quarter);
    d->high = select_nth(values + quarter, count - quarter, count - 1 - 2 * quarter);
}

void wake_delay_add(struct wake_delays *delays, bool waited, int64_t delay)
{
    struct wake_delay *d = waited ? &delays->waited : &delays->passed;
    if (delays->asks)
        return;
    d->recent[d->count++ % WAKE_DELAYS] = delay;
    if (d->count >= ENOUGH && d->count % QUARTILES_EVERY == 0)
        find_quartiles(d);
}

static void ask(struct wake_delay *d)
{
    int64_t values[WAKE_DELAYS];
    size_t count = d->count < WAKE_DELAYS ? d->count : WAKE_DELAYS;
    if (!count)
        return;
    find_quartiles(d);
    memcpy(values, d->recent, sizeof values);
    d->median = select_nth(values, count, count / 2);
}

void wake_delays_ask(struct wake_delays *delays)
{
    if (delays->asks)
        return;
    ask(&delays->waited);
    ask(&delays->passed);
    delays->asks = true;
}

bool wake_delays_differ(const struct wake_delays *delays)
{
    const struct wake_delay *a = &delays->waited, *b = &delays->passed;
    bool enough = delays->asks ? a->count >= FEW : a->count >= ENOUGH && b->count >= ENOUGH;
    return enough && (a->low > b->high || b->low > a->high);
}

int64_t wake_delay_changed(const struct wake_delays *delays, int64_t delay, bool waited, bool waits)
{
    const struct wake_delay *from = waited ? &delays->waited : &delays->passed,
                            *to = waits ? &delays->waited : &delays->passed;
    if (waited == waits || !wake_delays_differ(delays))
        return delay;
    int64_t changed = delays->asks ? to->median : delay + to->low - from->low;
    return changed > 0 ? changed : 0;
}

double wake_delay_variance(const struct wake_delays *delays)
{
    double waited = (double)(delays->waited.high - delays->waited.low) / QUARTILES_APART,
           passed = (double)(delays->passed.high - delays->passed.low) / QUARTILES_APART;
    return waited * waited + passed * passed;
}
