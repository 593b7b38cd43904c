#include "reporters/tree/merge/merge_counts.h"

#include "compensation/estimate/site_price.h"
#include "compensation/numeric/t_quantile.h"
#include "reporters/profile/profile_calls.h"
#include "reporters/profile/profile_sites.h"
#include "reporters/tree/merge/merge_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct counted_cost {             /* of the calls of a file that were counted in place; ns but for the counts */
    uint64_t calls;               /* of threads that have time in the profile */
    uint64_t more;                /* calls of all functions that are on no call path, inexact ones included */
    double price, unit;           /* of one call; pcomp_site_unit */
    struct pcomp_site_price site; /* of its sites as no-ops */
    double price_uncertainty;     /* half-width, relative: sites are in proportion to the price */
    double sites, sites_error;    /* what the hook calls themselves cost, of all calls; half-width, price apart */
    double live, ended;           /* cost in threads that live, and that ended */
    double taken, taken_split;    /* what is taken off the threads that are shown; what may be another thread's */
};

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Calls on call paths, of threads that are not shown, too: the counters have them all. */
static void read_timed(const struct merge *m, const struct open_activations *open, struct profile_calls *calls)
{
    const struct profile_file *f = m->file;
    for (uint32_t c = 0; c < f->chunk_count; c++)
        for (uint32_t i = 0; f->chunks[c].kind == PCOMP_CHUNK_NODES && i < f->chunks[c].count; i++) {
            const struct pcomp_node_extra *extra = profile_node_extra(f, &f->chunks[c], i);
            uint32_t place = m->places[f->chunks[c].first_record + i].merged;
            bool whole = place <= PLACED_MAX || place == (uint32_t)PLACE_OUT;
            if (whole && extra->function_id < f->function_count && !(extra->flags & PCOMP_NODE_SKIPPED))
                calls[extra->function_id].timed += profile_node(f, &f->chunks[c], i)->calls;
        }
    for (size_t i = 0; i < open->count; i++) {
        const struct profile_chunk *chunk = profile_node_chunk(f, open->items[i].node);
        const struct pcomp_node_extra *extra = profile_node_extra(f, chunk, open->items[i].node - chunk->first_record);
        if (extra->function_id < f->function_count && !(extra->flags & PCOMP_NODE_SKIPPED))
            calls[extra->function_id].timed += open->items[i].counted;
    }
}

/* Calls of a function that cost what counting costs, and lie in the times of threads. */
static uint64_t in_place(const struct merge *m, const struct profile_calls *calls, uint32_t id)
{
    bool fell = m->file->functions[id]->flags & PCOMP_FUNCTION_COUNTED;
    return fell ? less(calls[id].live + calls[id].ended, calls[id].timed) : 0;
}

/* Calls of functions that fell, over the time of all threads without what counting took. */
static struct pcomp_site_price site_price(const struct merge *m, const struct profile_calls *calls, uint64_t end_tick,
                                          const struct counted_cost *cost)
{
    const struct profile_file *f = m->file;
    double time = 0, all = 0;
    if (!f->header.site_enters)
        return (struct pcomp_site_price){0, 0, 0};
    for (uint32_t t = 0; t < f->thread_count; t++)
        time += profile_thread_ran(f, t, end_tick);
    for (uint32_t id = PCOMP_FUNCTION_FIRST; id < f->function_count; id++) {
        time -= (double)in_place(m, calls, id) * cost->price;
        all += f->functions[id]->flags & PCOMP_FUNCTION_COUNTED ? (double)profile_calls_all(&calls[id]) : 0;
    }
    return pcomp_site_price(f->header.site_sleds > 0, all, time, cost->unit);
}

