#include "reporters/profile/open_activations.h"
#include "reporters/profile/profile_check.h"
#include "reporters/tree/build/big_array.h"
#include "reporters/tree/build/probe_factor.h"
#include "reporters/tree/merge/merge_costs.h"
#include "reporters/tree/merge/merge_counts.h"
#include "reporters/tree/merge/merge_metrics.h"
#include "reporters/tree/merge/merge_spreads.h"
#include "reporters/tree/merge/merge_stacks.h"
#include "reporters/tree/merge/merge_state.h"
#include "reporters/tree/merge/merge_threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLED_PART 8 /* so much of the timed call paths is room for those of samples, which come later */

static bool no_memory(struct merge *m)
{
    snprintf(m->error, m->error_size, "%s: out of memory", m->file->path);
    return false;
}

static bool node_damaged(struct merge *m, uint32_t index, size_t field, const char *expected, uint64_t found)
{
    const struct profile_chunk *chunk = profile_node_chunk(m->file, index);
    uint64_t offset = chunk->records + (uint64_t)(index - chunk->first_record) * chunk->stride + field;
    return profile_damaged(m->file, m->error, m->error_size, offset, "expected %s, found 0x%llx", expected,
                           (unsigned long long)found);
}

/* Errors need no precision; only a damaged file has some that do not fit. */
static float narrow(double value)
{
    return (float)fmin(value, 1e37);
}

/* Of a charge, ns: what calibration says, or the samples that priced it in the program. */
static double price_error(const struct merge *m, double systematic_ticks, int64_t charge)
{
    return m->price_error > 0 ? m->price_error * fabs((double)charge) * m->fixed_ns : systematic_ticks * m->tick_ns;
}

/* The models and rates of this file, in nanoseconds. */
static void set_rates(struct merge *m)
{
    struct tree_builder *b = m->b;
    const struct pcomp_header *h = &m->file->header;
    enum pcomp_model recorded = pcomp_model_name((enum pcomp_model)h->model) ? h->model : PCOMP_MODEL_NONE;
    if (!b->any) {
        b->tree->spread_unit = m->fixed_ns;
        int asked = b->options->model;
        b->model = asked >= 0 ? (enum pcomp_model)asked : recorded;
    }
    if (recorded != b->model) {
        b->found.models_differ |= b->options->model < 0;
        if ((h->flags & (PCOMP_FLAG_FOLD_RECURSION | PCOMP_FLAG_REPLAYED)) && b->model != PCOMP_MODEL_NONE) {
            /* folded nodes do not tell outer activations from inner ones, and a replay moved the waiting */
            b->found.not_rederived = true;
            b->model = b->any ? b->model : recorded;
        } else {
            b->rederive = b->other_model = true;
        }
    } else if (recorded == PCOMP_MODEL_SPLIT && probe_factor_apply(m->file, &m->price_error)) {
        b->tree->how.price_samples += (double)h->probe_samples;
        b->rederive |= !(h->flags & PCOMP_FLAG_FOLD_RECURSION);
    }
    struct pcomp_online_model model;
    struct pcomp_error_model errors;
    pcomp_model_init(&model, b->model, h->delta_start);
    pcomp_error_model_init(&errors, b->model, h->delta_start, h->delta_exit, 1);
    double ns = m->tick_ns, ns2 = ns * ns;
    for (int v = 0; v < PCOMP_VARIANTS; v++) {
        const struct pcomp_charge *charge = &model.charge[v];
        const struct pcomp_parts *error = &errors.systematic[v], *variance = &errors.variance[v];
        m->charge[v] = (struct pcomp_parts){.own = (double)charge->own * m->fixed_ns,
                                            .descendant = (double)charge->descendant * m->fixed_ns,
                                            .direct = (double)charge->direct * m->fixed_ns};
        m->spread[v] = (struct pcomp_parts){.own = price_error(m, error->own, charge->own),
                                            .descendant = price_error(m, error->descendant, charge->descendant),
                                            .direct = error->direct * ns};
        m->variance[v] = (struct pcomp_parts){variance->own * ns2, variance->descendant * ns2, variance->direct * ns2};
    }
    m->slow_ns = (double)model.slow * m->fixed_ns;
    b->clock_variance = fmax(b->clock_variance, errors.clock_variance * ns2);
}

