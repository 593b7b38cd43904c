/* The scan of one location over its independent events: t_a(i) = t_a(i-1) + t_m(i) - t_m(i-1) - alpha (2005, eq. 1). */
#include "compensation/replay/engine/event_scan.h"
#include "compensation/replay/engine/replay_what_if.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/remote_locations.h"

#include <math.h>

enum action {
    UNKNOWN,
    PLAIN,
    EXTERNAL,
    FLUSH_BEGIN,
    FLUSH_END,
    LOST,
    CLOCK_SET,
    SUPPRESSED,
    COUNTED,
    SPAN,
    PREEMPTED,
    DEPENDENT
};

#define SAMPLING_MAX  (PCOMP_ALPHA_SAMPLING_ONE / 8 - 1)
#define LONGEST_OWN   32 /* no record takes longer to make */
#define LONGEST_SHIFT 52 /* a replay covers 2^52 ticks: fixed-point times and their sums stay in 64 bits */

/* Both are inclusive, and so are the gaps of event.h. */
static const struct {
    uint8_t first, last, time_model, event_model;
} actions[] = {
    {PCOMP_EVENT_ENTER, PCOMP_EVENT_EXIT, PLAIN, PLAIN},
    {PCOMP_EVENT_FLUSH_BEGIN, PCOMP_EVENT_FLUSH_BEGIN, FLUSH_BEGIN, FLUSH_BEGIN},
    {PCOMP_EVENT_FLUSH_END, PCOMP_EVENT_FLUSH_END, FLUSH_END, FLUSH_END},
    {PCOMP_EVENT_LOST, PCOMP_EVENT_LOST, LOST, LOST},
    {PCOMP_EVENT_PAUSE, PCOMP_EVENT_UNWIND, PLAIN, PLAIN},
    {PCOMP_EVENT_COUNTED, PCOMP_EVENT_COUNTED, COUNTED, COUNTED},
    {PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EVENT_EXTERNAL_END, EXTERNAL, EXTERNAL},
    {PCOMP_EVENT_CLOCK_SET, PCOMP_EVENT_CLOCK_SET, CLOCK_SET, CLOCK_SET},
    {PCOMP_EVENT_CREATE, PCOMP_EVENT_JOIN_END, DEPENDENT, DEPENDENT},
    {PCOMP_EVENT_BARRIER_EXIT, PCOMP_EVENT_BARRIER_EXIT, PLAIN, DEPENDENT},
    {PCOMP_EVENT_SEM_V, PCOMP_EVENT_SEM_FAILED, PLAIN, DEPENDENT},
    {PCOMP_EVENT_LOCK_REQUEST, PCOMP_EVENT_LOCK_RELEASE, PLAIN, DEPENDENT},
    {PCOMP_EVENT_COND_SIGNAL, PCOMP_EVENT_COND_BROADCAST, PLAIN, DEPENDENT},
    {PCOMP_EVENT_WAIT_ENTER, PCOMP_EVENT_WAIT_EXIT, PLAIN, DEPENDENT},
    {PCOMP_EVENT_BARRIER_ENTER, PCOMP_EVENT_COND_WOKEN, PLAIN, DEPENDENT},
    {PCOMP_EVENT_SUPPRESSED, PCOMP_EVENT_SUPPRESSED, SUPPRESSED, SUPPRESSED},
    {PCOMP_EVENT_UNRECORDED, PCOMP_EVENT_UNRECORDED, SPAN, SPAN},
    {PCOMP_EVENT_PREEMPTED, PCOMP_EVENT_PREEMPTED, PREEMPTED, PREEMPTED},
    {PCOMP_EVENT_CALLS, PCOMP_EVENT_CALLS, SPAN, SPAN},
    {PCOMP_EVENT_ADVANCE, PCOMP_EVENT_AWAIT_END, PLAIN, DEPENDENT},
    {PCOMP_EVENT_STREAM_WRITE, PCOMP_EVENT_STREAM_DONE, PLAIN, DEPENDENT},
    {PCOMP_EVENT_SEND_POST, PCOMP_EVENT_REQUEST_GONE, PLAIN, DEPENDENT},
    {PCOMP_EVENT_COLLECTIVE_ENTER, PCOMP_EVENT_COLLECTIVE_EXIT, PLAIN, DEPENDENT},
};