static void add_functions(struct merge *m, const struct profile_calls *calls, uint64_t end_tick,
                          struct counted_cost *cost)
{
    struct profile_count_price price = profile_count_price(m->file);
    cost->price = price.ns;
    cost->unit = price.unit;
    cost->price_uncertainty = price.error;
    cost->site = site_price(m, calls, end_tick, cost);
    for (uint32_t id = PCOMP_FUNCTION_FIRST; id < m->file->function_count; id++) {
        struct table_function *to = &m->b->functions.functions[m->function_of[id]];
        const struct profile_calls *from = &calls[id];
        uint32_t flags = m->file->functions[id]->flags;
        uint64_t seen = from->live + from->ended;
        uint64_t all = profile_calls_all(from);
        if (!all && (flags & PCOMP_FUNCTION_REGION))
            all = from->timed; /* a manual region has no sites that count */
        enum function_level level = flags & PCOMP_FUNCTION_OFF       ? LEVEL_OFF
                                    : flags & PCOMP_FUNCTION_SAMPLED ? LEVEL_SAMPLED
                                    : flags & PCOMP_FUNCTION_COUNTED ? LEVEL_COUNTED
                                    : all                            ? LEVEL_TIMED
                                                                     : LEVEL_NONE;
        to->level = level > to->level ? level : to->level;
        to->counters += all;
        to->estimated += from->estimated;
        to->variance += from->variance;
        to->counters_inexact += from->inexact;
        to->counters_timed += from->timed;
        to->in_place += in_place(m, calls, id);
        double counting = (double)in_place(m, calls, id) * cost->price, sites = 0;
        if (flags & PCOMP_FUNCTION_COUNTED) /* those of others are too few to matter */
            sites = (double)all * cost->site.price;
        to->counting += counting + sites;
        double unsure = PCOMP_NORMAL_95 * sqrt(from->variance); /* of all, calls that may not have been */
        double sites_error = sites * cost->site.error + fmin(unsure * cost->site.next, sites);
        to->counting_error += hypot((counting + sites) * cost->price_uncertainty, sites_error);
        cost->sites += sites;
        cost->sites_error += sites_error;
        to->fell |= (flags & PCOMP_FUNCTION_COUNTED) != 0;
        to->off |= (flags & PCOMP_FUNCTION_OFF) != 0;
        cost->calls += in_place(m, calls, id);
        cost->more += less(all, from->timed);
        if (seen)
            cost->live += (double)in_place(m, calls, id) * ((double)from->live / (double)seen) * cost->price;
    }
    cost->more =
        less(cost->more, calls[PCOMP_FUNCTION_BEYOND].timed); /* on that path, and in their functions' counters */
    double share = cost->calls * cost->price > 0 ? cost->live / ((double)cost->calls * cost->price) : 0;
    cost->ended = (double)cost->calls * cost->price - cost->live + cost->sites * (1 - share);
    cost->live += cost->sites * share;
}

/* Half-width of all that is taken off, relative to it. */
static double uncertainty_of(const struct counted_cost *cost)
{
    double whole = (double)cost->calls * cost->price + cost->sites;
    return whole > 0 ? hypot(cost->price_uncertainty, cost->sites_error / whole) : 0;
}

/* Its calls are in counters of threads that live. */
static bool is_alive(const struct profile_file *f, uint32_t thread)
{
    const struct pcomp_thread *t = f->threads[thread].record;
    return !t->end_tick || (t->flags & PCOMP_THREAD_LAST);
}

/* One block of counters has the calls of all threads that ended, and blocks do not name their thread: the cost is
 * shared out by how long the threads ran. Where there was a choice, any thread may have had nothing of it, or all, as
 * far as it ran so long. */