static void add_thread_cost(struct build_thread *t, double terms, double error, double variance)
{
    t->terms += terms;
    t->error += error;
    t->variance += variance;
}

struct share {                                  /* what the ended calls of one node add to the tree */
    double raw, compensated;                    /* inclusive, ns */
    struct pcomp_parts charge, error, variance; /* ns, ns, ns^2 */
};

static struct share share_of(const struct merge *m, const struct pcomp_node *node, const struct pcomp_node_extra *extra)
{
    struct pcomp_calls calls = pcomp_calls_of_node(node->calls, profile_node_lookups(node, extra), extra->slow_ticks,
                                                   extra->flags & PCOMP_NODE_SKIPPED);
    return (struct share){.raw = (double)node->raw * m->tick_ns,
                          .compensated = (double)node->compensated * m->fixed_ns,
                          .charge = pcomp_parts_of_calls(m->charge, m->slow_ns, &calls),
                          .error = pcomp_parts_of_calls(m->spread, 0, &calls),
                          .variance = pcomp_parts_of_calls(m->variance, 0, &calls)};
}

/* Adds the calls of a filtered function: their cost is in every ancestor, their time in the parent's own. */
static void add_filtered(struct merge *m, struct place parent, const struct share *share)
{
    if (!parent.merged)
        return;
    struct tree_node *n = &m->b->nodes[parent.merged];
    union node_work *work = &m->b->work[parent.merged];
    n->inclusive.descendants += share->charge.descendant;
    n->exclusive.direct += share->charge.descendant;
    n->inclusive.uncertainty += share->error.descendant;
    n->exclusive.uncertainty += share->error.descendant;
    work->part.below_variance += share->variance.descendant;
    work->part.children_variance += share->variance.descendant;
    add_thread_cost(&m->b->threads[parent.thread], share->charge.descendant, share->error.descendant,
                    share->variance.descendant);
}

static void add_calls(struct merge *m, struct place parent, uint32_t merged, uint64_t calls, const struct share *share)
{
    struct tree_node *n = &m->b->nodes[merged];
    union node_work *work = &m->b->work[merged];
    const struct pcomp_parts *charge = &share->charge, *error = &share->error, *variance = &share->variance;
    n->calls += calls;
    n->inclusive.raw += share->raw;
    n->inclusive.compensated += share->compensated;
    n->inclusive.own += charge->own;
    n->exclusive.own += charge->descendant;
    n->exclusive.descendants += charge->direct;
    work->part.own_error += narrow(error->own);
    work->part.own_variance += narrow(variance->own);
    work->part.descendant_error += narrow(error->descendant);
    work->part.descendant_variance += narrow(variance->descendant);
    work->part.direct_error += narrow(error->direct);
    work->part.direct_variance += narrow(variance->direct);
    struct tree_thread *thread = &m->b->tree->threads[parent.thread];
    struct build_thread *sums = &m->b->threads[parent.thread];
    thread->calls += calls;
    if (!parent.merged) {
        double reads = 2 * m->b->clock_variance * (double)calls;
        thread->raw += share->raw;
        thread->compensated += share->compensated;
        add_thread_cost(sums, charge->own, error->own, variance->own + reads);
    } else {
        add_thread_cost(sums, charge->descendant, error->descendant, variance->descendant);
        if (!m->b->nodes[parent.merged].parent)
            add_thread_cost(sums, charge->direct, error->direct, variance->direct);
    }
}

static void add_node(struct merge *m, struct place parent, uint32_t merged, const struct pcomp_node *node,
                     const struct share *share)
{
    struct tree_node *n = &m->b->nodes[merged];
    add_calls(m, parent, merged, node->calls, share);
    if (node->calls && node->min != INT64_MAX)
        n->min = fmin(n->min, (double)node->min * m->fixed_ns);
    if (node->calls && node->top != INT64_MIN)
        n->max = fmax(n->max, (double)node->top * m->fixed_ns);
}