void replay_scan_classify(struct replay *r)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        for (uint32_t kind = actions[i].first; kind <= actions[i].last; kind++)
            r->action[kind] = r->options->model == REPLAY_TIME ? actions[i].time_model : actions[i].event_model;
}

static void *next_block(struct replay *r, struct location_state *p)
{
    void *block = NULL;
    p->at = 0;
    p->size = r->io->next(r->io->context, p->index, &block);
    p->block = p->size ? block : NULL;
    return p->block;
}

bool replay_scan_open(struct replay *r, struct location_state *p)
{
    const struct pcomp_event *first = next_block(r, p);
    p->flush.next = UINT64_MAX;
    if (!first)
        return true;
    if (p->size < sizeof *first) {
        replay_bad_input(r, p, "a record is cut in two");
        return false;
    }
    p->first = first->time;
    return true;
}

static inline uint64_t round_ticks(int64_t fixed)
{
    return fixed > 0 ? ((uint64_t)fixed + (1u << (PCOMP_FIX_SHIFT - 1))) >> PCOMP_FIX_SHIFT : 0;
}

/* False: `time` is before `last`, or beyond what a replay covers. */
static inline bool time_is_good(uint64_t time, uint64_t last)
{
    return !(((time - last) | time) >> LONGEST_SHIFT);
}

/* As many enters and exits as follow each other in the block. The loop that decides the speed of a replay. */
static void scan_calls(struct replay *r, struct location_state *p)
{
    const int64_t alpha[] = {replay_alpha(p, PCOMP_EVENT_ENTER), replay_alpha(p, PCOMP_EVENT_EXIT)};
    const uint64_t origin = r->origin;
    struct pcomp_event *e = (struct pcomp_event *)(void *)(p->block + p->at);
    struct pcomp_event *end = e + (p->size - p->at) / sizeof *e, *begin = e;
    uint64_t last = p->measured, written = p->written;
    int64_t running = p->running, pending = p->pending;

    for (; e < end; e++) {
        uint32_t which = pcomp_event_kind(e) - PCOMP_EVENT_ENTER;
        uint64_t time = e->time - origin;
        if (which > PCOMP_EVENT_EXIT - PCOMP_EVENT_ENTER || !time_is_good(time, last))
            break;
        running += replay_fixed(time - last) - pending;
        pending = alpha[which];
        last = time;
        uint64_t rounded = round_ticks(running);
        written = rounded > written ? rounded : written;
        e->time = origin + written;
    }
    p->path.removed += replay_fixed(last - p->measured) - (running - p->running);
    p->path.doubt += replay_alpha_doubt(p, (uint64_t)(e - begin));
    p->measured = last;
    p->written = written;
    p->running = running;
    p->pending = pending;
    p->number += (uint64_t)(e - begin);
    p->at += (size_t)((char *)e - (char *)begin);
}

static void flush_begins(struct location_state *p, uint64_t time)
{
    if (p->flushing++ || p->number == p->flush.next)
        return; /* inside another, or right behind it */
    p->flush.running = p->number ? p->running : REPLAY_NEVER;
    p->flush.done = p->number ? replay_fixed(p->measured) + p->pending : REPLAY_NEVER;
    p->flush.path = replay_path_after(&p->path, p->pending);
    p->flush.begin = time;
    p->flush.length = 0;
}

/* The end of a flush whose beginning was lost is an event like any other. */
static void flush_ends(const struct replay *r, struct location_state *p, const struct pcomp_event *e)
{
    if (pcomp_event_value(e) && !r->options->constant_alpha)
        p->alpha_factor = alpha_factor(p->alpha, (int64_t)pcomp_event_value(e));
    if (!p->flushing || --p->flushing)
        return;
    p->flush.length += replay_alpha(p, PCOMP_EVENT_FLUSH_END);
    p->flush.next = p->number + 1;
}

