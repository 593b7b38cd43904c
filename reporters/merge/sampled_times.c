#include "reporters/merge/big_array.h"
#include "reporters/merge/sampled_state.h"

#include <math.h>
#include <stdlib.h>

enum { PATH_UNKNOWN = -1, PATH_BUSY = -2, PATH_LOST = -3 }; /* not known yet, being looked for, none */
#define PATH_THREADS 0xfffffff0u                            /* the values above lie beyond */

/* Share of the calls of a path that is stamped always: signal handlers inside hooks made them. */
#define UNSTAMPED 0.01
/* By how much a program that is built and laid out anew takes longer or shorter: standard deviation, share of its time.
 * docs/accuracy.md. */
#define TWIN 0.0075

static struct path path_of(const struct profile_file *f, const struct profile_chunk *chunk, uint32_t i)
{
    const struct pcomp_node_extra *extra = profile_node_extra(f, chunk, i);
    bool filtered = extra->flags & PCOMP_NODE_SKIPPED;
    return (struct path){.node = profile_node_sampled(profile_node(f, chunk, i)),
                         .extra = extra,
                         .thread = (uint32_t)PATH_UNKNOWN,
                         .filtered = filtered,
                         .segments = extra->function_id != PCOMP_FUNCTION_BEYOND &&
                                     (!filtered || profile_filtered_are_events(&f->header))};
}

/* Finds the parents of all nodes, their threads, and an order. A node that leads to no root has no thread. */
static void order_paths(struct sampling *s)
{
    const struct profile_file *f = s->file;
    for (uint32_t c = 0; c < f->chunk_count; c++)
        for (uint32_t i = 0; f->chunks[c].kind == PCOMP_CHUNK_NODES && i < f->chunks[c].count; i++)
            s->paths[f->chunks[c].first_record + i] = path_of(f, &f->chunks[c], i);
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

/* Of a sum, what belongs to this part. `exact`: as in struct pcomp_exact. */
static double part_of(const struct sampling *s, uint64_t all, uint64_t exact)
{
    if (!s->burst)
        return (double)all;
    if (s->file->header.phase == PCOMP_PHASE_EXACT)
        exact += all;
    exact = exact < all ? exact : all; /* or the process died when it was about to turn hooks */
    return (double)(s->bursts ? all - exact : exact);
}

static struct part part_of_path(const struct sampling *s, const struct path *p)
{
    static const struct pcomp_exact nothing;
    const struct pcomp_node_always *a = profile_node_always(p->extra);
    const struct pcomp_node_sampled *n = p->node;
    const struct pcomp_exact *e = s->burst ? &profile_node_burst(p->extra)->exact : &nothing;
    uint64_t open = p->open < 0x1p63 ? (uint64_t)p->open : 0;
    double begun = part_of(s, n->calls + open, e->calls + e->opened);
    struct part part = {
        .calls = part_of(s, n->calls, e->calls),
        .enters = {begun,
                   {part_of(s, a->enter_ticks, e->always.enter_ticks), part_of(s, a->enters, e->always.enters)},
                   {part_of(s, n->enter_ticks, e->enter_ticks), part_of(s, n->enters, e->enters)}},
        .exits = {0,
                  {part_of(s, a->exit_ticks, e->always.exit_ticks), part_of(s, a->exits, e->always.exits)},
                  {part_of(s, n->exit_ticks, e->exit_ticks), part_of(s, n->exits, e->exits)}},
        .hook_ticks = part_of(s, n->hook_ticks, e->hook_ticks),
        .counted_ticks = part_of(s, a->counted_ticks, e->always.counted_ticks),
        .counted_events = part_of(s, a->counted_events, e->always.counted_events)};
    part.exits.occurrences = part.calls;
    part.open = begun - part.calls; /* below 0 where activations of exact phases ended later */
    return part;
}

static void read_open(struct sampling *s, const struct open_activations *open)
{
    for (size_t i = 0; i < open->count; i++)
        s->paths[open->items[i].node].open += open->items[i].counted;
}

static void read_paths(struct sampling *s, double skip_ticks)
{
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        const struct pcomp_thread *record = s->file->threads[t].record;
        s->threads[t] =
            (struct thread_state){.hook_ticks = part_of(s, record->hook_ticks, s->burst ? record->exact_hook_ticks : 0),
                                  .off = s->bursts ? (double)record->off_ticks : 0,
                                  .before = s->threads[t].compensated};
    }
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        struct path *root = &s->paths[s->file->threads[t].root];
        root->part = part_of_path(s, root);
    }
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct path *p = &s->paths[s->order[k]];
        struct thread_state *thread = &s->threads[p->thread];
        *p = (struct path){.node = p->node,
                           .extra = p->extra,
                           .parent = p->parent,
                           .thread = p->thread,
                           .filtered = p->filtered,
                           .segments = p->segments,
                           .open = p->open,
                           .enter_time = p->enter_time, /* of the part before */
                           .exit_time = p->exit_time};
        p->part = part_of_path(s, p);
        if (p->filtered && !p->segments) { /* its calls cost every ancestor, whose time has that already */
            p->below = p->part.calls * skip_ticks;
            p->inclusive = -p->below;
        }
        if (!p->segments)
            continue;
        p->calls = p->part.enters.occurrences;
        thread->calls += p->calls;
        thread->sampled.ticks += (double)p->node->enter_ticks + (double)p->node->exit_ticks;
        thread->sampled.count += (double)p->node->enters + (double)p->node->exits;
    }
}

