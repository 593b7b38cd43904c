/* What the rules have in common: committing an event after its causes, waiting, violations, stamps. */
#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_processors.h"

#include "compensation/replay/engine/replay_objects.h"

struct replay_stamp replay_stamp_here(const struct location_state *p)
{
    return (struct replay_stamp){.approximated = p->running,
                                 .path = replay_path_after(&p->path, p->pending),
                                 .measured = replay_fixed(p->measured) + p->pending,
                                 .stamp = p->measured,
                                 .event = p->number - 1,
                                 .location = p->index,
                                 .written = p->written,
                                 .happened = true,
                                 .node = p->node.last};
}

void replay_stamp_merge(struct replay *r, struct replay_stamp *into, const struct replay_stamp *other)
{
    if (!other->happened)
        return;
    if (!into->happened) {
        *into = *other;
        return;
    }
    if (r->options->graph)
        into->node = core_graph_join(r->options->graph, into->node, other->node);
    if (other->approximated > into->approximated) {
        into->approximated = other->approximated;
        into->path = other->path;
    }
    if (other->measured > into->measured) {
        into->measured = other->measured;
        into->stamp = other->stamp;
        into->event = other->event;
        into->location = other->location;
    }
    if (other->written > into->written)
        into->written = other->written;
}

/* The event at hand as it would be in a violation. */
static struct replay_stamp head_stamp(const struct location_state *p, int64_t approximated)
{
    return (struct replay_stamp){
        .approximated = approximated, .stamp = p->time, .event = p->number, .location = p->index};
}

struct replay_path replay_own_path(const struct location_state *p)
{
    int64_t removed = replay_fixed(p->time - p->measured) - p->stretch.kept - (p->independent - p->running);
    struct replay_path path = replay_path_after(&p->path, removed);
    replay_path_doubt(&path, &p->stretch);
    return path;
}

/* Both replays of one on so many processors keep delays as measured, so that the second has the times of the plan. */
static bool is_scheduled(const struct replay *r)
{
    return r->options->graph || r->options->plan;
}

enum replay_step replay_commit_at(struct replay *r, struct location_state *p, int64_t approximated,
                                  const struct replay_path *path, uint64_t written)
{
    struct replay_stamp nobody = {.location = REPLAY_NOBODY};
    struct core_time when = {approximated, 0, CORE_AS_MEASURED};
    if (is_scheduled(r) && !replay_processors_commit(r, p, &when))
        return replay_no_memory(r);
    approximated = when.time;
    replay_report_wait(r, p, REPLAY_WAIT_PROCESSOR, &nobody, 0, when.queued);
    replay_report_wait(r, p, REPLAY_WAIT_LOCK, &nobody, 0, when.waited);
    uint64_t rounded =
        approximated > 0 ? ((uint64_t)approximated + (1u << (PCOMP_FIX_SHIFT - 1))) >> PCOMP_FIX_SHIFT : 0;
    if (p->number == 0)
        p->first_approximated = approximated;
    p->span.taken += replay_span_until(&p->span, p->time);
    p->off.taken += replay_span_until(&p->off, p->time);
    p->running = approximated;
    p->path = *path;
    p->measured = p->time;
    p->pending = replay_alpha(p, p->kind);
    p->path.doubt += replay_alpha_doubt(p, p->pending != 0);
    replay_operation_follow(p, p->kind);
    if (p->written < written)
        p->written = written;
    if (p->written < rounded)
        p->written = rounded;
    p->event->time = r->origin + p->written;
    p->at += pcomp_event_size(p->event);
    p->number++;
    p->forced = false;
    return REPLAY_COMMITTED;
}

enum replay_step replay_commit(struct replay *r, struct location_state *p)
{
    struct replay_path path = replay_own_path(p);
    return replay_commit_at(r, p, p->independent, &path, 0);
}

