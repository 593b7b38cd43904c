#include "reporters/advise/call_costs.h"

#include <math.h>
#include <stdlib.h>

/* What leaving functions out does not save. */
static double beside_calls(const struct call_tree *tree)
{
    double cost = 0;
    for (size_t i = 0; i < tree->process_count; i++)
        cost += tree->processes[i].switching + tree->processes[i].sampling;
    return cost;
}

/* Calls of a sampled function are neither timed nor counted while it is in no window: those that were timed are on its
 * call paths. */
static void count_timed(uint64_t *timed, const struct call_tree *tree)
{
    for (size_t i = 0; i < tree->function_count; i++) {
        const struct tree_function *f = &tree->functions[i];
        timed[i] = f->level == LEVEL_SAMPLED || f->in_place > f->calls ? 0 : f->calls - f->in_place;
    }
    for (size_t i = 1; i < tree->node_count; i++)
        if (tree->functions[tree->nodes[i].function].level == LEVEL_SAMPLED)
            timed[tree->nodes[i].function] += tree->nodes[i].calls;
}

bool call_costs_make(struct call_costs *costs, const struct call_tree *tree, double overhead)
{
    const struct tree_counting *counting = &tree->counting;
    *costs = (struct call_costs){.timed_calls = calloc(tree->function_count + 1, sizeof *costs->timed_calls)};
    if (!costs->timed_calls)
        return false;
    count_timed(costs->timed_calls, tree);
    double timed = 0, all = (double)tree->total_all_threads.calls, counted = (double)counting->calls;
    for (size_t i = 0; i < tree->function_count; i++)
        timed += (double)costs->timed_calls[i];
    costs->samples = fmax(fmin(beside_calls(tree), overhead - counting->cost), 0);
    costs->timed = timed > 0 ? (overhead - counting->cost - costs->samples) / timed : 0;
    costs->counted = counted > 0 ? (counting->cost - counting->sites) / counted : 0;
    costs->site = all > 0 ? counting->sites / all : 0;
    return true;
}

void call_costs_free(struct call_costs *costs)
{
    free(costs->timed_calls);
    *costs = (struct call_costs){0};
}

double call_costs_of(const struct call_costs *costs, const struct call_tree *tree, size_t function)
{
    const struct tree_function *f = &tree->functions[function];
    return costs->timed * (double)costs->timed_calls[function] + costs->counted * (double)f->in_place +
           costs->site * (double)f->calls;
}
