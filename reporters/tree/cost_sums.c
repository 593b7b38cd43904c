#include "reporters/tree/cost_sums.h"

#include "reporters/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What a process cost as a whole: everything that is no thread's, and no function's, but for samples. */
static struct pcomp_cost process_cost(const struct tree_process *process)
{
    return (struct pcomp_cost){{[PCOMP_COST_SWITCHING] = process->switching,
                                [PCOMP_COST_STARTUP] = process->startup,
                                [PCOMP_COST_EXIT] = process->closing}};
}

/* The thread of a process that its start and end fall to; SIZE_MAX: it was not read. */
static size_t thread_of(const struct call_tree *tree, const struct tree_process *process)
{
    for (size_t i = 0; i < tree->thread_count; i++)
        if (tree->threads[i].pid == process->pid && tree->threads[i].first)
            return i;
    return SIZE_MAX;
}

static void finish_part(struct cost_part *part)
{
    part->total = pcomp_cost_total(&part->cost);
    part->share = pcomp_cost_share(part->total, part->own);
}

bool cost_sums_make(struct cost_sums *sums, const struct call_tree *tree)
{
    *sums = (struct cost_sums){.threads = calloc(tree->thread_count + 1, sizeof *sums->threads), .costliest = SIZE_MAX};
    if (!sums->threads)
        return false;
    for (size_t i = 0; i < tree->cost_count; i++)
        pcomp_cost_add(&sums->threads[tree->costs[i].thread].cost, &tree->costs[i].cost);
    for (size_t i = 0; i < tree->process_count; i++) {
        struct pcomp_cost cost = process_cost(&tree->processes[i]);
        size_t thread = thread_of(tree, &tree->processes[i]);
        if (thread != SIZE_MAX)
            pcomp_cost_add(&sums->threads[thread].cost, &cost);
    }
    for (size_t i = 0; i < tree->thread_count; i++) {
        struct cost_part *part = &sums->threads[i];
        part->own = tree->threads[i].compensated;
        part->cost.of[PCOMP_COST_SAMPLING] += tree->threads[i].sampling;
        finish_part(part);
        pcomp_cost_add(&sums->all.cost, &part->cost);
        sums->all.own += part->own;
        if (!isnan(part->share) && (sums->costliest == SIZE_MAX || part->share > sums->threads[sums->costliest].share))
            sums->costliest = i;
    }
    finish_part(&sums->all);
    return true;
}

void cost_sums_free(struct cost_sums *sums)
{
    free(sums->threads);
    *sums = (struct cost_sums){.costliest = SIZE_MAX};
}

const char *cost_sums_line(const struct cost_sums *sums, char *buffer)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    snprintf(buffer, COST_LINE, "observed cost: %s (%s of the program's own time)", text_time(a, sums->all.total),
             text_percent(b, sums->all.share));
    return buffer;
}
