#include "reporters/merge/sampled_times.h"
#include "compensation/in_situ.h"
#include "reporters/merge/big_array.h"

#include <math.h>
#include <stdlib.h>

struct path { /* what is known of a node while the times are found; ticks, ticks^2 */
    const struct pcomp_node_sampled *node;
    const struct pcomp_node_extra *extra;
    uint32_t parent;                    /* index */
    uint32_t around, within;            /* regions: of its segments, and of what it calls */
    uint32_t thread;                    /* in profile_file.threads, or PATH_... */
    double calls;                       /* open ones included; of one without segments, none */
    double inclusive, exclusive, below; /* compensated; what all calls below cost it */
    struct {
        double brief, variance; /* of the untimed in the region within */
    } inside, own;              /* inclusive, exclusive */
};
enum { PATH_UNKNOWN = -1, PATH_BUSY = -2, PATH_LOST = -3 }; /* not known yet, being looked for, none */
#define PATH_THREADS 0xfffffff0u                            /* the values above lie beyond */

/* Share of the calls of a path that is stamped always: signal handlers inside hooks made them. */
#define UNSTAMPED 0.01
/* By how much a program that is built and laid out anew takes longer or shorter: standard deviation, share of its time.
 * docs/accuracy.md. */
#define TWIN 0.0075

struct sampling {
    const struct profile_file *file;
    struct path *paths;
    uint32_t *order; /* parents before children, without roots */
    uint32_t order_count;
    struct thread_state {
        struct pcomp_timed sampled; /* of all its paths */
        struct pcomp_region sums;
        struct pcomp_correction correction;
        double calls, compensated;
    } * threads;    /* parallel to profile_file.threads */
    struct region { /* what runs inside a path that is timed always, or a root, down to the next */
        uint32_t thread;
        struct pcomp_region sums;
        struct pcomp_correction correction;
    } * regions;
    uint32_t region_count;
    struct pcomp_counting counting;
};

/* Finds the parents of all nodes, their threads, and an order. A node that leads to no root has no thread. */
static void order_paths(struct sampling *s)
{
    const struct profile_file *f = s->file;
    for (uint32_t c = 0; c < f->chunk_count; c++)
        for (uint32_t i = 0; f->chunks[c].kind == PCOMP_CHUNK_NODES && i < f->chunks[c].count; i++)
            s->paths[f->chunks[c].first_record + i] =
                (struct path){.node = profile_node_sampled(profile_node(f, &f->chunks[c], i)),
                              .extra = profile_node_extra(f, &f->chunks[c], i),
                              .thread = (uint32_t)PATH_UNKNOWN};
    for (uint32_t t = 0; t < f->thread_count; t++)
        s->paths[f->threads[t].root].thread = t;
    for (uint32_t i = 0; i < f->node_count; i++) {
        uint32_t at = i, depth = 0, *chain = s->order + s->order_count; /* has room for all that are not in it yet */
        while (s->paths[at].thread == (uint32_t)PATH_UNKNOWN) {
            uint64_t link = s->paths[at].node->parent;
            uint32_t parent = link ? profile_node_index(f, link) : PROFILE_NONE;
            s->paths[at].thread = (uint32_t)PATH_BUSY;
            s->paths[at].parent = parent;
            chain[depth++] = at;
            if (parent == PROFILE_NONE)
                break;
            at = parent;
        }
        uint32_t thread = s->paths[at].thread < PATH_THREADS ? s->paths[at].thread : (uint32_t)PATH_LOST;
        for (uint32_t k = 0; k < depth; k++)
            s->paths[chain[k]].thread = thread;
        if (thread == (uint32_t)PATH_LOST)
            continue;
        for (uint32_t k = 0; k < depth / 2; k++) { /* outermost first */
            uint32_t inner = chain[k];
            chain[k] = chain[depth - 1 - k];
            chain[depth - 1 - k] = inner;
        }
        s->order_count += depth;
    }
}

static bool is_skipped(const struct path *p)
{
    return p->extra->flags & PCOMP_NODE_SKIPPED;
}

/* The calls of a skipped path are no events: the time is its parent's own. So are those beyond a limit, which are
 * counted in one node of the thread wherever they were. */
static bool has_segments(const struct path *p)
{
    return !is_skipped(p) && p->extra->function_id != PCOMP_FUNCTION_BEYOND;
}

static void read_paths(struct sampling *s, const struct open_activations *open, double skip_ticks)
{
    for (size_t i = 0; i < open->count; i++)
        s->paths[open->items[i].node].calls += open->items[i].counted;
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct path *p = &s->paths[s->order[k]];
        struct thread_state *thread = &s->threads[p->thread];
        if (is_skipped(p)) { /* its calls cost every ancestor, whose time has that already */
            p->below = (double)p->node->calls * skip_ticks;
            p->inclusive = -p->below;
        }
        if (!has_segments(p)) {
            p->calls = 0;
            continue;
        }
        p->calls += (double)p->node->calls;
        thread->calls += p->calls;
        thread->sampled.ticks += (double)p->node->enter_ticks + (double)p->node->exit_ticks;
        thread->sampled.count += (double)p->node->enters + (double)p->node->exits;
    }
}