static void estimate(const struct sampling *s, const struct path *p, struct pcomp_kind_time *enter,
                     struct pcomp_kind_time *exit)
{
    struct pcomp_kind all_enters = {.sampled = {(double)p->node->enter_ticks, p->node->enters}},
                      all_exits = {.sampled = {(double)p->node->exit_ticks, p->node->exits}};
    const struct pcomp_timed *sampled = &s->threads[p->thread].sampled;
    double mean = sampled->count > 0 ? sampled->ticks / sampled->count : 0;
    double variance = pcomp_segment_variance(&all_enters, &all_exits, (double)p->node->squares);
    double count = all_enters.sampled.count + all_exits.sampled.count;
    if (s->burst && count > 0) /* what the other part knows of this path is better than what is known of the thread */
        mean = (all_enters.sampled.ticks + all_exits.sampled.ticks) / count;
    *enter = pcomp_kind_estimate(&p->part.enters, &p->part.exits, mean, variance, &s->counting);
    *exit = pcomp_kind_estimate(&p->part.exits, &p->part.enters, mean, variance, &s->counting);
}

static double counted_call(const struct pcomp_delta delta[PCOMP_VARIANTS])
{
    return (double)delta[PCOMP_VARIANT_REPEAT].descendant + (double)delta[PCOMP_VARIANT_BARE].descendant;
}

/* What a filtered call costs, in calibration at most a third more than another: it does all that that does. */
static double filtered_of(const struct profile_file *file, double call)
{
    const struct pcomp_delta *start = file->header.delta_start;
    double counted = counted_call(start), filtered = (double)start[PCOMP_VARIANT_SKIP].descendant;
    return counted > 0 && filtered > counted ? call * fmin(filtered / counted, 4.0 / 3) : call;
}

/* What a counted call costs, and what a stamp costs: as measured while the program ran; where that was too seldom, as
 * calibrated, of two calibrations the cheaper, which was disturbed less. Deltas from a file stand. */
static void find_counting(struct sampling *s)
{
    const struct profile_file *file = s->file;
    const struct pcomp_header *h = &file->header;
    double fixed = 1 << PCOMP_FIX_SHIFT, start = counted_call(h->delta_start), exit = counted_call(h->delta_exit);
    bool again = h->delta_exit[PCOMP_VARIANT_BARE].repetitions && !(h->flags & PCOMP_FLAG_CALIBRATION_FILE);
    double stamp = (double)h->stamp / fixed, call = again && exit > 0 && exit < start ? exit : start;
    double spread = hypot((double)h->delta_start[PCOMP_VARIANT_REPEAT].descendant_spread,
                          (double)h->delta_start[PCOMP_VARIANT_BARE].descendant_spread);
    struct pcomp_in_place place = {
        .events = h->place_events, .event_squares = h->place_event_squares, .event_cost = h->place_event_cost};
    for (uint32_t t = 0; t < file->thread_count; t++)
        pcomp_in_place_add(&place, (double)file->threads[t].record->place_cost, file->threads[t].record->place_squares,
                           (double)file->threads[t].record->place_count);
    s->in_place = place.count >= PCOMP_IN_PLACE_LEAST && !(h->flags & PCOMP_FLAG_CALIBRATION_FILE);
    if (s->in_place)
        call = pcomp_in_place_mean(&place, call, &spread);
    if (s->in_place && !s->burst) /* bursts were weighed by what calls cost without */
        s->fetching =
            pcomp_fetching((double)h->lookup_ticks, (double)h->lookups, (double)h->near_ticks, (double)h->near);
    s->twin = hypot(TWIN, pcomp_unrest(h->kernel_ticks, h->kernel_products, (double)h->kernel_pairs));
    s->counting = (struct pcomp_counting){.call = call / fixed + s->fetching,
                                          .filtered = filtered_of(file, call) / fixed + s->fetching,
                                          .spread = hypot(spread / fixed, PCOMP_FETCHING_SPREAD * s->fetching),
                                          .stamp = stamp > 0 ? stamp : 0,
                                          .brief = stamp > 0 ? stamp : 0};
}