/* --- what is not recorded: its overhead is taken to lie evenly in its span ------------------------------------------
 */

static void span_begins(struct replay *r, struct location_state *p, const struct pcomp_event *e, uint64_t time)
{
    const struct pcomp_event_long *record = (const struct pcomp_event_long *)(const void *)e;
    bool counts = pcomp_event_kind(e) == PCOMP_EVENT_CALLS;
    double alpha = (double)(counts ? p->alpha[PCOMP_EVENT_COUNTED]
                                   : alpha_times(p->alpha[PCOMP_EVENT_UNRECORDED], p->alpha_factor));
    double sites = counts && alpha > 0 ? p->sites.call : 0, each = alpha + sites;
    uint64_t delay = pcomp_event_value(e);
    bool good = time_is_good(time + delay, time) && time_is_good(time + delay + record->b, time + delay);
    p->span.begin = p->span.end = 0;
    r->result->counted += counts ? record->a : 0;
    if (!good || !(each > 0) || !record->a || !record->b)
        return;
    double max = (double)replay_fixed(record->b), cost = each * (double)record->a;
    double error = counts ? fabs((double)p->alpha[PCOMP_ALPHA_COUNTED_ERROR]) + sites * p->sites.call_doubt : 0;
    double sampling = counts ? (double)(p->alpha[PCOMP_ALPHA_SAMPLING] & SAMPLING_MAX) / PCOMP_ALPHA_SAMPLING_ONE : 0;
    cost = cost < max ? cost : max;
    p->span.begin = time + delay;
    p->span.end = time + delay + record->b;
    p->span.share = cost / max + sampling * (1 - cost / max);
    p->span.counts = counts;
    p->span.doubt = error / each * cost / max / p->span.share;
    p->span.sites = sites / each * cost / max / p->span.share;
    p->span.taken = 0;
}

/* A stretch between two waits begins. The record took ticks itself, which are no time of the program (returned, fixed).
 */
static int64_t stretch_begins(struct replay *r, struct location_state *p, const struct pcomp_event *e, uint64_t time)
{
    const struct pcomp_event_long *record = (const struct pcomp_event_long *)(const void *)e;
    uint64_t own = pcomp_event_value(e);
    p->off = (struct replay_span){0};
    p->node.cost = record->b || record->a >> LONGEST_SHIFT ? 0 : replay_fixed(record->a);
    if (own >> LONGEST_OWN)
        return 0;
    if (r->options->constant_alpha || !record->a || !time_is_good(time + own + record->b, time + own))
        return replay_fixed(own);
    p->off.begin = time + own;
    p->off.end = p->off.begin + record->b;
    p->off.share = record->a < record->b ? (double)record->a / (double)record->b : 1;
    struct replay_stamp nobody = {.location = REPLAY_NOBODY};
    replay_report_wait(r, p, REPLAY_WAIT_PROCESSOR, &nobody,
                       replay_fixed(record->a < record->b ? record->a : record->b), 0);
    return replay_fixed(own);
}

static bool in_span(const struct location_state *p)
{
    return p->measured < p->span.end || p->measured < p->off.end;
}

/* A wait for what is not recorded begins or ends at the approximated time `running`. How long a sleep lasts is known.
 */
static void external(struct replay *r, struct location_state *p, const struct pcomp_event *e, int64_t running)
{
    uint64_t what = pcomp_event_value(e) & ((1u << PCOMP_EXTERNAL_BITS) - 1);
    uint64_t more = pcomp_event_value(e) >> PCOMP_EXTERNAL_BITS;
    bool ends = pcomp_event_kind(e) == PCOMP_EVENT_EXTERNAL_END && p->outside.waits;
    int64_t time = running - p->outside.since + (time_is_good(more, 0) ? replay_fixed(more) : 0);
    p->outside.waits = pcomp_event_kind(e) == PCOMP_EVENT_EXTERNAL_BEGIN;
    p->outside.since = running;
    if (!ends || what >= PCOMP_EXTERNAL_KINDS || time < 0)
        return;
    time = time < running ? time : running; /* not longer than the location */
    p->node.idle += time;
    replay_report_external(r, p, (enum pcomp_external)what, time, &p->path);
}

