#include "reporters/liberal/liberal_phase.h"

#include "compensation/numeric/delta.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_PLACE SIZE_MAX

struct dispatched {  /* a unit, in the order of dispatch */
    size_t unit;     /* of its member */
    uint32_t member; /* where it was measured */
};

struct phase {
    const struct liberal_member *members;
    uint32_t count;
    uint32_t *takers; /* members that can work on units */
    uint32_t taker_count;
    size_t *heads; /* by member: offset from which its units come, or would; NO_PLACE: no taker */
    uint64_t *ready;
    struct dispatched *units;
    size_t unit_count;
    uint64_t *costs;
    uint32_t *assigned; /* by unit: index in takers */
};

/* --- Who takes part ------------------------------------------------------------------------------------------------
 */

/* Ticks of recording an event of this kind in the location, rounded. */
static uint64_t alpha_of(const struct liberal_location *l, uint32_t kind)
{
    const struct trace_file *file = l->traces->locations[l->index].file;
    int64_t alpha = alpha_in_context(file->header.alpha[kind], 1, &file->context);
    return alpha > 0 ? ((uint64_t)alpha + (1u << (PCOMP_FIX_SHIFT - 1))) >> PCOMP_FIX_SHIFT : 0;
}

/* Where a location that got no unit would have got them: where the function that called them elsewhere is active. */
static size_t place_without_units(const struct liberal_location *l, uint64_t caller)
{
    if (l->incomplete || !l->before.what)
        return NO_PLACE;
    if (l->caller == caller)
        return 0;
    for (size_t at = 0; at < l->used; at += pcomp_event_size(liberal_record(l, at)))
        if (liberal_record(l, at)->what == ((uint64_t)PCOMP_EVENT_ENTER << 56 | caller))
            return at + sizeof(struct pcomp_event);
    return NO_PLACE;
}

/* The record before the offset: measured, and its approximated tick. */
static const struct pcomp_event *record_before(const struct liberal_location *l, size_t offset, uint64_t *approximated)
{
    const struct pcomp_event *before = &l->before;
    *approximated = l->before_approximated;
    for (size_t at = 0; at < offset; at += pcomp_event_size(before)) {
        before = liberal_record(l, at);
        *approximated = liberal_time(l, at);
    }
    return before;
}

static void find_takers(struct phase *p)
{
    uint64_t caller = LIBERAL_NO_CALLER;
    for (uint32_t i = 0; i < p->count && caller == LIBERAL_NO_CALLER; i++)
        if (p->members[i].location->unit_count)
            caller = p->members[i].location->caller;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct liberal_location *l = p->members[i].location;
        p->heads[i] = l->unit_count ? l->units[0].enter : place_without_units(l, caller);
        if (p->heads[i] == NO_PLACE)
            continue;
        uint64_t ready;
        record_before(l, l->unit_count ? 0 : p->heads[i], &ready);
        p->ready[p->taker_count] = l->unit_count ? liberal_time(l, p->heads[i]) : ready;
        p->takers[p->taker_count++] = i;
    }
}

/* --- Dispatching ---------------------------------------------------------------------------------------------------
 */

/* The member whose next unit, of those not yet taken, began first. */
static uint32_t first_to_take(const struct phase *p, const size_t *taken, uint64_t *begin)
{
    uint32_t first = 0;
    *begin = UINT64_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct liberal_location *l = p->members[i].location;
        if (taken[i] == l->unit_count)
            continue;
        uint64_t time = liberal_record(l, l->units[taken[i]].enter)->time;
        if (time < *begin) {
            first = i;
            *begin = time;
        }
    }
    return first;
}

/* The order in which units were dispatched: chunks by the begin of their first unit, as measured. */
static void order_units(struct phase *p, const struct schedule *schedule, size_t *taken)
{
    for (size_t k = 0; k < p->unit_count;) {
        uint64_t begin;
        uint32_t i = first_to_take(p, taken, &begin);
        size_t left = p->members[i].location->unit_count - taken[i];
        size_t chunk = schedule_chunk(schedule, p->unit_count - k, p->taker_count);
        for (chunk = chunk < left ? chunk : left; chunk; chunk--)
            p->units[k++] = (struct dispatched){taken[i]++, i};
    }
}

static bool dispatch(struct phase *p, const struct schedule *schedule)
{
    size_t *taken = calloc(p->count, sizeof *taken);
    if (!taken)
        return false;
    order_units(p, schedule, taken);
    free(taken);
    for (size_t k = 0; k < p->unit_count; k++) {
        const struct liberal_location *l = p->members[p->units[k].member].location;
        const struct liberal_unit *unit = &l->units[p->units[k].unit];
        uint64_t begin = liberal_time(l, p->units[k].unit ? unit[-1].last : unit->enter);
        p->costs[k] = liberal_time(l, unit->last) - begin;
    }
    return schedule_assign(schedule, p->costs, p->unit_count, p->ready, p->taker_count, p->assigned);
}

/* --- Writing -------------------------------------------------------------------------------------------------------
 */

static bool put_close(const struct liberal_member *m)
{
    const struct liberal_location *l = m->location;
    return !l->closed || liberal_output_put(m->output, (const struct pcomp_event *)&l->close, l->close.time);
}

