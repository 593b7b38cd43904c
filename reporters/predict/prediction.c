#include "reporters/predict/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Sums --------------------------------------------------------------------------------------------------------- */

static double row_cost(const struct predicted_row *row)
{
    return row->calls * row->price;
}

/* Shares of the threads, as left, into their `share`. */
static void sum_threads(struct prediction *p, double *costs)
{
    for (size_t t = 0; t < p->thread_count; t++)
        costs[t] = p->threads[t].calls = 0;
    for (size_t i = 0; i < p->row_count; i++) {
        const struct predicted_row *row = &p->rows[i];
        if (p->functions[row->function].left_out)
            continue;
        p->threads[row->thread].calls += row->calls;
        costs[row->thread] += row_cost(row);
    }
    p->costliest = SIZE_MAX;
    for (size_t t = 0; t < p->thread_count; t++) {
        struct predicted_thread *thread = &p->threads[t];
        thread->share = pcomp_predicted_share(&p->prices, p->mode, costs[t], thread->own);
        thread->share += thread->own > 0 ? thread->once / thread->own : NAN;
        if (!isnan(thread->share) && (p->costliest == SIZE_MAX || thread->share > p->threads[p->costliest].share))
            p->costliest = t;
    }
}

/* What the functions cost: of each thread its share, in proportion to what their calls cost without a limit. */
static void sum_functions(struct prediction *p, const double *costs)
{
    for (size_t i = 0; i < p->row_count; i++) {
        const struct predicted_row *row = &p->rows[i];
        const struct predicted_thread *thread = &p->threads[row->thread];
        struct predicted_function *function = &p->functions[row->function];
        double all = costs[row->thread], cost = thread->share * thread->own - thread->once;
        function->calls += row->calls;
        function->cost += all > 0 && !isnan(cost) ? cost * row_cost(row) / all : 0;
    }
}

/* Calls of the threads that a trace records. */
static void sum_recorded(struct prediction *p)
{
    for (size_t t = 0; t < p->thread_count; t++)
        p->threads[t].recorded = 0;
    for (size_t i = 0; i < p->row_count; i++) {
        const struct predicted_row *row = &p->rows[i];
        struct predicted_thread *thread = &p->threads[row->thread];
        if (!p->functions[row->function].filtered)
            thread->recorded += pcomp_predicted_not_counted(&p->prices, p->mode, row->calls, thread->own);
    }
    for (size_t t = 0; t < p->thread_count; t++)
        p->threads[t].recorded =
            fmin(p->threads[t].recorded, pcomp_predicted_recorded_max(&p->prices, p->threads[t].own));
}

void prediction_sum(struct prediction *p)
{
    double *costs = calloc(p->thread_count + 1, sizeof *costs);
    p->own = p->calls = p->cost = p->once = 0;
    p->share = NAN;
    p->costliest = SIZE_MAX;
    if (!costs)
        return;
    sum_threads(p, costs);
    for (size_t f = 0; f < p->function_count; f++)
        p->functions[f].calls = p->functions[f].cost = 0;
    sum_functions(p, costs);
    sum_recorded(p);
    for (size_t t = 0; t < p->thread_count; t++) {
        const struct predicted_thread *thread = &p->threads[t];
        p->own += thread->own;
        p->calls += thread->calls;
        p->once += thread->once;
        p->cost += isnan(thread->share) ? thread->once : thread->share * thread->own;
    }
    p->share = p->own > 0 ? p->cost / p->own : NAN;
    free(costs);
}

/* --- What would fit ----------------------------------------------------------------------------------------------- */

struct candidate {
    uint32_t function;
    double cost; /* in the costliest thread */
};

static int costliest_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost ? -1 : 1)
                              : (x->function > y->function) - (x->function < y->function);
}

/* Functions of a thread that may be left out, the costliest first; returns how many. */
static size_t candidates_of(const struct prediction *p, size_t thread, struct candidate *list)
{
    size_t count = 0;
    for (size_t i = 0; i < p->row_count; i++) {
        const struct predicted_row *row = &p->rows[i];
        if (row->thread == thread && !p->functions[row->function].left_out && row_cost(row) > 0)
            list[count++] = (struct candidate){row->function, row_cost(row)};
    }
    qsort(list, count, sizeof *list, costliest_first);
    return count;
}

bool prediction_fit(struct prediction *p, double budget)
{
    double *costs = calloc(p->thread_count + 1, sizeof *costs);
    struct candidate *list = calloc(p->row_count + 1, sizeof *list);
    bool good = costs && list;
    size_t now = p->costliest, next = 0, count = 0, of = SIZE_MAX;
    double before = now == SIZE_MAX ? NAN : p->threads[now].share;
    double *shares = calloc(p->thread_count + 1, sizeof *shares), *calls = calloc(p->thread_count + 1, sizeof *calls);
    good = good && shares && calls;
    for (size_t t = 0; good && t < p->thread_count; t++) {
        shares[t] = p->threads[t].share;
        calls[t] = p->threads[t].calls;
    }
    p->share_then = before;
    while (good && p->costliest != SIZE_MAX && (p->share_then = p->threads[p->costliest].share) > budget) {
        if (of != p->costliest) {
            of = p->costliest;
            count = candidates_of(p, of, list);
            next = 0;
        }
        while (next < count && p->functions[list[next].function].left_out)
            next++;
        if (next == count)
            break; /* what is left is paid once */
        p->functions[list[next++].function].left_out = true;
        p->left_out++;
        sum_threads(p, costs);
    }
    p->fits_then = !(p->share_then > budget);
    for (size_t t = 0; good && t < p->thread_count; t++) { /* as they are now */
        p->threads[t].share = shares[t];
        p->threads[t].calls = calls[t];
    }
    p->costliest = now;
    free(costs);
    free(list);
    free(shares);
    free(calls);
    return good;
}

void prediction_free(struct prediction *p)
{
    for (size_t f = 0; f < p->function_count; f++) {
        free(p->functions[f].name);
        free(p->functions[f].file);
        free(p->functions[f].module);
    }
    free(p->functions);
    free(p->threads);
    free(p->rows);
    *p = (struct prediction){0};
}
