#include "compensation/control/trace_budget.h"

#include <string.h>

#define SLICES         PCOMP_TRACED_SLICES
#define NEAR           10 /* slices ahead from which on the budget must hold: what came before cannot be helped */
#define EVIDENCE       4  /* nothing is suppressed before this part of the budget was spent in a second */
#define DECAY          8
#define FORGOTTEN      150 /* slices after which nothing is left of an activity */
#define UNIT           1024u
#define WEIGHT_MIN     UNIT /* a rate over less would take what happens once, at a start, for a load */
#define CHOOSE_EVERY   10   /* slices between two looks at what can be taken up */
#define PATIENCE       100  /* slices, at first; doubles each time */
#define PATIENCE_MAX   6400
#define INDEX_OF(hash) ((uint32_t)((hash)*0x9e3779b97f4a7c15u >> 52))
_Static_assert(PCOMP_TRACED_INDEX == 1 << 12, "as the shift in INDEX_OF");

void pcomp_trace_budget_start(struct pcomp_trace_budget *b, uint64_t rate, uint64_t now, uint64_t hz)
{
    memset(b, 0, sizeof(*b));
    b->rate = rate;
    b->begin = now;
    b->slice_ticks = hz >= SLICES ? hz / SLICES : 1;
}

/* --- time ----------------------------------------------------------------------------------------------------------
 */

static void decay(uint64_t *activity)
{
    *activity -= (*activity + DECAY - 1) / DECAY;
}

static void age(struct pcomp_trace_budget *b)
{
    b->slice++;
    b->bytes[b->slice % SLICES] = 0;
    b->weight = (b->weight + UNIT) * (DECAY - 1) / DECAY;
    decay(&b->other);
    for (uint32_t i = 0; i < b->count; i++)
        decay(&b->functions[i].activity);
}

static void move_to(struct pcomp_trace_budget *b, uint64_t now)
{
    uint64_t slice = now > b->begin ? (now - b->begin) / b->slice_ticks : 0;
    if (slice > b->slice + FORGOTTEN) /* as if that many had passed */
        b->slice = slice - FORGOTTEN;
    while (b->slice < slice)
        age(b);
    b->sum = 0;
    for (uint32_t i = 0; i < SLICES; i++)
        b->sum += b->bytes[i];
}

/* --- functions -----------------------------------------------------------------------------------------------------
 */

static uint32_t slot_of(const struct pcomp_trace_budget *b, uint64_t function)
{
    uint32_t slot = INDEX_OF(function);
    while (b->index[slot] && b->functions[b->index[slot] - 1].function != function)
        slot = (slot + 1) % PCOMP_TRACED_INDEX;
    return slot;
}

/* Forgets the functions that are not called any more. */
static void tidy(struct pcomp_trace_budget *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->functions[i].activity || b->functions[i].suppressed || b->functions[i].patience)
            b->functions[kept++] = b->functions[i];
    b->count = kept;
    memset(b->index, 0, sizeof(b->index));
    for (uint32_t i = 0; i < kept; i++)
        b->index[slot_of(b, b->functions[i].function)] = (uint16_t)(i + 1);
}

/* NULL: there are too many. */
static struct pcomp_traced *find(struct pcomp_trace_budget *b, uint64_t function)
{
    uint32_t slot = slot_of(b, function);
    if (!b->index[slot] && b->count == PCOMP_TRACED_MAX) {
        tidy(b);
        slot = slot_of(b, function);
    }
    if (!b->index[slot] && b->count == PCOMP_TRACED_MAX)
        return NULL;
    if (!b->index[slot]) {
        b->functions[b->count++] = (struct pcomp_traced){.function = function};
        b->index[slot] = (uint16_t)b->count;
    }
    return &b->functions[b->index[slot] - 1];
}

void pcomp_trace_budget_note(struct pcomp_trace_budget *b, uint64_t function, uint64_t bytes, bool suppressed)
{
    struct pcomp_traced *f = function ? find(b, function) : NULL;
    if (!f || (f->suppressed && !suppressed)) /* a thread could not hold it */
        b->other += bytes;
    else
        f->activity += bytes;
}

/* --- what is over --------------------------------------------------------------------------------------------------
 */

/* Slices that activities are sums of, 1/1024. */
static uint64_t weight_at(const struct pcomp_trace_budget *b, uint64_t now)
{
    uint64_t begin = b->begin + b->slice * b->slice_ticks, passed = now > begin ? now - begin : 0;
    uint64_t part = passed < b->slice_ticks ? passed * UNIT / b->slice_ticks : UNIT;
    return b->weight + part > WEIGHT_MIN ? b->weight + part : WEIGHT_MIN;
}

