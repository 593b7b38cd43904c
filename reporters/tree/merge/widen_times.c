/* The uncertainty of each time on the processor allows for what no price tells: by how much another run on the same
 * machine may differ, and what exceptions take that pass functions with hook calls. That of a total, and of a
 * thread, allows for the program without sites, whose code lies elsewhere, and for what it may have waited for: other
 * threads and processes, which measuring slowed down: its own waits are shortened by that. The times of functions,
 * whose sum `total_all_threads` is, are those of the program that ran. */
#include "reporters/tree/merge/widen_times.h"

#include "compensation/numeric/t_quantile.h"

#include <math.h>

void widen_times_note(struct tree_builder *b, const struct pcomp_header *h)
{
    if (!b->options->of_set && h->flags & PCOMP_FLAG_COUNTS)
        b->found.speed = fmax(b->found.speed, profile_speed_share(h));
    if (!h->site_sleds)
        b->found.catches += h->catches;
    if (!b->options->of_set)
        b->found.layout = fmax(b->found.layout, profile_layout_share(h));
}

static void widen(struct tree_times *times, double scatter)
{
    double off = isnan(times->waiting) ? 0 : times->waiting;
    times->uncertainty = hypot(times->uncertainty, scatter * (times->compensated - off));
}

/* --- waits ---------------------------------------------------------------------------------------------------------
 */

struct spent { /* of threads */
    double computing, overhead;
};

struct part { /* of a wait: what measuring took of others in it, as expected; a quantity and its ± */
    double expected, uncertainty;
};

/* While a thread waits, others compute, one after the other or at once, and measuring slowed these down. It may have
 * waited for none of that, or for twice what is expected. Their scatter: no more than of what they computed. */
static struct part others_part(double waiting, struct spent own, struct spent all, double scatter)
{
    double computing = all.computing - own.computing, overhead = all.overhead - own.overhead;
    if (!(waiting > 0) || !(computing > 0))
        return (struct part){0, 0};
    double meanwhile = fmin(waiting, computing);
    double expected = overhead > 0 ? meanwhile * overhead / (computing + overhead) : 0;
    return (struct part){expected, hypot(expected, meanwhile * scatter)};
}

static struct spent spent_by(double compensated, double waiting, double ready, double overhead)
{
    return (struct spent){compensated - waiting - ready, overhead};
}

static struct spent spent_by_thread(const struct tree_thread *t)
{
    return spent_by(t->compensated, t->waiting, t->ready, t->overhead);
}

static struct spent spent_in(const struct call_tree *tree)
{
    struct spent sum = {0, 0};
    for (size_t i = 0; i < tree->thread_count; i++) {
        struct spent own = spent_by_thread(&tree->threads[i]);
        sum.computing += own.computing;
        sum.overhead += own.overhead;
    }
    return sum;
}

static struct part thread_waits(const struct tree_thread *t, struct spent all, double scatter)
{
    return others_part(t->waiting, spent_by_thread(t), all, scatter);
}

static struct part total_waits(const struct tree_totals *t, struct spent all, double scatter)
{
    return others_part(t->waiting, spent_by(t->compensated, t->waiting, t->ready, t->overhead), all, scatter);
}

/* Threads may have waited for the same ones: the sum. */
static double all_waits(const struct call_tree *tree, struct spent all, double scatter)
{
    double sum = 0;
    for (size_t i = 0; i < tree->thread_count; i++)
        sum += thread_waits(&tree->threads[i], all, scatter).uncertainty;
    return sum;
}

static double total_wider(const struct tree_totals *total, double scatter, double waits)
{
    return hypot(total->uncertainty, hypot(scatter * (total->compensated - total->waiting), waits));
}

static void shorten_wait(double *compensated, double *waiting, double *overhead, double by)
{
    *compensated -= by;
    *waiting -= by;
    *overhead += by;
}

/* --- replays -------------------------------------------------------------------------------------------------------
 */

/* `uncertainty` is of the events recorded there, whose overhead is part of what was removed. */
static double replayed_wider(double uncertainty, const struct widen_replayed *by, double raw, double compensated)
{
    return hypot(fmax(uncertainty, by->removal * fabs(raw - compensated)), by->outside * compensated);
}

static void widen_replayed(struct tree_times *times, const struct widen_replayed *by)
{
    times->uncertainty = replayed_wider(times->uncertainty, by, times->raw, times->compensated);
}

void widen_times_by(struct call_tree *tree, const struct widen_replayed *by)
{
    for (size_t i = 1; i < tree->node_count; i++) {
        widen_replayed(&tree->nodes[i].inclusive, by);
        widen_replayed(&tree->nodes[i].exclusive, by);
    }
    for (size_t i = 1; i < tree->function_count; i++) {
        struct tree_function *f = &tree->functions[i];
        widen_replayed(&f->inclusive, by);
        widen_replayed(&f->exclusive, by);
        f->resolved = fabs(f->inclusive.compensated) > f->inclusive.uncertainty;
    }
    double of_total = fmax(tree->total.uncertainty, by->total * fabs(tree->total.compensated));
    for (size_t i = 0; i < tree->thread_count; i++) {
        struct tree_thread *t = &tree->threads[i];
        bool is_total = t->compensated == tree->total.compensated && t->uncertainty == tree->total.uncertainty;
        t->uncertainty = is_total ? of_total : replayed_wider(t->uncertainty, by, t->raw, t->compensated);
    }
    tree->total.uncertainty = of_total;
    struct tree_totals *all = &tree->total_all_threads;
    all->uncertainty = replayed_wider(all->uncertainty, by, all->raw, all->compensated);
}

/* --- all -----------------------------------------------------------------------------------------------------------
 */

static void widen_functions(struct call_tree *tree, double scatter)
{
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
}

void widen_times_finish(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    double whole = tree->total_all_threads.compensated;
    double exceptions = whole > 0 ? fmin((double)b->found.catches * WIDEN_CATCH_NS / whole, 1) : 0;
    double scatter = hypot(b->found.speed, exceptions), of_totals = hypot(scatter, b->found.layout);
    struct spent all = spent_in(tree);
    double waits = all_waits(tree, all, of_totals);
    if (!(of_totals > 0 || waits > 0) || tree->model == PCOMP_MODEL_NONE)
        return;
    widen_functions(tree, scatter);
    struct part of_total = total_waits(&tree->total, all, of_totals);
    tree->total_all_threads.uncertainty = total_wider(&tree->total_all_threads, of_totals, waits);
    tree->total.uncertainty = total_wider(&tree->total, of_totals, of_total.uncertainty);
    shorten_wait(&tree->total.compensated, &tree->total.waiting, &tree->total.overhead, of_total.expected);
    for (size_t i = 0; i < tree->thread_count; i++) {
        struct tree_thread *t = &tree->threads[i];
        struct part of_thread = thread_waits(t, all, of_totals);
        t->uncertainty = hypot(t->uncertainty, hypot(of_totals * (t->compensated - t->waiting), of_thread.uncertainty));
        shorten_wait(&t->compensated, &t->waiting, &t->overhead, of_thread.expected);
    }
}