/* All its calls were stamped, and enough was counted below it. What is counted inside another is of the region around
 * it; and so is all of one that is stamped again after it was counted: its intervals are partly in the one, partly in
 * the other. */
static bool is_region(const struct path *p)
{
    double stamped = p->part.enters.always.count + p->part.enters.sampled.count;
    return p->segments && !p->filtered && !(p->extra->flags & PCOMP_NODE_COUNTED) &&
           p->part.counted_events >= PCOMP_REGION_LEAST && p->calls - stamped <= UNSTAMPED * p->calls;
}

/* Finds the regions. False: out of memory. */
static bool number_regions(struct sampling *s)
{
    free(s->regions);
    s->region_count = 0;
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
    struct region *region = &s->regions[p->within];
    region->thread = p->thread;
    region->sums.counted_ticks += p->part.counted_ticks;
    region->sums.counted_events += p->part.counted_events;
}

/* `dearer`: by how much one more of these events costs than another. */
static void add_to_region(struct pcomp_region *sums, const struct pcomp_kind_time *kind, double dearer)
{
    pcomp_region_add(sums, kind);
    sums->dearer += kind->untimed * dearer;
}

/* Sums up what is known of the regions and the threads. */
static void sum_regions(struct sampling *s)
{
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        const struct pcomp_thread *record = s->file->threads[t].record;
        s->threads[t].sums.counted_ticks =
            part_of(s, record->counted_ticks, s->burst ? record->exact_counted_ticks : 0);
        s->threads[t].sums.counted_events =
            part_of(s, record->counted_events, s->burst ? record->exact_counted_events : 0);
        add_intervals(s, &s->paths[s->file->threads[t].root]);
    }
    for (uint32_t k = 0; k < s->order_count; k++) {
        const struct path *p = &s->paths[s->order[k]];
        struct pcomp_kind_time enter, exit;
        if (!p->segments)
            continue;
        add_intervals(s, p);
        estimate(s, p, &enter, &exit);
        double dearer = p->filtered ? (s->counting.filtered - s->counting.call) / 2 : 0;
        struct pcomp_region *region = &s->regions[p->around].sums, *thread = &s->threads[p->thread].sums;
        add_to_region(region, &enter, dearer);
        add_to_region(region, &exit, dearer);
        add_to_region(thread, &enter, dearer);
        add_to_region(thread, &exit, dearer);
    }
}

/* The corrections of the threads and their regions. */
static void correct(struct sampling *s)
{
    sum_regions(s);
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        struct thread_state *thread = &s->threads[t];
        thread->correction = pcomp_correction_of_thread(&thread->sums, s->counting.call);
    }
    for (uint32_t r = 0; r < s->region_count; r++) {
        struct region *region = &s->regions[r];
        const struct thread_state *thread = &s->threads[region->thread];
        region->correction = pcomp_correction_of(&region->sums, s->counting.call, thread->correction);
    }
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct path *p = &s->paths[s->order[k]];
        const struct pcomp_correction *correction = &s->regions[p->around].correction;
        struct pcomp_kind_time enter, exit;
        if (!p->segments)
            continue;
        estimate(s, p, &enter, &exit);
        if (s->bursts) {
            burst_times_find(s, p, &enter, &exit);
        } else {
            p->enter_time = pcomp_kind_compensated(&enter, correction);
            p->exit_time = pcomp_kind_compensated(&exit, correction);
        }
    }
}

static void sum_compensated(struct sampling *s)
{
    for (uint32_t k = 0; k < s->order_count; k++) {
        const struct path *p = &s->paths[s->order[k]];
        s->threads[p->thread].compensated += p->segments ? p->enter_time + p->exit_time : 0;
    }
}