/* Time off the processor is exclusive until tree_finish. */
static void add_off_cpu(struct merge *m, uint32_t thread, uint32_t merged, const struct pcomp_node_extra *extra)
{
    if (!profile_has_off_cpu(&m->file->header))
        return;
    const struct pcomp_node_off_cpu *from = profile_node_off_cpu(m->file, extra);
    struct tree_times *to = &m->b->nodes[merged].exclusive;
    struct tree_thread *sum = &m->b->tree->threads[thread];
    double waiting = (double)from->waiting * m->tick_ns, ready = (double)from->ready * m->tick_ns;
    to->waiting += waiting;
    to->ready += ready;
    sum->waiting += waiting;
    sum->ready += ready;
}

/* Puts node `index` under its parent, which has its place. False: damage or no memory. */
static bool place_node(struct merge *m, uint32_t index, const struct pcomp_node *node,
                       const struct pcomp_node_extra *extra, uint32_t parent)
{
    struct place at = m->places[parent];
    if (at.merged > PLACED_MAX) {
        m->places[index].merged = at.merged;
        m->file->left_out_nodes += at.merged == (uint32_t)PLACE_LOST;
        return true;
    }
    if (extra->function_id >= m->file->function_count) {
        m->places[index].merged = (uint32_t)PLACE_LOST;
        m->file->left_out_nodes++;
        return m->file->read_mono || node_damaged(m, index, offsetof(struct pcomp_node, function),
                                                  "a node whose function is known", extra->function_id);
    }
    struct share share = share_of(m, node, extra);
    if (extra->flags & PCOMP_NODE_SKIPPED) {
        m->places[index] = at;
        add_filtered(m, at, &share);
        return true;
    }
    uint32_t site = NO_NODE;
    if (extra->site && (m->file->header.flags & (PCOMP_FLAG_CALL_SITES | PCOMP_FLAG_NATIVE_FRAMES)) &&
        (site = merge_site(m, extra->site)) == UINT32_MAX)
        return no_memory(m);
    uint32_t function = m->function_of[extra->function_id];
    if (m->append && m->append_thread == NO_NODE)
        m->append_thread = at.thread;
    if (m->append && m->append_thread != at.thread) {
        m->append = false;
        if (!tree_builder_index(m->b))
            return no_memory(m);
    }
    tree_builder_owner(m->b, at.thread);
    uint32_t merged = m->append ? tree_builder_append(m->b, at.merged, function, site)
                                : tree_builder_node(m->b, at.merged, function, site);
    m->places[index] = (struct place){merged, at.thread};
    add_node(m, at, merged, node, &share);
    if (!merge_few(m, m->places[index], node, extra))
        return no_memory(m);
    if (m->b->exclusive && (m->file->header.flags & PCOMP_FLAG_FOLD_RECURSION)) {
        const struct pcomp_node_exclusive *exclusive = profile_node_exclusive(m->file, extra);
        m->b->exclusive[merged].raw += (double)exclusive->raw * m->tick_ns;
        m->b->exclusive[merged].compensated += (double)exclusive->compensated * m->fixed_ns;
    }
    struct table_function *known = &m->b->functions.functions[function];
    known->level = known->level > LEVEL_TIMED ? known->level : LEVEL_TIMED;
    known->inexact |= m->inexact[at.thread];
    if (m->b->frames && extra->native_link && !m->b->frames[merged].count) {
        const char *native = profile_text(m->file, extra->native_link);
        if (native && !merge_native_frames(m, merged, native))
            return no_memory(m);
    }
    merge_metrics_add(m, merged, extra);
    add_off_cpu(m, at.thread, merged, extra);
    return true;
}

static void node_at(const struct merge *m, uint32_t index, const struct pcomp_node **node,
                    const struct pcomp_node_extra **extra)
{
    const struct profile_chunk *chunk = profile_node_chunk(m->file, index);
    *node = profile_node(m->file, chunk, index - chunk->first_record);
    *extra = profile_node_extra(m->file, chunk, index - chunk->first_record);
}

/* Index of the parent that can be placed under; PROFILE_NONE after marking the node lost (*ok false: an error). */
static uint32_t parent_of(struct merge *m, uint32_t index, const struct pcomp_node *node, bool *ok)
{
    uint32_t parent = node->parent ? profile_node_index(m->file, node->parent) : PROFILE_NONE;
    if (parent != PROFILE_NONE && m->places[parent].merged != (uint32_t)PLACE_BUSY)
        return parent;
    m->places[index].merged = (uint32_t)PLACE_LOST;
    m->file->left_out_nodes++;
    /* The root of a thread that never was completed has no parent, which is no damage. */
    *ok = !node->parent || m->file->read_mono ||
          node_damaged(m, index, offsetof(struct pcomp_node, parent),
                       parent == PROFILE_NONE ? "a link to the parent node" : "a parent that leads to a root",
                       node->parent);
    return PROFILE_NONE;
}