struct replay_stamp replay_ready(const struct location_state *p, const struct replay_stamp *cause, int64_t *measured)
{
    struct replay_stamp ready = {.approximated = REPLAY_NEVER, .measured = REPLAY_NEVER};
    *measured = replay_fixed(p->time);
    if (p->number == p->flush.next && cause->stamp < p->flush.begin) { /* the wait was over before the flush */
        *measured -= p->flush.length;
        ready.approximated = p->flush.running;
        ready.measured = p->flush.done;
        ready.path = p->flush.path;
    } else if (p->number) {
        ready.approximated = p->running;
        ready.measured = replay_fixed(p->measured) + p->pending;
        ready.path = replay_path_after(&p->path, p->pending);
    }
    return ready;
}

bool replay_follows(struct replay *r, const struct location_state *p, const struct replay_stamp *cause,
                    int64_t approximated, const char *rule)
{
    if (cause->stamp <= p->time + r->options->clock_error)
        return true;
    struct replay_stamp effect = head_stamp(p, approximated);
    return replay_violated(r, rule, &effect, cause);
}

/* The later of "ready" and the cause, in each execution, and what lay between it and the event at hand. */
struct waiting {
    struct replay_stamp ready, last;
    int64_t delay;      /* fixed: as measured */
    bool waited, waits; /* as measured; as approximated */
};

static struct waiting waiting_for(const struct location_state *p, const struct replay_stamp *cause)
{
    int64_t measured;
    struct waiting w = {.ready = replay_ready(p, cause, &measured)};
    w.last = w.ready;
    w.waited = cause->measured > w.ready.measured;
    w.waits = cause->approximated > w.ready.approximated;
    if (w.waits) {
        w.last.approximated = cause->approximated;
        w.last.path = cause->path;
    }
    if (w.waited)
        w.last.measured = cause->measured;
    w.delay = measured - w.last.measured;
    return w;
}

int64_t replay_waited_time(const struct location_state *p, const struct replay_stamp *cause)
{
    struct waiting w = waiting_for(p, cause);
    int64_t approximated = w.last.approximated + w.delay;
    return approximated > cause->approximated ? approximated : cause->approximated;
}

/* Of waits between threads; NULL: `kind` has none, or there is no memory (then r->end says so). Those of messages and
 * collectives depend on the transport. */
static struct wake_delays *delays_of(struct replay *r, struct location_state *p, enum replay_wait_kind kind)
{
    if (kind > REPLAY_WAIT_STREAM || pcomp_event_is_message(p->kind))
        return NULL;
    if (p->delays[kind])
        return p->delays[kind];
    p->delays[kind] = r->options->wakes ? wake_memory_find(r->options->wakes, p->process, kind)
                                        : replay_object(r, REPLAY_WAKE_DELAYS, p, kind, sizeof *p->delays[kind]);
    if (!p->delays[kind])
        replay_no_memory(r);
    else if (r->options->own_time) /* waits appear that the trace has few of */
        wake_delays_ask(p->delays[kind]);
    return p->delays[kind];
}

void replay_depends(struct replay *r, const struct location_state *p, enum core_kind kind,
                    const struct replay_stamp *cause, int64_t ready, int64_t delay)
{
    int64_t own = ready == REPLAY_NEVER ? 0 : ready - p->node.time;
    r->link = (struct core_node){.kind = kind, .cause = cause->node, .own = own, .delay = delay};
}

