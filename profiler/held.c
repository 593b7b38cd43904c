#include "profiler/held.h"

#include "profiler/code/sites/sites.h"
#include "profiler/store.h"

#include <string.h>

#define USED_MOST   (HELD_SLOTS / 2)
#define BATCH       SITES_ALONE_MOST
#define SEEN_SLOTS  8192u
#define PROBE_LEAST 1000u /* calls seen of a function that is probed */

struct pcomp_held *held_table;

/* Functions that were seen, in the slot of their address. */
static struct seen {
    uint64_t function, calls;
    bool tested, refused; /* refused: it is not alone, is held, or was let go */
    bool too_hot;         /* to be probed */
} seen[SEEN_SLOTS];
static uint64_t watched[HELD_SLOTS], before[HELD_SLOTS]; /* calls at the last look, and when the gap began */
static uint32_t slots_used[USED_MOST], used;
static uint64_t gap_began, gap_ended, let_go[HELD_SLOTS]; /* ticks; 0: not in this gap */
static struct pcomp_held *probed;
static struct seen *probed_seen;
static uint64_t probed_before; /* calls of it that were counted until then */

bool held_start(void)
{
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_HELD, sizeof(*c) + HELD_SLOTS * sizeof(struct pcomp_held), 0,
                                        sizeof(struct pcomp_held));
    if (!c)
        return false;
    c->capacity = HELD_SLOTS;
    held_table = (struct pcomp_held *)(c + 1);
    __atomic_store_n(&c->count, HELD_SLOTS, __ATOMIC_RELEASE);
    return true;
}

void held_see(uint64_t function, uint64_t calls, bool again)
{
    uint32_t slot = (uint32_t)((function * 0x9e3779b97f4a7c15u) >> 51);
    for (unsigned i = 0; i < 8; i++, slot = (slot + 1) % SEEN_SLOTS) {
        struct seen *s = &seen[slot];
        if (s->function && s->function != function)
            continue;
        s->function = function;
        s->calls += calls;
        s->refused |= again;
        return;
    }
}

static void add(uint64_t function)
{
    uint32_t slot = held_slot(function);
    while (held_table[slot].function)
        slot = (slot + 1) % HELD_SLOTS;
    held_table[slot].flags = PCOMP_HELD_ALONE;
    __atomic_store_n(&held_table[slot].function, function, __ATOMIC_RELEASE);
    slots_used[used++] = slot;
}

/* Which of the new ones are alone. */
static void test_seen(void)
{
    uint64_t functions[BATCH];
    struct seen *tested[BATCH];
    bool alone[BATCH];
    uint32_t count = 0;
    for (struct seen *s = seen; s <= seen + SEEN_SLOTS; s++) {
        if (s < seen + SEEN_SLOTS && s->function && !s->tested && !s->refused && used + count < USED_MOST) {
            tested[count] = s;
            functions[count++] = s->function;
            s->tested = true;
        }
        if (count < BATCH && s < seen + SEEN_SLOTS)
            continue;
        if (count)
            sites_find_alone(functions, count, alone);
        for (uint32_t i = 0; i < count; i++)
            if (alone[i])
                add(functions[i]);
            else
                tested[i]->refused = true;
        count = 0;
    }
}

static void see_unmet(uint64_t function)
{
    held_see(function, 0, false);
}

void held_prepare(void)
{
    if (!held_table)
        return;
    sites_each_function(see_unmet);
    test_seen();
}

static void hold(struct seen *s, uint32_t more)
{
    struct pcomp_held *held = held_find(s->function);
    s->refused = true;
    sites_hold_enter(s->function);
    __atomic_store_n(&held->flags, PCOMP_HELD_ALONE | PCOMP_HELD_NOW | more, __ATOMIC_RELAXED);
}

static struct seen *next_rarest(void)
{
    struct seen *best = NULL;
    for (struct seen *s = seen; s < seen + SEEN_SLOTS; s++)
        if (s->function && s->tested && !s->refused && (!best || s->calls < best->calls))
            best = s;
    return best;
}

bool held_choose(double seconds, double most, bool always)
{
    double left = most * seconds;
    bool any = false;
    if (!held_table)
        return false;
    if (always)
        held_prepare(); /* what was loaded since */
    else
        test_seen();
    for (struct seen *s = seen; always && s < seen + SEEN_SLOTS; s++)
        if (s->function && s->tested && !s->refused && !s->calls) {
            hold(s, PCOMP_HELD_ALWAYS | PCOMP_HELD_UNMET);
            any = true;
        }
    for (const struct seen *s = seen; s < seen + SEEN_SLOTS; s++) { /* those that are held count, too */
        const struct pcomp_held *held = s->function && s->tested ? held_find(s->function) : NULL;
        left -= held && (held->flags & PCOMP_HELD_NOW) ? (double)s->calls : 0;
    }
    for (struct seen *s; (s = next_rarest()) != NULL && (left -= (double)s->calls) >= 0; any = true)
        hold(s, always ? PCOMP_HELD_ALWAYS : 0);
    return any;
}