/* What the program ran until `time`, `elapsed` behind the event before, where a record of some kind follows: without
 * what recording and sites took, what was off the processor, and what the question what-if saves. */
static inline int64_t ran_until(const struct replay *r, const struct location_state *p, uint64_t time, int64_t elapsed,
                                uint32_t kind, struct replay_stretch *s)
{
    int64_t unrecorded = replay_span_until(&p->span, time), off = replay_span_until(&p->off, time);
    int64_t passed = elapsed - p->pending - unrecorded - off, sites = 0;
    if (p->sites.share > 0 && !p->operates && !pcomp_event_ends_operation(kind))
        sites = (int64_t)((double)passed * p->sites.share);
    int64_t saved = replay_what_if_saved(r, p, passed - sites), counted = p->span.counts ? unrecorded : 0;
    *s = (struct replay_stretch){.kept = off + saved,
                                 .counted = (double)(counted + sites),
                                 .doubt = (double)counted * p->span.doubt + (double)sites * p->sites.share_doubt,
                                 .sites = (double)counted * p->span.sites + (double)sites};
    return passed - sites - saved;
}

/* The running time then; *kept: as in the stretch. */
static inline int64_t run_until(struct replay *r, struct location_state *p, uint64_t time, int64_t elapsed,
                                uint32_t kind, int64_t *kept)
{
    struct replay_stretch s;
    int64_t running = p->running + ran_until(r, p, time, elapsed, kind, &s);
    p->span.taken += replay_span_until(&p->span, time);
    p->off.taken += replay_span_until(&p->off, time);
    replay_path_doubt(&p->path, &s);
    *kept = s.kept;
    return running;
}

/* The record of a span is no event: at the time of the one before, that stays the last. */
static void scan_span(struct replay *r, struct location_state *p, struct pcomp_event *e, uint64_t time)
{
    int64_t elapsed = replay_fixed(time - p->measured), running = p->running, kept = 0;
    if (p->flushing)
        p->flush.length += elapsed;
    else if (elapsed) {
        running = run_until(r, p, time, elapsed, pcomp_event_kind(e), &kept);
        p->pending = 0;
    }
    p->path.removed += elapsed - kept - (running - p->running);
    p->running = running;
    p->measured = time;
    p->pending += pcomp_event_kind(e) == PCOMP_EVENT_CALLS ? replay_alpha(p, PCOMP_EVENT_CALLS) : 0;
    span_begins(r, p, e, time);
    e->time = r->origin + p->written;
    p->flush.next += p->number == p->flush.next;
    p->number++;
    p->at += pcomp_event_size(e);
}

/* One independent record of any other kind. */
static void scan_record(struct replay *r, struct location_state *p, struct pcomp_event *e, uint64_t time)
{
    uint32_t kind = pcomp_event_kind(e);
    int64_t elapsed = replay_fixed(time - p->measured), running = p->running, kept = 0, own = -1;
    bool in_flush = p->flushing;

    if (p->flushing)
        p->flush.length += elapsed;
    else
        running = run_until(r, p, time, elapsed, kind, &kept);
    if (r->action[kind] == FLUSH_BEGIN)
        flush_begins(p, time);
    else if (r->action[kind] == FLUSH_END)
        flush_ends(r, p, e);
    else if (r->action[kind] == LOST)
        p->lost += pcomp_event_value(e);
    else if (r->action[kind] == EXTERNAL)
        external(r, p, e, running);
    else if (r->action[kind] == SUPPRESSED)
        r->result->suppressed += ((const struct pcomp_event_long *)(const void *)e)->a;
    else if (r->action[kind] == PREEMPTED)
        own = stretch_begins(r, p, e, time);
    in_flush |= p->flushing;
    replay_operation_follow(p, kind);
    p->path.removed += elapsed - kept - (running - p->running);
    p->running = running;
    p->measured = time;
    if (own >= 0)
        p->pending = own;
    else
        p->pending = r->action[kind] == SUPPRESSED || r->action[kind] == COUNTED ? 0 : replay_alpha(p, kind);
    p->path.doubt += replay_alpha_doubt(p, own < 0 && p->pending != 0);
    /* In the middle of an operation, it is decided by the event that ends it whether the flush came after waiting. */
    uint64_t rounded = in_flush && p->open.kind ? 0 : round_ticks(running);
    p->written = rounded > p->written ? rounded : p->written;
    e->time = r->origin + p->written;
    p->number++;
    p->at += pcomp_event_size(e);
}