enum replay_step replay_commit_waited(struct replay *r, struct location_state *p, const struct replay_stamp *cause,
                                      enum replay_wait_kind kind, const char *rule)
{
    if (!cause->happened)
        return replay_commit(r, p);
    struct waiting w = waiting_for(p, cause);
    struct wake_delays *delays = delays_of(r, p, kind);
    int64_t delay = w.delay;
    bool reordered = replay_processors_reorder(r, p);
    if (r->end != REPLAY_DONE)
        return REPLAY_FAILED;
    if (r->options->processors && (delays || kind == REPLAY_NO_WAIT) && w.last.measured != REPLAY_NEVER) {
        int64_t queued = replay_processors_waited(r, w.last.measured, delay, delays ? delays->waited.low : 0);
        struct replay_stamp nobody = {.location = REPLAY_NOBODY};
        replay_report_wait(r, p, REPLAY_WAIT_PROCESSOR, &nobody, queued, 0);
        w.delay = delay -= queued;
    }
    if (delays) {
        wake_delay_add(delays, w.waited, delay);
        if (!is_scheduled(r))
            w.delay = wake_delay_changed(delays, delay, w.waited, w.waits);
    }
    if (w.delay != delay)
        w.last.path.scatter += wake_delay_variance(delays);
    int64_t approximated = w.last.approximated + w.delay;
    if (!replay_follows(r, p, cause, approximated, rule))
        return REPLAY_FAILED;
    if (approximated < cause->approximated)
        approximated = cause->approximated;
    if (w.ready.measured != REPLAY_NEVER)
        replay_report_wait(r, p, kind, cause, cause->measured - w.ready.measured,
                           reordered ? 0 : cause->approximated - w.ready.approximated);
    replay_depends(r, p, CORE_WAIT, cause, w.ready.approximated, w.delay);
    return replay_commit_at(r, p, approximated, &w.last.path, reordered ? 0 : cause->written);
}

enum replay_step replay_commit_passed(struct replay *r, struct location_state *p, const struct replay_stamp *cause,
                                      enum replay_wait_kind kind, const char *rule)
{
    /* Of other events the time since the one before says nothing of how long passing takes. */
    struct wake_delays *delays = p->kind == PCOMP_EVENT_LOCK_ACQUIRED ? delays_of(r, p, kind) : NULL;
    struct replay_path path = replay_own_path(p);
    int64_t own = p->independent - p->running, approximated = cause->approximated;
    if (r->end != REPLAY_DONE)
        return REPLAY_FAILED;
    if (delays)
        wake_delay_add(delays, false, own);
    if (!cause->happened)
        return replay_commit(r, p);
    if (!replay_follows(r, p, cause, p->independent, rule))
        return REPLAY_FAILED;
    replay_depends(r, p, CORE_PASS, cause, p->independent, 0);
    if (replay_processors_reorder(r, p))
        return replay_commit_at(r, p, p->independent, &path, 0);
    if (cause->approximated <= p->independent)
        return replay_commit_at(r, p, p->independent, &path, cause->written);
    path = cause->path;
    if (delays && wake_delays_differ(delays) && !is_scheduled(r)) { /* a wait that appears */
        approximated += wake_delay_changed(delays, own, false, true);
        path.scatter += wake_delay_variance(delays);
    }
    replay_report_wait(r, p, kind, cause, 0, cause->approximated - p->independent);
    return replay_commit_at(r, p, approximated, &path, cause->written);
}

enum replay_step replay_commit_passing(struct replay *r, struct location_state *p, enum replay_wait_kind kind,
                                       bool waits)
{
    struct wake_delays *delays = delays_of(r, p, kind);
    struct replay_path path = replay_own_path(p);
    int64_t delay = p->independent - p->running;
    if (!delays)
        return REPLAY_FAILED;
    wake_delay_add(delays, false, delay);
    int64_t changed = is_scheduled(r) ? delay : wake_delay_changed(delays, delay, false, waits);
    if (changed != delay)
        path.scatter += wake_delay_variance(delays);
    return replay_commit_at(r, p, p->running + changed, &path, 0);
}

void replay_report_external(struct replay *r, const struct location_state *p, enum pcomp_external what, int64_t time,
                            struct replay_path *path)
{
    struct replay_stamp nobody = {.location = REPLAY_NOBODY};
    replay_report_wait(r, p, REPLAY_WAIT_EXTERNAL + (enum replay_wait_kind)what, &nobody, time, time);
    r->result->external_calls[what] += !p->remote;
    if (what != PCOMP_EXTERNAL_SLEEP && time > 0)
        path->external += time;
}