double held_calls(void)
{
    double sum = 0;
    for (uint32_t i = 0; i < used; i++)
        sum += (double)(held_table[slots_used[i]].calls - watched[slots_used[i]]);
    return sum;
}

double held_watch(double seconds, double most, uint64_t now)
{
    double sum = held_calls();
    for (double left = sum; left > most * seconds;) {
        uint32_t best = UINT32_MAX;
        uint64_t calls = 0;
        for (uint32_t i = 0; i < used; i++) {
            const struct pcomp_held *held = &held_table[slots_used[i]];
            if ((held->flags & PCOMP_HELD_NOW) && held->calls - watched[slots_used[i]] > calls) {
                best = slots_used[i];
                calls = held->calls - watched[best];
            }
        }
        if (best == UINT32_MAX)
            break;
        left -= (double)calls;
        __atomic_store_n(&held_table[best].flags, PCOMP_HELD_ALONE,
                         __ATOMIC_RELAXED); /* from here on nothing is counted */
        sites_release_enter(held_table[best].function);
        let_go[best] = now;
    }
    for (uint32_t i = 0; i < used; i++)
        watched[slots_used[i]] = held_table[slots_used[i]].calls;
    return sum;
}

void held_begin_gap(uint64_t now)
{
    gap_began = now;
    for (uint32_t i = 0; i < used; i++) {
        before[slots_used[i]] = watched[slots_used[i]] = held_table[slots_used[i]].calls;
        let_go[slots_used[i]] = 0;
    }
}

double held_rest(const struct pcomp_held *held)
{
    uint64_t since = let_go[held - held_table];
    return since > gap_began && gap_ended > since ? (double)(gap_ended - since) / (double)(gap_ended - gap_began) : 1;
}

double held_end_gap(uint64_t now)
{
    double sum = 0;
    gap_ended = now;
    for (uint32_t i = 0; i < used; i++)
        if (held_table[slots_used[i]].flags & PCOMP_HELD_NOW)
            sum += (double)(held_table[slots_used[i]].calls - before[slots_used[i]]);
    return sum;
}

/* Hot ones tell more, but should not take all of the turns, or of the time: about the root of the calls seen. */
static double weight_of(const struct seen *s)
{
    bool can = s->function && s->tested && !s->too_hot && s->calls >= PROBE_LEAST;
    const struct pcomp_held *held = can ? held_find(s->function) : NULL;
    return held && !(held->flags & PCOMP_HELD_NOW) ? (double)(1ull << (63 - __builtin_clzll(s->calls)) / 2) : 0;
}

bool held_probe_begin(double random)
{
    double sum = 0;
    probed = NULL;
    for (const struct seen *s = seen; held_table && s < seen + SEEN_SLOTS; s++)
        sum += weight_of(s);
    double at = sum * random;
    for (struct seen *s = seen; sum > 0 && !probed && s < seen + SEEN_SLOTS; s++) {
        double weight = weight_of(s);
        if (weight > 0 && (at -= weight) <= 0) {
            probed_seen = s;
            probed = held_find(s->function);
        }
    }
    if (!probed)
        return false;
    probed_before = probed->calls;
    __atomic_store_n(&probed->flags, PCOMP_HELD_ALONE | PCOMP_HELD_NOW, __ATOMIC_RELAXED);
    sites_hold_enter_now(probed->function);
    return true;
}

double held_probe_end(void)
{
    __atomic_store_n(&probed->flags, PCOMP_HELD_ALONE, __ATOMIC_RELAXED); /* from here on nothing is counted */
    double calls = (double)(probed->calls - probed_before);
    sites_release_enter(probed->function);
    __atomic_store_n(&probed->calls, probed_before, __ATOMIC_RELAXED);
    return calls;
}

void held_probe_spoilt(void)
{
    probed_seen->too_hot = true;
    probed = NULL;
}

uint64_t held_probed(void)
{
    return probed ? probed->function : 0;
}

void held_forget(void)
{
    probed = NULL;
    held_table = NULL;
    used = 0;
    memset(seen, 0, sizeof(seen));
}
