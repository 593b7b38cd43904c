#include "compensation/numeric/t_quantile.h"
#include "reporters/tree/build/tree_builder.h"
#include "reporters/tree/merge/counting_node.h"
#include "reporters/tree/merge/merge_costs.h"
#include "reporters/tree/merge/merge_counts.h"
#include "reporters/tree/merge/merge_spreads.h"
#include "reporters/tree/merge/merge_stacks.h"
#include "reporters/tree/merge/widen_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Functions: names, order -------------------------------------------------------------------------------------- */

static void warn_of_module(void *context, const char *text)
{
    tree_warn(context, "%s", text);
}

static int compare_functions(const void *x, const void *y, void *context)
{
    const struct function_table *t = context;
    const struct table_function *a = &t->functions[*(const uint32_t *)x], *b = &t->functions[*(const uint32_t *)y];
    if (a->kind == FUNCTION_ROOT || b->kind == FUNCTION_ROOT)
        return (b->kind == FUNCTION_ROOT) - (a->kind == FUNCTION_ROOT);
    int order = strcmp(a->name, b->name);
    if (order)
        return order;
    if (a->module != b->module && a->module != FUNCTION_NO_MODULE && b->module != FUNCTION_NO_MODULE)
        order = strcmp(t->modules[a->module].path, t->modules[b->module].path);
    if (order)
        return order;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Fills tree->functions with those that have nodes or counted calls, by name; place[i]: where function i of the table
 * went. */
static bool list_functions(struct tree_builder *b, uint32_t *place)
{
    struct function_table *t = &b->functions;
    uint32_t *order = malloc(t->count * sizeof *order), count = 0;
    if (!order)
        return false;
    memset(place, 0, t->count * sizeof *place);
    for (size_t n = 0; n < b->node_count; n++)
        place[b->nodes[n].function] = 1;
    for (size_t c = 0; c < b->tree->cost_count; c++)
        place[b->tree->costs[c].function] = 1;
    for (uint32_t i = 0; i < t->count; i++)
        if (place[i] || t->functions[i].counters || t->functions[i].off || t->functions[i].fell ||
            (i && i == b->counting.before))
            order[count++] = i;
    qsort_r(order, count, sizeof *order, compare_functions, t);
    b->tree->functions = calloc(count, sizeof *b->tree->functions);
    b->tree->function_count = b->tree->functions ? count : 0;
    for (uint32_t k = 0; k < b->tree->function_count; k++) {
        const struct table_function *from = &t->functions[order[k]];
        place[order[k]] = k;
        const char *module = NULL;
        if (from->module != FUNCTION_NO_MODULE) {
            const char *path = t->modules[from->module].path;
            module = k && b->tree->functions[k - 1].module && !strcmp(b->tree->functions[k - 1].module, path)
                         ? b->tree->functions[k - 1].module
                         : text_pool_copy(b->texts, path, strlen(path));
        }
        b->tree->functions[k] = (struct tree_function){.name = from->name,
                                                       .linkage_name = from->linkage,
                                                       .file = from->file,
                                                       .line = from->line,
                                                       .module = module,
                                                       .min = NAN,
                                                       .max = NAN,
                                                       .level = from->level,
                                                       .suppressed = from->suppressed,
                                                       .calls_deviation = sqrt(from->variance),
                                                       .exact = !from->inexact && !from->suppressed};
        b->tree->counting.sampled += from->suppressed && from->variance > 0;
    }
    free(order);
    return b->tree->functions != NULL;
}

/* --- Nodes: sums over the tree ------------------------------------------------------------------------------------ */

/* "a > b", a function that calls itself once; NULL: none, or out of memory. */
static const char *native_text(const struct tree_builder *b, struct native_frames frames)
{
    char text[4096];
    size_t length = 0;
    const char *last = NULL;
    for (uint32_t i = 0; i < frames.count; i++) {
        const char *name = b->functions.functions[b->natives[frames.first + i]].name;
        if (!name || (last && !strcmp(last, name)))
            continue;
        int n = snprintf(text + length, sizeof text - length, last ? " > %s" : "%s", name);
        if (n < 0 || (size_t)n >= sizeof text - length)
            break; /* very long template names: the outer ones are shown */
        length += (size_t)n;
        last = name;
    }
    text[length] = 0;
    return length ? text_pool_copy(b->texts, text, length) : NULL;
}

/* Turns what others left in node i into all that is uncertain in it (uncertainty.h, with the counts multiplied in), and
 * adds what it leaves in its parent. Every activation reads the clock twice. */
static void complete_errors(struct tree_builder *b, size_t i)
{
    struct tree_node *n = &b->nodes[i], *parent = &b->nodes[n->parent];
    union node_work *work = &b->work[i], *above = &b->work[n->parent];
    bool paper = b->model == PCOMP_MODEL_PAPER;
    double clock = 2 * b->clock_variance, reads = clock * (double)(n->calls - n->open);
    struct pcomp_parts error = {(double)work->part.own_error, (double)work->part.descendant_error,
                                (double)work->part.direct_error},
                       variance = {(double)work->part.own_variance, (double)work->part.descendant_variance,
                                   (double)work->part.direct_variance};
    struct pcomp_uncertainty own = {error.own, variance.own},
                             children = {n->exclusive.uncertainty, work->part.children_variance};
    struct node_errors errors = {{n->inclusive.uncertainty, work->part.below_variance}, children};
    if (n->parent) {
        parent->inclusive.uncertainty += errors.inclusive.systematic + error.descendant;
        parent->exclusive.uncertainty += pcomp_error_in_parent(b->model, error);
        above->part.below_variance += errors.inclusive.variance + variance.descendant;
        above->part.children_variance += pcomp_error_in_parent(b->model, variance);
    }
    pcomp_uncertainty_add(&errors.inclusive, own);
    pcomp_uncertainty_add(paper ? &errors.inclusive : &errors.exclusive, paper ? children : own);
    errors.inclusive.variance += reads;
    errors.exclusive.variance += reads + clock * (double)n->children;
    if (!n->parent) { /* the root is the sum of its activations */
        parent->inclusive.uncertainty += errors.inclusive.systematic;
        above->part.below_variance += errors.inclusive.variance;
    }
    work->errors = errors;
    n->inclusive.uncertainty = pcomp_uncertainty_half_width(errors.inclusive);
    n->exclusive.uncertainty = pcomp_uncertainty_half_width(errors.exclusive);
}

/* Completes node i, all children of which are complete, and adds it to its parent. */
static void complete_node(struct tree_builder *b, size_t i)
{
    struct tree_node *n = &b->nodes[i], *parent = &b->nodes[n->parent];
    struct tree_times *in = &n->inclusive, *ex = &n->exclusive;
    bool paper = b->model == PCOMP_MODEL_PAPER;
    struct pcomp_parts calls = {in->own, ex->own, ex->descendants};

    complete_errors(b, i);
    if (b->rederive)
        in->compensated = in->raw - pcomp_parts_inclusive(in->own, in->descendants, in->direct);
    ex->raw += in->raw;
    ex->compensated += in->compensated;
    if (b->exclusive) {
        ex->raw = b->exclusive[i].raw;
        ex->compensated = b->rederive ? ex->raw : b->exclusive[i].compensated;
    } else if (paper) {
        ex->compensated = ex->raw - ex->direct;
    }
    ex->own = pcomp_parts_in_exclusive(b->model, in->own);
    ex->descendants = 0;
    if (b->other_model || !(n->min <= n->max))
        n->min = n->max = NAN;
    spread_finish_node(b, n);
    if (b->off_cpu_missing) /* what only some of the files tell */
        ex->waiting = ex->ready = 0;
    in->waiting += ex->waiting;
    in->ready += ex->ready;
    parent->inclusive.waiting += in->waiting;
    parent->inclusive.ready += in->ready;

    parent->descendants += n->calls + n->descendants;
    parent->children += n->calls;
    parent->exclusive.raw -= in->raw;
    parent->exclusive.compensated -= in->compensated;
    if (!n->parent) {
        parent->inclusive.own += in->own;
        parent->inclusive.descendants += in->descendants;
        parent->inclusive.direct += in->direct;
        return;
    }
    parent->inclusive.descendants += calls.descendant + in->descendants;
    parent->inclusive.direct += calls.direct;
    parent->exclusive.direct += pcomp_parts_in_parent(b->model, calls);
}

static void complete_root(struct tree_builder *b)
{
    struct tree_node *root = &b->nodes[0];
    root->parent = NO_NODE;
    root->inclusive.raw = -root->exclusive.raw;
    root->inclusive.compensated = -root->exclusive.compensated;
    root->inclusive.uncertainty = pcomp_uncertainty_half_width(
        (struct pcomp_uncertainty){root->inclusive.uncertainty, b->work[0].part.below_variance});
    root->exclusive = (struct tree_times){0};
    root->min = root->max = NAN;
}

/* False: out of memory. */
static bool complete_nodes(struct tree_builder *b, const uint32_t *place)
{
    counting_node_place(b);
    for (size_t i = b->node_count; i-- > 1;)
        complete_node(b, i);
    complete_root(b);
    if (!stack_times_share(b))
        return false;
    for (size_t i = b->node_count; i-- > 0;)
        b->nodes[i].function = place[b->nodes[i].function];
    for (size_t i = 1; b->sites && i < b->node_count; i++)
        if (b->sites[i] != NO_NODE)
            b->nodes[i].call_site = b->functions.functions[b->sites[i]].name;
    for (size_t i = 1; b->frames && i < b->node_count; i++)
        b->nodes[i].native = native_text(b, b->frames[i]);
    return true;
}

static bool sum_counters(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    size_t count = tree->counter_count;
    if (!count)
        return true;
    struct tree_counter *all = calloc(tree->node_count * count, sizeof *all);
    if (!all)
        return false;
    for (size_t i = tree->node_count; i-- > 0;) {
        struct tree_node *n = &tree->nodes[i];
        n->counters = &all[i * count];
        for (size_t c = 0; c < count; c++) {
            struct tree_counter *mine = &n->counters[c];
            const struct build_counter *from = &b->counters[i * count + c];
            /* until here, exclusive is what the children took, negative */
            double below_raw = -mine->raw_exclusive, below = -mine->compensated_exclusive;
            /* an activation that is still open has no count of its own yet: it has at least that of its children */
            bool partial = n->open || !i;
            mine->raw_inclusive = partial ? fmax(from->raw, below_raw) : from->raw;
            mine->compensated_inclusive = b->model == PCOMP_MODEL_NONE ? mine->raw_inclusive
                                          : partial                    ? fmax(from->compensated, below)
                                                                       : from->compensated;
            mine->raw_exclusive += mine->raw_inclusive;
            mine->compensated_exclusive += mine->compensated_inclusive;
            double own = b->counter_error[c].own * (double)n->calls, call = b->counter_error[c].descendant;
            mine->uncertainty_inclusive =
                pcomp_uncertainty_half_width((struct pcomp_uncertainty){own + call * (double)n->descendants, 0});
            mine->uncertainty_exclusive =
                pcomp_uncertainty_half_width((struct pcomp_uncertainty){own + call * (double)n->children, 0});
            if (i) {
                struct tree_counter *above = &all[n->parent * count + c];
                above->raw_exclusive -= mine->raw_inclusive;
                above->compensated_exclusive -= mine->compensated_inclusive;
            }
        }
    }
    return true;
}

/* --- Threads and totals ------------------------------------------------------------------------------------------- */

static void finish_threads(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    for (size_t i = 0; i < tree->thread_count; i++) {
        struct tree_thread *t = &tree->threads[i];
        const struct build_thread *sums = &b->threads[i];
        if (b->rederive) /* with what counting calls cost */
            t->compensated = t->raw - sums->terms;
        t->overhead = t->raw - t->compensated;
        if (b->off_cpu_missing)
            t->waiting = t->ready = 0;
        t->uncertainty = pcomp_uncertainty_half_width((struct pcomp_uncertainty){sums->error, sums->variance});
        if (!sums->creator_count)
            continue;
        size_t length = 0;
        for (uint32_t k = 0; k < sums->creator_count; k++)
            length += strlen(b->functions.functions[sums->creator[k]].name) + 3;
        char *text = malloc(length + 1), *end = text;
        if (!text)
            continue;
        for (uint32_t k = sums->creator_count; k-- > 0;) {
            if (end != text)
                end = stpcpy(end, " > ");
            end = stpcpy(end, b->functions.functions[sums->creator[k]].name);
        }
        t->creator = text_pool_copy(b->texts, text, (size_t)(end - text));
        free(text);
    }
}

/* Rank 0, or the process that began first, a forked one only when there is no other. */
static size_t choose_main(const struct tree_builder *b)
{
    size_t best = 0;
    for (size_t i = 1; i < b->tree->process_count; i++) {
        const struct build_process *p = &b->processes[i], *q = &b->processes[best];
        bool zero = b->tree->processes[i].rank == 0, best_zero = b->tree->processes[best].rank == 0;
        if (zero != best_zero ? zero : p->forked != q->forked ? !p->forked : p->start_ns < q->start_ns)
            best = i;
    }
    return best;
}

static void add_total(struct tree_totals *total, const struct tree_thread *t)
{
    total->calls += t->calls;
    total->calls_partial |= t->calls_partial;
    total->raw += t->raw;
    total->compensated += t->compensated;
    total->overhead += t->overhead;
    total->waiting += t->waiting;
    total->ready += t->ready;
    total->uncertainty += t->uncertainty; /* one calibration: errors of one sign */
}

/* Functions are counted in the same windows, with one price of their probes: errors of one sign. Calls that a trace
 * lacks are in no total. */
static double calls_half(const struct call_tree *tree)
{
    double half = 0;
    for (size_t i = 0; i < tree->function_count; i++)
        if (!tree->functions[i].suppressed)
            half += PCOMP_NORMAL_95 * tree->functions[i].calls_deviation + (double)tree->functions[i].calls_inexact;
    return half;
}

static void finish_totals(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    uint64_t lost = b->found.lost_calls + b->found.late_calls;
    tree->total.lost_events = tree->total_all_threads.lost_events = lost;
    if (!tree->process_count)
        return;
    size_t main_process = choose_main(b), chosen = SIZE_MAX;
    tree->processes[main_process].main = true;
    tree->begun = b->processes[main_process].start_ns;
    memcpy(tree->delta, b->processes[main_process].delta, sizeof tree->delta);
    tree->clock_pair = b->processes[main_process].clock_pair;
    tree->how.calibration_file = b->processes[main_process].calibration_file;
    for (size_t i = 0; i < tree->thread_count; i++) {
        add_total(&tree->total_all_threads, &tree->threads[i]);
        if (b->threads[i].process == main_process && (chosen == SIZE_MAX || tree->threads[i].main))
            chosen = i;
    }
    tree->total_all_threads.calls += b->counting.more;
    tree->total_all_threads.calls_partial &= b->options->thread != 0;
    tree->total_all_threads.calls_half = b->options->thread ? 0 : calls_half(tree);
    if (chosen != SIZE_MAX)
        add_total(&tree->total, &tree->threads[chosen]);
    if (tree->thread_count == 1)
        tree->total.calls_half = tree->total_all_threads.calls_half;
    for (size_t i = 0; i < tree->thread_count; i++) /* which of them it was is no question of their sum */
        tree->threads[i].uncertainty = hypot(tree->threads[i].uncertainty, b->threads[i].split);
    if (chosen != SIZE_MAX)
        tree->total.uncertainty = tree->threads[chosen].uncertainty;
}

static void finish_how(struct tree_builder *b)
{
    const struct tree_delta *timed = &b->tree->delta[PCOMP_VARIANT_REPEAT];
    const struct tree_totals *all = &b->tree->total_all_threads;
    struct tree_how *how = &b->tree->how;
    b->tree->mode = how->replayed ? "replayed" : b->counts ? "auto" : "full";
    how->timed_share = b->counts && all->calls ? 1 - (double)b->tree->counting.calls / (double)all->calls : 1;
    how->call_overhead = timed->descendant;
    how->call_uncertainty = pcomp_uncertainty_half_width((struct pcomp_uncertainty){timed->descendant_spread, 0});
}

bool tree_finish(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    struct name_options names = {.symbols = !b->without_symbols && !b->options->totals_alone,
                                 .want_lines = b->options->want_lines,
                                 .names = b->options->names,
                                 .warn = warn_of_module,
                                 .context = b};
    if (!merge_counts_prepare(b) || !function_table_resolve(&b->functions, b->texts, &names))
        return false;
    uint32_t *place = malloc(b->functions.count * sizeof *place);
    bool ok = place && list_functions(b, place);
    if (ok) {
        ok = complete_nodes(b, place);
        tree->nodes = b->nodes; /* the tree's from here on */
        ok = ok && spread_finish_longest(b);
        tree->node_count = b->node_count;
        tree->model = b->model;
        tree->knows_waiting = b->any && !b->off_cpu_missing;
        tree->owners = b->owners;
        b->nodes = NULL;
        b->owners = NULL;
        ok = ok && sum_counters(b) && tree_sort_siblings(tree) && tree_sum_functions(tree, b->work);
    }
    if (ok) {
        stack_times_finish(b, place);
        merge_counts_finish(b, place);
        finish_threads(b);
        finish_totals(b);
        widen_times_finish(b);
        finish_how(b);
        ok = merge_costs_finish(b, place);
    }
    free(place);
    return ok;
}
