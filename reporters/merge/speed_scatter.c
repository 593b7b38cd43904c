/* Another run of the program on the same machine takes longer or shorter: as far as this run could tell by how much,
 * the uncertainty of each time on the processor allows for it. */
#include "reporters/merge/speed_scatter.h"

#include <math.h>

#define NORMAL_95 1.96
#define MOST      0.5 /* a greater one is damaged */

void speed_scatter_note(struct tree_builder *b, const struct pcomp_header *h)
{
    if (h->flags & PCOMP_FLAG_COUNTS && h->speed_scatter > b->found.speed_scatter && h->speed_scatter < MOST)
        b->found.speed_scatter = h->speed_scatter;
}

static void widen(struct tree_times *times, double scatter)
{
    double off = isnan(times->waiting) ? 0 : times->waiting;
    times->uncertainty = hypot(times->uncertainty, scatter * (times->compensated - off));
}

static void widen_total(struct tree_totals *total, double scatter)
{
    total->uncertainty = hypot(total->uncertainty, scatter * (total->compensated - total->waiting));
}

void speed_scatter_finish(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    double scatter = NORMAL_95 * b->found.speed_scatter;
    if (!(scatter > 0) || tree->model == PCOMP_MODEL_NONE)
        return;
    for (size_t i = 1; i < tree->node_count; i++) {
        widen(&tree->nodes[i].inclusive, scatter);
        widen(&tree->nodes[i].exclusive, scatter);
    }
    for (size_t i = 1; i < tree->function_count; i++) {
        struct tree_function *f = &tree->functions[i];
        widen(&f->inclusive, scatter);
        widen(&f->exclusive, scatter);
        f->resolved = f->resolved && fabs(f->inclusive.compensated) > f->inclusive.uncertainty;
    }
    for (size_t i = 0; i < tree->thread_count; i++) {
        struct tree_thread *t = &tree->threads[i];
        t->uncertainty = hypot(t->uncertainty, scatter * (t->compensated - t->waiting));
    }
    widen_total(&tree->total, scatter);
    widen_total(&tree->total_all_threads, scatter);
}