/* Writes the records from one offset to another, so that what was `since` comes at `at`. */
static bool put_records(struct liberal_output *out, const struct liberal_location *from, size_t begin, size_t end,
                        uint64_t since, uint64_t at)
{
    for (; begin < end; begin += pcomp_event_size(liberal_record(from, begin))) {
        const struct pcomp_event *e = liberal_record(from, begin);
        /* alpha is a mean: what was recorded faster comes at once */
        if (!liberal_output_put(out, e, e->time > since ? at + (e->time - since) : at))
            return false;
    }
    return true;
}

bool liberal_phase_copy(const struct liberal_member *m)
{
    return put_records(m->output, m->location, 0, m->location->used, 0, 0) && put_close(m);
}

/* When the recording of a record was over, with which the next thing begins. */
static uint64_t end_of(const struct liberal_location *l, const struct pcomp_event *e)
{
    return e->time + alpha_of(l, pcomp_event_kind(e));
}

/* Writes a unit, with its dispatch, from the tick `at` on. *at becomes its end. */
static bool put_unit(struct liberal_output *out, const struct liberal_location *from, size_t index, uint64_t *at)
{
    const struct liberal_unit *unit = &from->units[index];
    size_t begin = index ? unit[-1].end : unit->enter;
    uint64_t since = index ? end_of(from, liberal_record(from, unit[-1].last)) : liberal_record(from, begin)->time;
    uint64_t end = end_of(from, liberal_record(from, unit->last));
    if (!put_records(out, from, begin, unit->end, since, *at))
        return false;
    *at += end > since ? end - since : 0;
    return true;
}

/* Has member `i` its own units, and no others? */
static bool is_unchanged(const struct phase *p, uint32_t i)
{
    size_t own = 0;
    for (size_t k = 0; k < p->unit_count; k++) {
        bool mine = p->takers[p->assigned[k]] == i;
        if (mine != (p->units[k].member == i))
            return false;
        own += mine;
    }
    return own == p->members[i].location->unit_count;
}

/* The clock of the location runs on from unit to unit as it ran where they were measured, and is set right at the end:
 * events that synchronise keep their measured times. */
static bool put_member(const struct phase *p, uint32_t i)
{
    const struct liberal_member *m = &p->members[i];
    const struct liberal_location *l = m->location;
    if (p->heads[i] == NO_PLACE || is_unchanged(p, i))
        return liberal_phase_copy(m);
    uint64_t unused, at, since;
    size_t tail = p->heads[i];
    if (l->unit_count) {
        const struct liberal_unit *last = &l->units[l->unit_count - 1];
        at = liberal_record(l, p->heads[i])->time;
        since = end_of(l, liberal_record(l, last->last));
        tail = last->end;
    } else {
        at = since = end_of(l, record_before(l, p->heads[i], &unused));
    }
    bool good = put_records(m->output, l, 0, p->heads[i], 0, 0);
    for (size_t k = 0; good && k < p->unit_count; k++)
        if (p->takers[p->assigned[k]] == i)
            good = put_unit(m->output, p->members[p->units[k].member].location, p->units[k].unit, &at);
    good = good && put_records(m->output, l, tail, l->used, since, at);
    uint64_t now = l->close.time > since ? at + (l->close.time - since) : at;
    struct pcomp_event set = {.what =
                                  (uint64_t)PCOMP_EVENT_CLOCK_SET << 56 | ((l->close.time - now) & PCOMP_EVENT_VALUE)};
    return good && liberal_output_put(m->output, &set, now) && put_close(m);
}

static bool make(struct phase *p, const struct schedule *schedule, struct liberal_counts *counts)
{
    p->takers = calloc(p->count, sizeof *p->takers);
    p->heads = calloc(p->count, sizeof *p->heads);
    p->ready = calloc(p->count, sizeof *p->ready);
    p->units = calloc(p->unit_count, sizeof *p->units);
    p->costs = calloc(p->unit_count, sizeof *p->costs);
    p->assigned = calloc(p->unit_count, sizeof *p->assigned);
    errno = ENOMEM;
    if (!p->takers || !p->heads || !p->ready || !p->units || !p->costs || !p->assigned)
        return false;
    find_takers(p);
    if (!dispatch(p, schedule))
        return false;
    counts->phases++;
    counts->units += p->unit_count;
    for (size_t k = 0; k < p->unit_count; k++)
        counts->moved += p->takers[p->assigned[k]] != p->units[k].member;
    for (uint32_t i = 0; i < p->count; i++)
        if (!put_member(p, i))
            return false;
    return true;
}

bool liberal_phase_write(const struct schedule *schedule, const struct liberal_member *members, uint32_t count,
                         struct liberal_counts *counts, char *error, size_t error_size)
{
    struct phase p = {.members = members, .count = count};
    bool good = true;
    for (uint32_t i = 0; i < count; i++)
        p.unit_count += members[i].location->unit_count;
    if (p.unit_count)
        good = make(&p, schedule, counts);
    for (uint32_t i = 0; !p.unit_count && good && i < count; i++)
        good = liberal_phase_copy(&members[i]);
    if (!good)
        snprintf(error, error_size, "the re-mapped trace cannot be written: %s", strerror(errno));
    free(p.takers);
    free(p.heads);
    free(p.ready);
    free(p.units);
    free(p.costs);
    free(p.assigned);
    return good;
}