/* Systematic standard deviation of what a counted call cost in the thread. */
static double call_spread(const struct sampling *s, const struct thread_state *thread)
{
    double call = s->counting.call, calls = thread->calls,
           work = call > 0 && calls > 0 ? thread->compensated / calls / call : 0;
    return s->in_place ? hypot(s->counting.spread, call * pcomp_in_place_context(work)) : s->counting.spread;
}

/* What the part of a thread stands for, and what its calls cost. */
static void scale_threads(struct sampling *s, double tick_ns, struct sampled_thread *out)
{
    const struct pcomp_header *h = &s->file->header;
    double fixed = 1 << PCOMP_FIX_SHIFT;
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        struct thread_state *thread = &s->threads[t];
        const struct pcomp_region *sums = &thread->sums;
        struct sampled_thread *o = &out[t];
        double seen = sums->counted_ticks + sums->raw;
        struct pcomp_burst_total run = {thread->compensated, call_spread(s, thread) * thread->calls};
        if (s->bursts) {
            struct pcomp_burst_times times = {.on = seen + thread->hook_ticks,
                                              .counting = sums->counted_events / 2 * s->counting.call + sums->dearer +
                                                          thread->hook_ticks,
                                              .off = fmax(thread->off - thread->sampling, 0),
                                              .off_calls = thread->run_calls - thread->calls,
                                              .off_call = (double)h->off_call / fixed,
                                              .off_call_spread = (double)h->off_call_spread / fixed};
            run = pcomp_burst_total_of(&times, &s->slowness);
        }
        thread->scale = thread->compensated > 0 && s->bursts ? run.actual / thread->compensated : 1;
        o->overhead += seen + thread->off - run.actual;
        o->run_calls += thread->run_calls;
        o->pc_samples += thread->pc_samples;
        o->error += run.error;
        o->run_ticks += run.actual;
        o->seen_ticks += s->bursts && thread->scale > 0 ? run.actual / thread->calls_scale : run.actual;
        o->events += sums->count;
        o->timed += sums->count - sums->untimed;
        o->counted_events += sums->counted_events;
        o->counted_call = s->counting.call * tick_ns;
        o->filtered_call = s->counting.filtered * tick_ns;
    }
}

static void add_kind(struct path *owner, const struct pcomp_kind_time *kind, double time, double deviation)
{
    owner->inclusive += time;
    owner->exclusive += time;
    owner->deviation.inclusive += deviation;
    owner->deviation.exclusive += deviation;
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
    if (p->segments) {
        struct pcomp_kind_time enter, exit;
        estimate(s, p, &enter, &exit);
        add_kind(p->filtered ? parent : p, &enter, p->enter_time, p->deviation.enter);
        add_kind(parent, &exit, p->exit_time, p->deviation.exit);
        parent->below += p->run.calls * call_ticks + p->part.hook_ticks;
    }
    parent->inclusive += p->inclusive;
    parent->deviation.inclusive += p->deviation.inclusive;
    parent->below += p->below;
    if (p->within != p->around) /* a region as a whole is known */
        return;
    parent->inside.brief += p->inside.brief;
    parent->inside.variance += p->inside.variance;
}

/* Of the part that bursts saw; of one in which every call was counted. */
static double inclusive_variance(const struct sampling *s, const struct path *p)
{
    return s->bursts ? burst_times_inclusive_variance(s, p)
                     : pcomp_part_variance(p->inside.brief, p->inside.variance, &s->regions[p->within].sums);
}

static double exclusive_variance(const struct sampling *s, const struct path *p)
{
    return s->bursts ? burst_times_exclusive_variance(s, p)
                     : pcomp_part_variance(p->own.brief, p->own.variance, &s->regions[p->within].sums);
}