static void share_out(const struct merge *m, const uint32_t *thread_of, uint64_t end_tick, struct counted_cost *cost,
                      double *shares)
{
    const struct profile_file *f = m->file;
    double weights[2] = {0, 0}, amounts[2] = {cost->ended, cost->live};
    uint32_t threads[2] = {0, 0};
    for (uint32_t t = 0; t < f->thread_count; t++) {
        weights[is_alive(f, t)] += profile_thread_ran(f, t, end_tick);
        threads[is_alive(f, t)]++;
    }
    for (int alive = 0; alive < 2; alive++)
        if (!threads[alive]) { /* of a damaged file: those of the other kind have it */
            amounts[!alive] += amounts[alive];
            amounts[alive] = 0;
        }
    for (uint32_t t = 0; t < f->thread_count; t++) {
        bool alive = is_alive(f, t);
        double ran = profile_thread_ran(f, t, end_tick), whole = amounts[alive], mine = whole * (ran / weights[alive]);
        double split = threads[alive] > 1 ? fmax(mine, fmin(whole, ran) - mine) : 0;
        if (thread_of[t] == NO_NODE)
            continue;
        shares[t] = whole > 0 ? mine : 0;
        struct build_thread *thread = &m->b->threads[thread_of[t]];
        thread->terms += mine;
        thread->error += mine * uncertainty_of(cost) / PCOMP_NORMAL_95;
        thread->split = split;
        m->b->tree->threads[thread_of[t]].compensated -= mine;
        cost->taken += mine;
        cost->taken_split = hypot(cost->taken_split, m->b->options->thread ? split : 0);
    }
}

/* The line of the tree that stands for the cost. Its times are as those of a node until tree_finish. */
static bool add_cost_node(struct merge *m, const struct counted_cost *cost)
{
    struct tree_builder *b = m->b;
    uint32_t function = function_table_region(&b->functions, "[counting in place]");
    if (function == UINT32_MAX || !tree_builder_reserve(b, 1) || !tree_builder_index(b))
        return false;
    tree_builder_owner(b, NO_NODE);
    uint32_t node = tree_builder_node(b, 0, function, NO_NODE);
    b->counting.function = function;
    b->nodes[node].inclusive.compensated -= cost->taken;
    b->nodes[node].inclusive.own += cost->taken;
    bool paper = b->model == PCOMP_MODEL_PAPER; /* whose exclusive times are less by what is `direct` alone */
    if (paper)
        b->nodes[node].exclusive.direct += cost->taken;
    if (b->exclusive)
        b->exclusive[node].compensated -= cost->taken;
    double split = cost->taken_split / PCOMP_NORMAL_95;
    double error = cost->taken * uncertainty_of(cost) / PCOMP_NORMAL_95;
    b->nodes[node].exclusive.uncertainty += paper ? error : 0;
    b->work[node].part.own_error += paper ? 0 : (float)fmin(error, 1e37);
    b->work[node].part.own_variance += (float)fmin(split * split, 1e37);
    return true;
}

/* What counting cost each function, in the proportion of the threads' shares. */
static bool add_cost_rows(struct merge *m, const struct profile_calls *calls, const struct counted_cost *cost,
                          const uint32_t *thread_of, const double *shares)
{
    double whole = (double)cost->calls * cost->price + cost->sites;
    for (uint32_t id = PCOMP_FUNCTION_FIRST; whole > 0 && id < m->file->function_count; id++) {
        double mine = (double)in_place(m, calls, id);
        for (uint32_t t = 0; mine > 0 && t < m->file->thread_count; t++) {
            double part = mine * (shares[t] / whole);
            struct tree_cost row = {.function = m->function_of[id],
                                    .thread = thread_of[t],
                                    .calls = part,
                                    .cost = {{[PCOMP_COST_COUNTING] = part * cost->price}}};
            if (part > 0 && !merge_costs_row(m->b, &row))
                return false;
        }
    }
    return true;
}

/* Threads of which all calls are known, and how many more there are in all. */
static void add_calls(struct merge *m, const struct counted_cost *cost, const uint32_t *thread_of)
{
    struct tree_builder *b = m->b;
    const struct profile_file *f = m->file;
    for (uint32_t t = 0; t < f->thread_count; t++)
        if (thread_of[t] != NO_NODE) {
            struct tree_thread *thread = &b->tree->threads[thread_of[t]];
            thread->calls_partial = cost->more && f->thread_count > 1;
            thread->calls += thread->calls_partial ? 0 : cost->more;
        }
    if (f->thread_count != 1 && !b->options->thread)
        b->counting.more += cost->more;
}