/* Places a node whose parent comes later in the file, and all its ancestors. `chain` has room for every node. */
static bool place_backwards(struct merge *m, uint32_t index, uint32_t *chain)
{
    size_t depth = 0;
    bool ok = true;
    for (uint32_t at = index; m->places[at].merged == (uint32_t)PLACE_NONE;) {
        const struct pcomp_node *node;
        const struct pcomp_node_extra *extra;
        node_at(m, at, &node, &extra);
        m->places[at].merged = (uint32_t)PLACE_BUSY;
        uint32_t parent = parent_of(m, at, node, &ok);
        if (!ok)
            return false;
        if (parent == PROFILE_NONE)
            break;
        chain[depth++] = at;
        at = parent;
    }
    while (ok && depth) {
        const struct pcomp_node *node;
        const struct pcomp_node_extra *extra;
        node_at(m, chain[--depth], &node, &extra);
        ok = place_node(m, chain[depth], node, extra, profile_node_index(m->file, node->parent));
    }
    return ok;
}

static bool place_nodes(struct merge *m)
{
    const struct profile_file *f = m->file;
    uint32_t *chain = NULL;
    bool ok = true;
    for (uint32_t c = 0; ok && c < f->chunk_count; c++) {
        const struct profile_chunk *chunk = &f->chunks[c];
        if (chunk->kind != PCOMP_CHUNK_NODES)
            continue;
        for (uint32_t i = 0; ok && i < chunk->count; i++) {
            uint32_t index = chunk->first_record + i;
            if (m->places[index].merged != (uint32_t)PLACE_NONE)
                continue;
            const struct pcomp_node *node = profile_node(f, chunk, i);
            uint32_t parent = parent_of(m, index, node, &ok);
            if (parent == PROFILE_NONE)
                continue;
            if (m->places[parent].merged != (uint32_t)PLACE_NONE) {
                ok = place_node(m, index, node, profile_node_extra(f, chunk, i), parent);
            } else if (chain || (chain = malloc((f->node_count + (size_t)1) * sizeof *chain))) {
                ok = place_backwards(m, index, chain);
            } else {
                ok = no_memory(m);
            }
        }
        profile_release_nodes(f, chunk);
    }
    free(chain);
    return ok;
}

static bool is_filtered(const struct merge *m, uint32_t index)
{
    const struct pcomp_node *node;
    const struct pcomp_node_extra *extra;
    node_at(m, index, &node, &extra);
    return extra->flags & PCOMP_NODE_SKIPPED;
}

/* A running thread is off the processor in its innermost activation, and has no event until it goes on. */
static void add_open_off_cpu(struct merge *m, const struct open_activation *o, struct tree_node *n, uint32_t thread)
{
    if (!profile_has_off_cpu(&m->file->header) || m->file->threads[o->thread].stack_count != 1)
        return;
    double waiting = fmin(m->b->threads[thread].off_cpu, (double)o->raw * m->tick_ns);
    n->exclusive.waiting += waiting;
    m->b->tree->threads[thread].waiting += waiting;
}

static void add_open(struct merge *m, const struct open_activations *open)
{
    for (size_t i = 0; i < open->count; i++) {
        const struct open_activation *o = &open->items[i];
        struct place at = m->places[o->node];
        if (at.merged > PLACED_MAX || !at.merged || is_filtered(m, o->node))
            continue;
        struct tree_node *n = &m->b->nodes[at.merged];
        struct tree_thread *thread = &m->b->tree->threads[at.thread];
        bool timed = !o->nested;
        double raw = timed ? (double)o->raw * m->tick_ns : 0;
        double compensated = timed ? (double)o->compensated * m->fixed_ns : 0;
        n->calls += o->counted;
        n->open += o->counted;
        n->inclusive.raw += raw;
        n->inclusive.compensated += compensated;
        thread->calls += o->counted;
        if (m->b->exclusive) {
            m->b->exclusive[at.merged].raw += (double)o->raw_exclusive * m->tick_ns;
            m->b->exclusive[at.merged].compensated += (double)o->compensated_exclusive * m->fixed_ns;
        }
        if (!n->parent) {
            thread->raw += raw;
            thread->compensated += compensated;
        }
        if (i + 1 == open->count || open->items[i + 1].thread != o->thread)
            add_open_off_cpu(m, o, n, at.thread);
    }
}