/* The clock of the location is set: what it says before and after has nothing to do with each other. */
static void clock_is_set(struct location_state *p, const struct pcomp_event *e, uint64_t time)
{
    int64_t elapsed = replay_fixed(time - p->measured);
    p->running += elapsed - p->pending;
    p->path.removed += p->pending;
    p->measured = time + (uint64_t)pcomp_event_clock_set(e);
    p->pending = 0;
    p->at += sizeof *e;
}

static void set_head(const struct replay *r, struct location_state *p, struct pcomp_event *e, uint64_t time)
{
    p->event = e;
    p->kind = pcomp_event_kind(e);
    p->time = time;
    p->independent = p->running;
    p->stretch = (struct replay_stretch){0};
    if (!p->flushing)
        p->independent += ran_until(r, p, time, replay_fixed(time - p->measured), p->kind, &p->stretch);
}

/* A thread's business with an object that other processes have too. */
static bool is_shared(const struct pcomp_event *e)
{
    uint32_t kind = pcomp_event_kind(e);
    return kind >= PCOMP_EVENT_CREATE && !pcomp_event_is_message(kind) && pcomp_event_value(e) & PCOMP_EVENT_SHARED;
}

bool replay_scan(struct replay *r, struct location_state *p)
{
    for (;;) {
        while (p->at < p->size) {
            if (!p->flushing && !in_span(p) && !r->options->own_time && !(p->sites.share > 0))
                scan_calls(r, p);
            if (p->at >= p->size)
                break;
            struct pcomp_event *e = (struct pcomp_event *)(void *)(p->block + p->at);
            const char *error = NULL;
            if (p->size - p->at < sizeof *e || p->size - p->at < pcomp_event_size(e))
                error = "a record is cut in two";
            else if (r->action[pcomp_event_kind(e)] == UNKNOWN)
                error = "a record of unknown kind";
            else if (e->time < r->origin + p->measured)
                error = "time steps back";
            else if (!time_is_good(e->time - r->origin, p->measured))
                error = "times lie too far apart";
            else if (r->spread && is_shared(e))
                error = "an object of several processes (let one replay alone have them)";
            if (error) {
                replay_bad_input(r, p, error);
                return false;
            }
            if (r->action[pcomp_event_kind(e)] == DEPENDENT) {
                set_head(r, p, e, e->time - r->origin);
                return true;
            }
            if (r->action[pcomp_event_kind(e)] == CLOCK_SET)
                clock_is_set(p, e, e->time - r->origin);
            else if (r->action[pcomp_event_kind(e)] == SPAN)
                scan_span(r, p, e, e->time - r->origin);
            else
                scan_record(r, p, e, e->time - r->origin);
            if (r->options->own_time && !replay_what_if_follow(r, p, e)) {
                replay_no_memory(r);
                return false;
            }
        }
        if (p->block)
            r->io->done(r->io->context, p->index, p->block, p->size);
        if (p->block && r->spread)
            remote_publish_bounds(r, p);
        if (!p->block || !next_block(r, p)) {
            p->event = NULL;
            return true;
        }
    }
}