static void add_process(struct tree_builder *b, const struct profile_file *f, const struct counted_cost *cost)
{
    struct tree_counting *sums = &b->tree->counting;
    double whole = (double)cost->calls * cost->price + cost->sites;
    bool part = b->options->thread && whole > 0; /* of the calls, as of the cost */
    sums->any = true;
    sums->calls += part ? (uint64_t)fmin((double)cost->calls * (cost->taken / whole) + 0.5, 1e18) : cost->calls;
    sums->cost += cost->taken;
    double sites = whole > 0 ? cost->taken * (cost->sites / whole) : 0;
    sums->sites += sites;
    sums->hook_sites |= f->header.site_enters && !f->header.site_sleds;
    sums->sites_uncertainty +=
        cost->sites > 0 ? sites * hypot(cost->sites_error / cost->sites, cost->price_uncertainty) : 0;
    sums->cost_uncertainty += hypot(cost->taken * uncertainty_of(cost), cost->taken_split);
    sums->price = fmax(sums->price, cost->price);
    sums->falls += f->header.level_falls;
    sums->limit = fmax(sums->limit, f->header.limit);
    sums->windows += f->header.windows;
    sums->window_time += f->header.window_seconds * 1e9;
    if (*f->header.sampler_why && !b->tree->how.no_samples)
        b->tree->how.no_samples = text_pool_copy(b->texts, f->header.sampler_why,
                                                 strnlen(f->header.sampler_why, sizeof f->header.sampler_why));
    for (uint32_t c = 0; c < f->chunk_count; c++)
        sums->bytes += f->chunks[c].kind == PCOMP_CHUNK_COUNTS ? f->chunks[c].count * (uint64_t)f->chunks[c].stride : 0;
}

bool merge_counts(struct merge *m, const struct open_activations *open, const uint32_t *thread_of)
{
    const struct profile_file *f = m->file;
    if (!(f->header.flags & PCOMP_FLAG_COUNTS))
        return true;
    struct profile_calls *calls = calloc(f->function_count + (size_t)PCOMP_FUNCTION_FIRST, sizeof *calls);
    double *shares = calloc(f->thread_count + (size_t)1, sizeof *shares);
    struct counted_cost cost = {0};
    bool ok = calls && shares;
    if (ok) {
        profile_calls_read(f, calls);
        read_timed(m, open, calls);
        add_functions(m, calls, open->end_tick, &cost);
        if (m->b->model != PCOMP_MODEL_NONE)
            share_out(m, thread_of, open->end_tick, &cost, shares);
        add_calls(m, &cost, thread_of);
        add_process(m->b, f, &cost);
        ok = (!(cost.taken > 0) || add_cost_node(m, &cost)) &&
             (!m->b->options->want_costs || add_cost_rows(m, calls, &cost, thread_of, shares));
    }
    free(calls);
    free(shares);
    return ok;
}

/* --- All files ---------------------------------------------------------------------------------------------------- */

bool merge_counts_prepare(struct tree_builder *b)
{
    bool timed = false;
    for (uint32_t i = 0; i < b->functions.count && !timed && !b->stacks.share_count; i++)
        timed = b->functions.functions[i].fell && b->functions.functions[i].counters_timed;
    if (!timed)
        return true;
    b->counting.before = function_table_region(&b->functions, "[timed before counted]");
    return b->counting.before != UINT32_MAX;
}