/* The first file says how compensation was obtained. */
static bool take_mode(struct merge *m)
{
    struct tree_builder *b = m->b;
    const struct pcomp_header *h = &m->file->header;
    if (b->any)
        return true;
    b->counts = h->flags & PCOMP_FLAG_COUNTS;
    if (!(h->flags & (PCOMP_FLAG_FITTED | PCOMP_FLAG_REPLAYED)))
        return true;
    const char *text = text_pool_copy(b->texts, h->fitted, strnlen(h->fitted, sizeof h->fitted));
    if (h->flags & PCOMP_FLAG_REPLAYED)
        b->tree->how.replayed = text;
    else
        b->tree->how.fitted = text;
    return text;
}

static bool prepare(struct merge *m)
{
    struct tree_builder *b = m->b;
    const struct profile_file *f = m->file;
    m->places = big_array(f->node_count + (size_t)1, sizeof *m->places);
    m->sites = calloc(SITES, sizeof *m->sites);
    bool frames = f->header.flags & PCOMP_FLAG_NATIVE_FRAMES,
         sites = frames || (f->header.flags & PCOMP_FLAG_CALL_SITES);
    if (!m->places || !m->sites || !tree_builder_reserve(b, f->node_count + (size_t)f->node_count / SAMPLED_PART) ||
        (sites && !tree_builder_with_sites(b)) || (frames && !tree_builder_with_frames(b)) || !merge_functions(m))
        return false;
    memset(m->places, 0xff, (f->node_count + (size_t)1) * sizeof *m->places);
    if ((f->header.flags & PCOMP_FLAG_FOLD_RECURSION) && !b->exclusive &&
        !(b->exclusive = calloc(b->node_room, sizeof *b->exclusive)))
        return false;
    return take_mode(m) && (b->any || !f->header.counter_count || merge_metrics_take(b, &f->header));
}

bool merge_profile(struct tree_builder *b, struct profile_file *file, bool running, char *error, size_t error_size)
{
    struct merge m = {.b = b, .file = file, .running = running, .error = error, .error_size = error_size};
    struct open_activations open = {0};
    m.tick_ns = profile_tick_ns(file);
    m.fixed_ns = m.tick_ns / (1 << PCOMP_FIX_SHIFT);
    *error = 0;
    set_rates(&m);
    size_t first = b->tree->thread_count;
    uint32_t *thread_of = malloc((file->thread_count + (size_t)1) * sizeof *thread_of);
    bool ok = thread_of && open_activations_find(file, running, &open) && prepare(&m) &&
              merge_threads(b, file, running, open.end_tick, thread_of) &&
              (m.inexact = calloc(b->tree->thread_count + 1, sizeof *m.inexact));
    if (ok) {
        for (size_t i = first; i < b->tree->thread_count; i++)
            m.inexact[i] = file->header.lost_calls || b->tree->threads[i].uncertain;
        for (uint32_t i = 0; i < file->thread_count; i++)
            m.places[file->threads[i].root] =
                thread_of[i] == NO_NODE ? (struct place){(uint32_t)PLACE_OUT, 0} : (struct place){0, thread_of[i]};
        ok = place_nodes(&m) && merge_spreads(&m);
        if (ok)
            add_open(&m, &open);
        ok = ok && merge_creators(b, file, thread_of, m.function_of) && (!b->options->want_costs || merge_costs(&m)) &&
             merge_counts(&m, &open, thread_of) && merge_stacks(&m, thread_of);
    }
    if (!ok && !*error)
        no_memory(&m);
    b->any |= ok;
    b->off_cpu_missing |= !profile_has_off_cpu(&file->header);
    b->found.left_out_nodes += ok ? file->left_out_nodes : 0;
    b->found.left_out_bytes += ok ? file->left_out_bytes : 0;
    open_activations_free(&open);
    free(thread_of);
    free(m.function_of);
    free(m.inexact);
    free(m.places);
    free(m.sites);
    return ok;
}