enum replay_step replay_commit_external(struct replay *r, struct location_state *p, enum pcomp_external what)
{
    struct replay_path path = replay_own_path(p);
    replay_report_external(r, p, what, p->independent - p->running, &path);
    p->node.idle += p->independent > p->running ? p->independent - p->running : 0;
    return replay_commit_at(r, p, p->independent, &path, 0);
}

void replay_report_wait(struct replay *r, const struct location_state *p, enum replay_wait_kind kind,
                        const struct replay_stamp *cause, int64_t measured, int64_t approximated)
{
    struct replay_wait wait = {.location = p->index,
                               .kind = kind,
                               .event = p->number,
                               .cause = cause->location,
                               .cause_event = cause->event,
                               .measured = measured > 0 ? measured : 0,
                               .approximated = approximated > 0 ? approximated : 0};
    if (p->remote || kind == REPLAY_NO_WAIT || !(wait.measured | wait.approximated))
        return;
    r->result->waiting_measured[kind] += wait.measured;
    r->result->waiting_approximated[kind] += wait.approximated;
    if (r->io->wait)
        r->io->wait(r->io->context, &wait);
}

bool replay_violated(struct replay *r, const char *rule, const struct replay_stamp *effect,
                     const struct replay_stamp *other)
{
    struct replay_violation violation = {.rule = rule,
                                         .location = {effect->location, REPLAY_NOBODY},
                                         .event = {effect->event, 0},
                                         .measured = {r->origin + effect->stamp, 0},
                                         .approximated = {effect->approximated, 0}};
    if (other && other->happened) {
        violation.location[1] = other->location;
        violation.event[1] = other->event;
        violation.measured[1] = r->origin + other->stamp;
        violation.approximated[1] = other->approximated;
    }
    if (r->locations[effect->location].remote)
        return true; /* who has it reports it */
    r->result->violations++;
    if (!r->io->violation || r->io->violation(r->io->context, &violation))
        return true;
    r->end = REPLAY_STOPPED;
    return false;
}

enum replay_step replay_bad_input(struct replay *r, const struct location_state *p, const char *error)
{
    r->end = REPLAY_BAD_INPUT;
    r->result->error = error;
    r->result->error_location = p->index;
    r->result->error_event = p->number;
    return REPLAY_FAILED;
}

enum replay_step replay_unexpected(struct replay *r, struct location_state *p, const char *error)
{
    return p->lost || r->options->partial ? replay_commit(r, p) : replay_bad_input(r, p, error);
}

enum replay_step replay_no_memory(struct replay *r)
{
    r->end = REPLAY_NO_MEMORY;
    return REPLAY_FAILED;
}

enum replay_step replay_suspend(struct replay *r, struct location_state *p, struct replay_waiters *list,
                                const char *rule)
{
    if (p->forced || r->options->partial) {
        struct replay_stamp effect = head_stamp(p, p->independent);
        return replay_violated(r, rule, &effect, NULL) ? replay_commit(r, p) : REPLAY_FAILED;
    }
    if (r->spread && !pcomp_event_is_message(p->kind)) /* when it is woken, others may be past it */
        return replay_bad_input(r, p, "what it waits for comes after it, or is in no trace");
    p->next_suspended = list->first;
    p->suspended_on = list;
    list->first = p->index + 1;
    return REPLAY_SUSPENDED;
}

/* Only moves the list: the driver puts its locations back into the order after the rule. */
void replay_wake(struct replay *r, struct replay_waiters *list)
{
    while (list->first) {
        struct location_state *p = &r->locations[list->first - 1];
        list->first = p->next_suspended;
        p->next_suspended = r->woken.first;
        p->suspended_on = &r->woken;
        r->woken.first = p->index + 1;
    }
}
