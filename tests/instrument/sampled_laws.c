#include "tests/instrument/sampled_laws.h"

#include <stdlib.h>

#define FEW 12 /* events of a thread that end without a hook of their own: activations open at its end */

typedef void complain(const char *format, ...);

struct sums {
    double events;                          /* enters and exits of the thread's paths */
    double segments;                        /* of these, with a segment of their own */
    uint64_t ticks, hook_ticks;             /* of the segments; inside hooks, as the paths have them */
    uint64_t counted_ticks, counted_events; /* as the regions have them */
};

static bool is_event(const struct view_node *n)
{
    return n->extra.function_id != PCOMP_FUNCTION_ROOT && n->extra.function_id != PCOMP_FUNCTION_BEYOND;
}

/* `inherited`: activations whose enter is no call of the thread's, at most. `unfinished`: a hook may have been under
 * way when the thread was seen last. */
static void node_laws(const struct view *v, uint32_t i, uint64_t inherited, bool unfinished, enum laws laws,
                      complain *miss)
{
    const struct view_node *n = &v->nodes[i];
    uint64_t enters = n->always.enters + n->sampled.enters, exits = n->always.exits + n->sampled.exits;
    if (enters > n->record.calls + n->open + unfinished)
        miss("law: %s: %lu enters timed, %lu calls", view_path(v, i), enters, n->record.calls + n->open);
    if (exits > n->record.calls + inherited + unfinished)
        miss("law: %s: %lu exits timed, %lu calls ended", view_path(v, i), exits, n->record.calls);
    double ticks = (double)n->sampled.enter_ticks + (double)n->sampled.exit_ticks;
    double count = (double)n->sampled.enters + (double)n->sampled.exits;
    if (laws != LAWS_OF_BOUNDS && ticks * ticks > count * (double)n->sampled.squares * (1 + 1e-9))
        miss("law: %s: %.0f samples of %.0f ticks, squares %lu", view_path(v, i), count, ticks, n->sampled.squares);
}

static void add_node(struct sums *s, const struct view_node *n)
{
    s->hook_ticks += n->sampled.hook_ticks;
    s->counted_ticks += n->always.counted_ticks;
    s->counted_events += n->always.counted_events;
    s->ticks += n->always.enter_ticks + n->always.exit_ticks + n->sampled.enter_ticks + n->sampled.exit_ticks;
    if (!is_event(n))
        return;
    s->segments += (double)(n->always.enters + n->always.exits) + (double)n->sampled.enters + (double)n->sampled.exits;
    s->events += 2 * (double)n->record.calls + (double)n->open;
}

static void thread_laws(const struct pcomp_thread *t, const struct sums *s, enum laws laws, complain *miss)
{
    uint64_t known = s->ticks + t->counted_ticks + t->hook_ticks + t->paused_ticks + t->off_ticks;
    uint64_t whole = (t->end_tick ? t->end_tick : t->stamp) - t->start_tick;
    uint64_t least = !t->end_tick ? 0 : laws == LAWS_OF_BOUNDS ? whole - whole / 10 : whole;
    if (known > whole || known < least)
        miss("law: thread %u: %lu ticks in segments, %lu counted, %lu in hooks, %lu paused, %lu off: %ld more than "
             "the %lu that passed",
             t->index, s->ticks, t->counted_ticks, t->hook_ticks, t->paused_ticks, t->off_ticks, (long)(known - whole),
             whole);
    if (s->hook_ticks > t->hook_ticks)
        miss("law: thread %u: %lu ticks in hooks, its paths have %lu", t->index, t->hook_ticks, s->hook_ticks);
    if (s->counted_ticks > t->counted_ticks || s->counted_events > t->counted_events ||
        (laws != LAWS_OF_BOUNDS && t->end_tick && /* else one may be about to be added */
         (s->counted_ticks < t->counted_ticks || s->counted_events < t->counted_events)))
        miss("law: thread %u: %lu ticks and %lu events counted, its regions have %lu and %lu", t->index,
             t->counted_ticks, t->counted_events, s->counted_ticks, s->counted_events);
    /* an interval begins with an event that was stamped, and what followed that was not timed */
    double found = s->segments + (double)(t->counted_events + t->counted_intervals);
    if (laws == LAWS_ALL && t->end_tick && (found < s->events - FEW || found > s->events + FEW))
        miss("law: thread %u: %.0f enters and exits, of them %.0f timed, %lu and %lu counted", t->index, s->events,
             s->segments, t->counted_events, t->counted_intervals);
}

/* Each measurement of a counted call but the first has one before it. */
static void place_laws(const struct view *v, complain *miss)
{
    uint64_t measured = 0;
    for (uint32_t k = 0; k < v->thread_count; k++)
        measured += v->threads[k].place_count;
    const struct pcomp_header *h = &v->header;
    if (h->kernel_pairs != (measured ? measured - 1 : 0) || (h->kernel_ticks > 0) != (h->kernel_pairs > 0) ||
        (h->kernel_products > 0) != (h->kernel_pairs > 0))
        miss("law: %lu measurements of a counted call, %lu pairs of the kernel's, ticks %g, products %g", measured,
             h->kernel_pairs, h->kernel_ticks, h->kernel_products);
    /* None where the thread lost its processor meanwhile. */
    if (h->near > measured || (h->near_ticks > 0) != (h->near > 0))
        miss("law: %lu measurements of a counted call, %lu look-ups beside them, ticks %lu", measured, h->near,
             h->near_ticks);
}

void sampled_laws(const struct view *v, enum laws laws, complain *miss)
{
    if (laws == LAWS_ALL)
        place_laws(v, miss);
    for (uint32_t k = 0; k < v->thread_count; k++) {
        const struct pcomp_thread *t = &v->threads[k];
        struct sums sums = {0};
        for (uint32_t i = 0; i < v->node_count; i++)
            if (v->nodes[i].thread == t->index) {
                node_laws(v, i, (t->flags & PCOMP_THREAD_INHERITED) + t->unseen_enters, !t->end_tick, laws, miss);
                add_node(&sums, &v->nodes[i]);
            }
        thread_laws(t, &sums, laws, miss);
    }
}

/* Own time of a path follows its enters and the exits of its children. */
static double all_of(uint64_t always_ticks, uint64_t always, uint64_t ticks, uint32_t count, uint64_t occurrences)
{
    double mean = count ? (double)ticks / count : 0;
    double others = occurrences > always + count ? (double)(occurrences - always - count) : 0;
    return (double)always_ticks + (double)ticks + mean * others;
}

static bool is_below(const struct view *v, uint32_t i, uint32_t above)
{
    while (i != VIEW_NONE && i != above)
        i = v->nodes[i].parent;
    return i == above;
}

double sampled_inclusive(const struct view *v, uint32_t above)
{
    double sum = 0;
    if (v->nodes[above].extra.flags & PCOMP_NODE_SKIPPED) /* its time is its caller's own */
        return 0;
    for (uint32_t i = 0; i < v->node_count; i++) {
        const struct view_node *n = &v->nodes[i];
        if (n->thread != v->nodes[above].thread || !is_below(v, i, above))
            continue;
        sum += all_of(n->always.enter_ticks, n->always.enters, n->sampled.enter_ticks, n->sampled.enters,
                      n->record.calls + n->open);
        if (i != above)
            sum +=
                all_of(n->always.exit_ticks, n->always.exits, n->sampled.exit_ticks, n->sampled.exits, n->record.calls);
    }
    return sum;
}
