#include "reporters/live/live_rates.h"

#include "compensation/numeric/t_quantile.h"
#include "reporters/base/sorted_indices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS 1e9

static struct live_figures of_times(const struct call_tree *tree, const struct tree_times *t)
{
    bool known = tree->knows_waiting;
    return (struct live_figures){.raw = t->raw,
                                 .compensated = t->compensated,
                                 .half = t->uncertainty,
                                 .computing = known ? t->compensated - t->waiting - t->ready : t->compensated,
                                 .waiting = known ? t->waiting : NAN,
                                 .ready = known ? t->ready : NAN};
}

/* Computing that one sample stands for, where samples tell the time of the function. */
static double period_of(const struct call_tree *tree, const struct tree_function *f)
{
    const struct tree_totals *t = &tree->total_all_threads;
    bool sampled = f->level == LEVEL_COUNTED || f->level == LEVEL_SAMPLED;
    double computing = t->compensated - t->waiting - t->ready;
    return sampled && tree->how.stack_samples > 0 && computing > 0 ? computing / tree->how.stack_samples : 0;
}

/* Calls that were counted in place are on no call path, and of no thread. */
static double known_calls(uint64_t calls)
{
    return calls ? (double)calls : NAN;
}

struct live_figures live_function_figures(const struct call_tree *tree, uint32_t function, bool inclusive)
{
    const struct tree_function *f = &tree->functions[function];
    struct live_figures figures = of_times(tree, inclusive ? &f->inclusive : &f->exclusive);
    figures.calls = known_calls(f->off ? 0 : f->calls);
    figures.calls_half = PCOMP_NORMAL_95 * f->calls_deviation;
    figures.period = period_of(tree, f);
    return figures;
}

struct live_figures live_thread_figures(const struct call_tree *tree, size_t thread)
{
    const struct tree_thread *t = &tree->threads[thread];
    struct live_figures figures = of_times(tree, &(struct tree_times){.raw = t->raw,
                                                                      .compensated = t->compensated,
                                                                      .uncertainty = t->uncertainty,
                                                                      .waiting = t->waiting,
                                                                      .ready = t->ready});
    figures.calls = t->calls_partial ? NAN : (double)t->calls;
    return figures;
}

struct live_figures live_edge_figures(const struct call_tree *tree, const struct call_edge *edge)
{
    struct live_figures figures = of_times(tree, &(struct tree_times){.raw = edge->raw,
                                                                      .compensated = edge->compensated,
                                                                      .uncertainty = edge->uncertainty,
                                                                      .waiting = edge->waiting,
                                                                      .ready = edge->ready});
    figures.calls = known_calls(edge->calls);
    figures.period = period_of(tree, &tree->functions[edge->callee]);
    return figures;
}

struct live_figures live_total_figures(const struct call_tree *tree)
{
    const struct tree_totals *t = &tree->total_all_threads;
    struct live_figures figures = of_times(tree, &(struct tree_times){.raw = t->raw,
                                                                      .compensated = t->compensated,
                                                                      .uncertainty = t->uncertainty,
                                                                      .waiting = t->waiting,
                                                                      .ready = t->ready});
    figures.calls = t->calls_partial ? NAN : (double)t->calls;
    figures.calls_half = t->calls_half;
    return figures;
}

static double went(double before, double now, double half)
{
    double by = now - before;
    return by < 0 && -by > half ? NAN : by;
}

struct live_figures live_rate(const struct live_figures *before, const struct live_figures *now, double seconds)
{
    static const struct live_figures nothing = {0};
    const struct live_figures *b = before ? before : &nothing;
    struct live_figures d = {
        .calls_half = sqrt(fabs(now->calls_half * now->calls_half - b->calls_half * b->calls_half)), /* windows */
        .raw = went(b->raw, now->raw, 0)};
    double sampled = PCOMP_NORMAL_95 * sqrt(fmax(now->computing - b->computing, now->period) * now->period);
    d.half = hypot(now->half - b->half, sampled);
    d.calls = went(b->calls, now->calls, d.calls_half);
    d.compensated = went(b->compensated, now->compensated, d.half);
    d.computing = went(b->computing, now->computing, d.half);
    d.waiting = went(b->waiting, now->waiting, d.half);
    d.ready = went(b->ready, now->ready, d.half);
    double *values[] = {&d.calls, &d.calls_half, &d.raw, &d.compensated, &d.half, &d.computing, &d.waiting, &d.ready};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] /= seconds;
    return d;
}

/* --- The same ones ----------------------------------------------------------------------------------------------- */

static bool same_process(const struct tree_process *a, const struct tree_process *b)
{
    return a->pid == b->pid && a->file && b->file && !strcmp(a->file, b->file);
}

double live_seconds_between(const struct live_snapshot *before, const struct live_snapshot *now)
{
    double longest = 0;
    for (size_t i = 0; i < before->tree->process_count; i++) {
        bool there = false;
        for (size_t k = 0; k < now->tree->process_count && !there; k++)
            there = same_process(&before->tree->processes[i], &now->tree->processes[k]);
        if (!there)
            return NAN;
    }
    for (size_t i = 0; i < now->tree->thread_count; i++) {
        uint32_t was = live_match_thread(before->tree, now->tree, i);
        double wall = now->tree->threads[i].wall - (was == LIVE_NONE ? 0 : before->tree->threads[was].wall);
        longest = fmax(longest, wall);
    }
    double passed = now->taken - before->taken;
    return longest > 0 && passed > 0 ? fmin(longest / NS, passed) : NAN;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

static int compare_functions(const struct tree_function *a, const struct tree_function *b)
{
    int order = strcmp(a->name, b->name);
    order = order ? order : strcmp(text_or_none(a->module), text_or_none(b->module));
    return order ? order : strcmp(text_or_none(a->linkage_name), text_or_none(b->linkage_name));
}

static int compare_indices(const void *x, const void *y, void *functions)
{
    const struct tree_function *list = functions;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    int order = compare_functions(&list[a], &list[b]);
    return order ? order : (a > b) - (a < b);
}

uint32_t *live_match_functions(const struct call_tree *before, const struct call_tree *now)
{
    uint32_t *old = sorted_indices(before->function_count, compare_indices, before->functions),
             *new = sorted_indices(now->function_count, compare_indices, now->functions);
    uint32_t *matches = malloc((now->function_count + 1) * sizeof *matches);
    for (size_t i = 0, k = 0; old && new &&matches &&i < now->function_count; i++) {
        int order = -1;
        while (k < before->function_count &&
               (order = compare_functions(&before->functions[old[k]], &now->functions[new[i]])) < 0)
            k++;
        matches[new[i]] = k < before->function_count && !order ? old[k++] : LIVE_NONE;
    }
    if (!old || !new) {
        free(matches);
        matches = NULL;
    }
    free(old);
    free(new);
    return matches;
}

static bool same_thread(const struct tree_thread *a, const struct tree_thread *b)
{
    return a->pid == b->pid && a->tid == b->tid;
}

/* The kernel gives an id again: threads of one id are in the order in which they began. */
uint32_t live_match_thread(const struct call_tree *before, const struct call_tree *now, size_t thread)
{
    size_t earlier = 0;
    for (size_t i = 0; i < thread; i++)
        earlier += same_thread(&now->threads[i], &now->threads[thread]);
    for (size_t i = 0; i < before->thread_count; i++)
        if (same_thread(&before->threads[i], &now->threads[thread]) && !earlier--)
            return (uint32_t)i;
    return LIVE_NONE;
}