/* A function without all of its time has none: what was timed until its level fell is shown apart. */
static void hide_times(struct call_tree *tree, struct tree_function *f, struct tree_function *before)
{
    f->before = f->exclusive;
    if (before) {
        tree_times_add(&before->exclusive, &f->exclusive);
        before->exclusive.uncertainty += f->exclusive.uncertainty;
    }
    f->inclusive = f->exclusive = (struct tree_times){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    f->min = f->max = NAN;
    time_spread_free(&f->spread);
    f->resolved = false;
    for (size_t c = 0; c < tree->counter_count; c++) {
        if (before) {
            before->counters[c].raw_exclusive += f->counters[c].raw_exclusive;
            before->counters[c].compensated_exclusive += f->counters[c].compensated_exclusive;
            before->counters[c].uncertainty_exclusive += f->counters[c].uncertainty_exclusive;
        }
        f->counters[c] = (struct tree_counter){NAN, NAN, NAN, NAN, NAN, NAN};
    }
}

static void finish_function(struct tree_builder *b, const struct table_function *from, struct tree_function *f,
                            struct tree_function *before)
{
    struct tree_counting *sums = &b->tree->counting;
    bool estimated = from->estimated > 0 || from->variance > 0; /* windows without a call leave a ± */
    if (b->options->thread) {                                   /* the counters have the calls of all threads */
        f->calls_inexact = from->fell ? less(from->counters, f->calls) : 0;
    } else {
        f->calls = less(f->calls, from->counters_timed) + from->counters;
        f->in_place = from->in_place;
        f->calls_inexact = from->counters_inexact;
        sums->inexact += from->counters_inexact;
    }
    f->calls_deviation = sqrt(from->variance);
    f->exact &= !f->calls_inexact && !estimated;
    sums->sampled += estimated;
    f->off = from->off && !from->counters_timed;
    bool sampled = b->stacks.share_count && !f->off;
    f->counted = from->fell && !sampled;
    sums->counted += from->fell;
    sums->off += f->off;
    sums->timed += !from->fell && !f->off && f->calls;
    if (from->fell && sampled) {
        f->min = f->max = NAN;
        time_spread_free(&f->spread);
    } else if (from->fell || (!from->counters_timed && !b->options->thread))
        hide_times(b->tree, f, before);
}

/* Half-width of what counting may have cost within a time, which nobody knows of single functions and paths: up to
 * twice the mean share of the run, and no more than the calls that were counted, which take as long themselves. */
static double counting_within(double raw, double cost, double share)
{
    return raw > 0 ? fmin(fmin(cost, 2 * share * raw), raw / 2) : 0;
}

static void widen(struct tree_times *times, double cost, double share)
{
    times->uncertainty = hypot(times->uncertainty, counting_within(times->raw, cost, share));
}

/* Whether the whole cost is in a node, of which it is taken off. */
static bool holds(const struct call_tree *tree, uint32_t holder, uint32_t node)
{
    while (holder && holder != node)
        holder = tree->nodes[holder].parent;
    return holder;
}

static bool function_holds(const struct call_tree *tree, uint32_t holder, uint32_t function)
{
    while (holder && tree->nodes[holder].function != function)
        holder = tree->nodes[holder].parent;
    return holder;
}

static void widen_all(struct call_tree *tree, uint32_t holder)
{
    double cost = tree->counting.cost, raw = tree->nodes[0].inclusive.raw;
    if (!(cost > 0) || !(raw > 0))
        return;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        if (!holds(tree, holder, i))
            widen(&tree->nodes[i].inclusive, cost, cost / raw);
        widen(&tree->nodes[i].exclusive, cost, cost / raw);
    }
    for (uint32_t i = 1; i < tree->function_count; i++) {
        struct tree_function *f = &tree->functions[i];
        if (!function_holds(tree, holder, i))
            widen(&f->inclusive, cost, cost / raw);
        widen(&f->exclusive, cost, cost / raw);
        f->resolved = fabs(f->inclusive.compensated) > f->inclusive.uncertainty;
    }
}

void merge_counts_finish(struct tree_builder *b, const uint32_t *place)
{
    struct call_tree *tree = b->tree;
    if (!tree->counting.any)
        return;
    if (!b->stacks.share_count)
        widen_all(tree, b->counting.holder);
    struct tree_function *before = b->counting.before ? &tree->functions[place[b->counting.before]] : NULL;
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < b->functions.count; i++) {
        const struct table_function *from = &b->functions.functions[i];
        if (from->counters || from->off || from->fell)
            finish_function(b, from, &tree->functions[place[i]], before);
    }
    if (before) {
        before->inclusive = (struct tree_times){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
        before->sum = true;
        before->level = LEVEL_NONE;
        tree->counting.before = place[b->counting.before];
    }
    if (b->counting.function) {
        tree->counting.function = place[b->counting.function];
        tree->functions[place[b->counting.function]].sum = true;
        tree->functions[place[b->counting.function]].level = LEVEL_NONE;
    }
}