static void estimate(const struct sampling *s, const struct path *p, struct pcomp_kind_time *enter,
                     struct pcomp_kind_time *exit)
{
    const struct pcomp_node_always *always = profile_node_always(p->extra);
    struct pcomp_kind enters = {.occurrences = p->calls,
                                .always = {(double)always->enter_ticks, (double)always->enters},
                                .sampled = {(double)p->node->enter_ticks, p->node->enters}},
                      exits = {.occurrences = (double)p->node->calls,
                               .always = {(double)always->exit_ticks, (double)always->exits},
                               .sampled = {(double)p->node->exit_ticks, p->node->exits}};
    const struct pcomp_timed *sampled = &s->threads[p->thread].sampled;
    double mean = sampled->count > 0 ? sampled->ticks / sampled->count : 0;
    double variance = pcomp_segment_variance(&enters, &exits, (double)p->node->squares);
    *enter = pcomp_kind_estimate(&enters, &exits, mean, variance, &s->counting);
    *exit = pcomp_kind_estimate(&exits, &enters, mean, variance, &s->counting);
}

static double counted_call(const struct pcomp_delta delta[PCOMP_VARIANTS])
{
    return (double)delta[PCOMP_VARIANT_REPEAT].descendant + (double)delta[PCOMP_VARIANT_BARE].descendant;
}

/* What a counted call costs, and what a stamp costs, as calibrated. Of two calibrations the cheaper one was disturbed
 * less; deltas from a file stand. */
static struct pcomp_counting counting_of(const struct pcomp_header *h)
{
    double fixed = 1 << PCOMP_FIX_SHIFT, start = counted_call(h->delta_start), exit = counted_call(h->delta_exit);
    bool again = h->delta_exit[PCOMP_VARIANT_BARE].repetitions && !(h->flags & PCOMP_FLAG_CALIBRATION_FILE);
    double stamp = (double)h->stamp / fixed;
    return (struct pcomp_counting){.call = (again && exit > 0 && exit < start ? exit : start) / fixed,
                                   .spread = hypot((double)h->delta_start[PCOMP_VARIANT_REPEAT].descendant_spread,
                                                   (double)h->delta_start[PCOMP_VARIANT_BARE].descendant_spread) /
                                             fixed,
                                   .stamp = stamp > 0 ? stamp : 0};
}

/* All its calls were stamped, and enough was counted below it. What is counted inside another is of the region around
 * it; and so is all of one that is stamped again after it was counted: its intervals are partly in the one, partly in
 * the other. */
static bool is_region(const struct path *p)
{
    const struct pcomp_node_always *always = profile_node_always(p->extra);
    double stamped = (double)always->enters + p->node->enters;
    return has_segments(p) && !(p->extra->flags & PCOMP_NODE_COUNTED) &&
           (double)always->counted_events >= PCOMP_REGION_LEAST && p->calls - stamped <= UNSTAMPED * p->calls;
}

/* Finds the regions. False: out of memory. */
static bool number_regions(struct sampling *s)
{
    for (uint32_t t = 0; t < s->file->thread_count; t++)
        s->paths[s->file->threads[t].root].within = s->region_count++;
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct path *p = &s->paths[s->order[k]];
        p->around = s->paths[p->parent].within;
        p->within = is_region(p) ? s->region_count++ : p->around;
    }
    s->regions = calloc(s->region_count + (size_t)1, sizeof *s->regions);
    return s->regions;
}

static void add_intervals(struct sampling *s, const struct path *p)
{
    const struct pcomp_node_always *always = profile_node_always(p->extra);
    struct region *region = &s->regions[p->within];
    region->thread = p->thread;
    region->sums.counted_ticks += (double)always->counted_ticks;
    region->sums.counted_events += (double)always->counted_events;
}

/* Sums up what is known of the regions and the threads. */
static void sum_regions(struct sampling *s)
{
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        s->threads[t].sums.counted_ticks = (double)s->file->threads[t].record->counted_ticks;
        s->threads[t].sums.counted_events = (double)s->file->threads[t].record->counted_events;
        add_intervals(s, &s->paths[s->file->threads[t].root]);
    }
    for (uint32_t k = 0; k < s->order_count; k++) {
        const struct path *p = &s->paths[s->order[k]];
        struct pcomp_kind_time enter, exit;
        if (!has_segments(p))
            continue;
        add_intervals(s, p);
        estimate(s, p, &enter, &exit);
        pcomp_region_add(&s->regions[p->around].sums, &enter);
        pcomp_region_add(&s->regions[p->around].sums, &exit);
        pcomp_region_add(&s->threads[p->thread].sums, &enter);
        pcomp_region_add(&s->threads[p->thread].sums, &exit);
    }
}