static int64_t rate_at(uint64_t activity, uint64_t weight)
{
    return (int64_t)(activity * SLICES / weight * UNIT + activity * SLICES % weight * UNIT / weight);
}

int64_t pcomp_trace_budget_recorded(const struct pcomp_trace_budget *b, uint64_t now)
{
    uint64_t activity = b->other;
    for (uint32_t i = 0; i < b->count; i++)
        activity += b->functions[i].suppressed ? 0 : b->functions[i].activity;
    return rate_at(activity, weight_at(b, now));
}

void pcomp_trace_budget_add(struct pcomp_trace_budget *b, uint64_t now, uint64_t bytes)
{
    uint64_t before = b->slice;
    move_to(b, now);
    b->bytes[b->slice % SLICES] += bytes;
    b->sum += bytes;
    if (b->sum > b->worst)
        b->worst = b->sum;
    if (pcomp_excess_note(&b->over, now, (b->slice - before) * b->slice_ticks, b->sum > b->rate))
        pcomp_excess_because(&b->over, rate_at(b->other, weight_at(b, now)) > (int64_t)(b->rate / 2)
                                           ? PCOMP_TRACE_OVER_ALWAYS
                                           : PCOMP_TRACE_OVER_BEFORE);
}

int64_t pcomp_trace_budget_room(const struct pcomp_trace_budget *b)
{
    int64_t min = (int64_t)(b->rate / 10 * 9), kept = (int64_t)b->sum;
    for (uint32_t ahead = 1; ahead <= SLICES; ahead++) {
        kept -= (int64_t)b->bytes[(b->slice + ahead) % SLICES]; /* older than a second by then */
        int64_t may = ((int64_t)b->rate - kept) * SLICES / ahead;
        if (ahead >= NEAR && may < min)
            min = may;
    }
    return min;
}

/* --- levels --------------------------------------------------------------------------------------------------------
 */

static struct pcomp_traced *busiest(struct pcomp_trace_budget *b)
{
    struct pcomp_traced *best = NULL;
    for (struct pcomp_traced *f = b->functions; f < b->functions + b->count; f++)
        if (!f->suppressed && f->activity && (!best || f->activity > best->activity))
            best = f;
    return best;
}

/* Of the suppressed ones that come after `last`, in order of activity and place. */
static struct pcomp_traced *next_cheapest(struct pcomp_trace_budget *b, const struct pcomp_traced *last)
{
    struct pcomp_traced *best = NULL;
    for (struct pcomp_traced *f = b->functions; f < b->functions + b->count; f++)
        if (f->suppressed && (!last || f->activity > last->activity || (f->activity == last->activity && f > last)) &&
            (!best || f->activity < best->activity))
            best = f;
    return best;
}

static uint32_t hold(struct pcomp_trace_budget *b, uint64_t weight, int64_t recorded, int64_t room)
{
    uint32_t changed = 0;
    for (struct pcomp_traced *f; recorded > room && (f = busiest(b)) != NULL; changed++) {
        f->suppressed = true;
        f->quiet_since = 0;
        if (!f->patience)
            f->patience = PATIENCE;
        recorded -= rate_at(f->activity, weight);
    }
    return changed;
}

static uint32_t take_up(struct pcomp_trace_budget *b, uint64_t now, uint64_t weight, int64_t left)
{
    uint32_t changed = 0;
    struct pcomp_traced *f = NULL;
    while ((f = next_cheapest(b, f)) != NULL && rate_at(f->activity, weight) <= left) {
        left -= rate_at(f->activity, weight);
        if (!f->quiet_since)
            f->quiet_since = now ? now : 1;
        if (now - f->quiet_since < f->patience * b->slice_ticks)
            continue;
        f->suppressed = false;
        f->patience = f->patience < PATIENCE_MAX ? 2 * f->patience : f->patience;
        changed++;
    }
    for (struct pcomp_traced *g = b->functions; f && g < b->functions + b->count; g++)
        if (g->suppressed && (g->activity > f->activity || (g->activity == f->activity && g >= f)))
            g->quiet_since = 0;
    return changed;
}

uint32_t pcomp_trace_budget_decide(struct pcomp_trace_budget *b, uint64_t now)
{
    move_to(b, now);
    uint64_t weight = weight_at(b, now);
    int64_t room = pcomp_trace_budget_room(b), recorded = pcomp_trace_budget_recorded(b, now);
    if (recorded > room && b->sum >= b->rate / EVIDENCE)
        return hold(b, weight, recorded, room);
    if (b->slice < b->chosen + CHOOSE_EVERY)
        return 0;
    b->chosen = b->slice;
    return take_up(b, now, weight, room / 2 - recorded);
}