/* Adds what the part stands for. */
static void sum_paths(struct sampling *s, double tick_ns, struct sampled_times *out)
{
    for (uint32_t k = s->order_count; k-- > 0;) {
        struct path *p = &s->paths[s->order[k]];
        const struct thread_state *thread = &s->threads[p->thread];
        double scale = thread->scale, ns2 = tick_ns * tick_ns * scale * scale, time = thread->call_ticks;
        struct sampled_node *o = &out->nodes[s->order[k]];
        add_path(s, p, time);
        o->thread = p->thread;
        o->calls += p->run.calls;
        o->ended += p->segments ? p->run.calls : p->part.calls * thread->calls_scale;
        o->calls_variance += p->run.variance;
        o->calls_unseen += p->unseen;
        o->raw += (p->inclusive * scale + p->below + p->run.calls * time / 2) * tick_ns;
        o->compensated += p->inclusive * scale * tick_ns;
        o->hook += p->segments ? p->part.hook_ticks * tick_ns : 0;
        o->inclusive_variance += (inclusive_variance(s, p) + square(s->twin * p->inclusive)) * ns2;
        o->exclusive_variance += (exclusive_variance(s, p) + square(s->twin * p->exclusive)) * ns2;
    }
}

/* One of the two parts, or all. False: out of memory. */
static bool find_part(struct sampling *s, double tick_ns, double skip_ticks, const struct sample_places *places,
                      struct sampled_times *out)
{
    read_paths(s, skip_ticks);
    if (s->bursts)
        burst_times_prepare(s);
    if (!number_regions(s))
        return false;
    burst_calls_find(s);
    correct(s);
    if (s->bursts && places->count && !places->unknown && !sample_times_apply(s, places))
        return false;
    sum_compensated(s);
    scale_threads(s, tick_ns, out->threads);
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        struct thread_state *thread = &s->threads[t];
        const struct pcomp_region *sums = &thread->sums;
        double measured = sums->counted_ticks + sums->raw + thread->off, actual = thread->compensated * thread->scale;
        thread->call_ticks = thread->run_calls > 0 ? (measured - actual) / thread->run_calls : 0;
    }
    sum_paths(s, tick_ns, out);
    return true;
}

static void finish_threads(const struct sampling *s, double tick_ns, struct sampled_times *out)
{
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        struct sampled_thread *o = &out->threads[t];
        o->call = o->run_calls > 0 ? o->overhead / o->run_calls * tick_ns : 0;
        o->call_error = o->run_calls > 0 ? o->error / o->run_calls * tick_ns : 0;
        o->seen = o->run_ticks > 0 ? o->seen_ticks / o->run_ticks : 1;
    }
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct sampled_node *o = &out->nodes[s->order[k]];
        const struct path *p = &s->paths[s->order[k]];
        o->ended = fmax(o->ended - (p->segments ? p->open : 0), 0);
        o->counted = burst_calls_are_counted(s, p);
    }
}

bool sampled_times_find(const struct profile_file *file, const struct open_activations *open,
                        const struct sample_places *places, double tick_ns, double skip_ticks,
                        struct sampled_times *out)
{
    size_t nodes = file->node_count + (size_t)1, threads = file->thread_count + (size_t)1;
    const struct pcomp_header *h = &file->header;
    struct sampling s = {.file = file,
                         .paths = big_array(nodes, sizeof *s.paths),
                         .order = big_array(nodes, sizeof *s.order),
                         .threads = calloc(threads, sizeof *s.threads),
                         .burst = profile_is_burst(h)};
    struct pcomp_burst_held held = {h->held_on,          h->held_low,      h->held_high,        h->held_off,
                                    h->held_off_squares, h->held_products, h->held_high_squares};
    *out = (struct sampled_times){.nodes = big_array(nodes, sizeof *out->nodes),
                                  .threads = calloc(threads, sizeof *out->threads)};
    find_counting(&s);
    out->in_place = s.in_place;
    out->fetching = s.fetching * tick_ns;
    bool ok = s.paths && s.order && s.threads && out->nodes && out->threads;
    if (ok) {
        for (uint32_t i = 0; i < file->node_count; i++)
            out->nodes[i] = (struct sampled_node){0};
        order_paths(&s);
        read_open(&s, open);
        s.slowness = pcomp_burst_slowness_of(&held);
        ok = find_part(&s, tick_ns, skip_ticks, places, out);
    }
    if (ok && s.burst) {
        s.bursts = true;
        s.counting.brief = 0; /* as it was when bursts were weighed */
        ok = burst_calls_prepare(&s) && find_part(&s, tick_ns, skip_ticks, places, out);
    }
    if (ok)
        finish_threads(&s, tick_ns, out);
    free(s.paths);
    free(s.order);
    free(s.threads);
    free(s.regions);
    free(s.held);
    return ok;
}

void sampled_times_free(struct sampled_times *times)
{
    free(times->nodes);
    free(times->threads);
    *times = (struct sampled_times){0};
}