/* The corrections of the threads and their regions, and what their calls cost. */
static void correct(struct sampling *s, double tick_ns, struct sampled_thread *out)
{
    sum_regions(s);
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        struct thread_state *thread = &s->threads[t];
        thread->correction = pcomp_correction_of(&thread->sums, s->counting.call, (struct pcomp_correction){1, 1});
    }
    for (uint32_t r = 0; r < s->region_count; r++) {
        struct region *region = &s->regions[r];
        const struct thread_state *thread = &s->threads[region->thread];
        region->correction = pcomp_correction_of(&region->sums, s->counting.call, thread->correction);
    }
    for (uint32_t k = 0; k < s->order_count; k++) {
        const struct path *p = &s->paths[s->order[k]];
        const struct pcomp_correction *correction = &s->regions[p->around].correction;
        struct pcomp_kind_time enter, exit;
        if (!has_segments(p))
            continue;
        estimate(s, p, &enter, &exit);
        s->threads[p->thread].compensated +=
            pcomp_kind_compensated(&enter, correction) + pcomp_kind_compensated(&exit, correction);
    }
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        const struct thread_state *thread = &s->threads[t];
        const struct pcomp_region *sums = &thread->sums;
        double overhead = sums->counted_ticks + sums->raw - thread->compensated;
        out[t] = (struct sampled_thread){.call = thread->calls > 0 ? overhead / thread->calls * tick_ns : 0,
                                         .call_error = s->counting.spread * tick_ns,
                                         .events = sums->count,
                                         .timed = sums->count - sums->untimed,
                                         .counted_events = sums->counted_events,
                                         .counted_call = s->counting.call * tick_ns};
    }
}

static void add_kind(struct path *owner, const struct pcomp_kind_time *kind, const struct pcomp_correction *correction)
{
    double time = pcomp_kind_compensated(kind, correction);
    owner->inclusive += time;
    owner->exclusive += time;
    owner->own.brief += kind->untimed * kind->brief;
    owner->own.variance += kind->variance;
    owner->inside.brief += kind->untimed * kind->brief;
    owner->inside.variance += kind->variance;
}

/* Completes a path, all children of which were added to it, and adds it to its parent. call_ticks: what a call of its
 * thread costs. */
static void add_path(struct sampling *s, struct path *p, double call_ticks)
{
    struct path *parent = &s->paths[p->parent];
    if (has_segments(p)) {
        const struct pcomp_correction *correction = &s->regions[p->around].correction;
        struct pcomp_kind_time enter, exit;
        estimate(s, p, &enter, &exit);
        add_kind(p, &enter, correction);
        add_kind(parent, &exit, correction);
        parent->below += p->calls * call_ticks + (double)p->node->hook_ticks;
    }
    parent->inclusive += p->inclusive;
    parent->below += p->below;
    if (p->within != p->around) /* a region as a whole is known */
        return;
    parent->inside.brief += p->inside.brief;
    parent->inside.variance += p->inside.variance;
}

static double square(double x)
{
    return x * x;
}

static void sum_paths(struct sampling *s, double tick_ns, struct sampled_times *out)
{
    for (uint32_t i = 0; i < s->file->node_count; i++)
        out->nodes[i] = (struct sampled_node){0};
    for (uint32_t k = s->order_count; k-- > 0;) {
        struct path *p = &s->paths[s->order[k]];
        const struct pcomp_region *region = &s->regions[p->within].sums;
        double call_ticks = out->threads[p->thread].call / tick_ns, ns2 = tick_ns * tick_ns;
        add_path(s, p, call_ticks);
        out->nodes[s->order[k]] = (struct sampled_node){
            .thread = p->thread,
            .calls = p->calls,
            .raw = (p->inclusive + p->below + p->calls * call_ticks / 2) * tick_ns,
            .compensated = p->inclusive * tick_ns,
            .hook = has_segments(p) ? (double)p->node->hook_ticks * tick_ns : 0,
            .inclusive_variance =
                (pcomp_part_variance(p->inside.brief, p->inside.variance, region) + square(TWIN * p->inclusive)) * ns2,
            .exclusive_variance =
                (pcomp_part_variance(p->own.brief, p->own.variance, region) + square(TWIN * p->exclusive)) * ns2};
    }
}

bool sampled_times_find(const struct profile_file *file, const struct open_activations *open, double tick_ns,
                        double skip_ticks, struct sampled_times *out)
{
    size_t nodes = file->node_count + (size_t)1, threads = file->thread_count + (size_t)1;
    struct sampling s = {.file = file,
                         .paths = big_array(nodes, sizeof *s.paths),
                         .order = big_array(nodes, sizeof *s.order),
                         .threads = calloc(threads, sizeof *s.threads),
                         .counting = counting_of(&file->header)};
    *out = (struct sampled_times){.nodes = big_array(nodes, sizeof *out->nodes),
                                  .threads = calloc(threads, sizeof *out->threads)};
    bool ok = s.paths && s.order && s.threads && out->nodes && out->threads;
    if (ok) {
        order_paths(&s);
        read_paths(&s, open, skip_ticks);
        ok = number_regions(&s);
    }
    if (ok) {
        correct(&s, tick_ns, out->threads);
        sum_paths(&s, tick_ns, out);
    }
    free(s.paths);
    free(s.order);
    free(s.threads);
    free(s.regions);
    return ok;
}

void sampled_times_free(struct sampled_times *times)
{
    free(times->nodes);
    free(times->threads);
    *times = (struct sampled_times){0};
}
