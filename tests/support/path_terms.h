/* Terms and uncertainty of one call path from its counts, put together from the parts that the tree of the reporters
 * adds up node by node. */
#ifndef PCOMP_TEST_PATH_TERMS_H
#define PCOMP_TEST_PATH_TERMS_H

#include "compensation/cost/uncertainty.h"

struct path_counts {
    struct pcomp_calls self;        /* the path itself: N */
    struct pcomp_calls descendants; /* all nodes below it: M */
    struct pcomp_calls children;    /* its direct children: L */
};

struct path_terms { /* fixed-point ticks */
    int64_t own, descendants, direct;
};

static inline void path_calls_add(struct pcomp_calls *sum, const struct pcomp_calls *part)
{
    for (int v = 0; v < PCOMP_VARIANTS; v++)
        sum->calls[v] += part->calls[v];
    sum->slow_ticks += part->slow_ticks;
}

static inline struct pcomp_parts path_charge(const struct pcomp_online_model *model, const struct pcomp_calls *calls)
{
    struct pcomp_parts a_call[PCOMP_VARIANTS];
    for (int v = 0; v < PCOMP_VARIANTS; v++)
        a_call[v] = (struct pcomp_parts){(double)model->charge[v].own, (double)model->charge[v].descendant,
                                         (double)model->charge[v].direct};
    return pcomp_parts_of_calls(a_call, (double)model->slow, calls);
}

/* Sums of fixed-point ticks are whole numbers. */
static inline int64_t whole(double fixed)
{
    return (int64_t)fixed;
}

static inline struct path_terms path_terms_inclusive(const struct pcomp_online_model *model,
                                                     const struct path_counts *counts)
{
    return (struct path_terms){whole(path_charge(model, &counts->self).own),
                               whole(path_charge(model, &counts->descendants).descendant),
                               whole(path_charge(model, &counts->children).direct)};
}

static inline struct path_terms path_terms_exclusive(const struct pcomp_online_model *model,
                                                     const struct path_counts *counts)
{
    return (struct path_terms){
        .own = whole(pcomp_parts_in_exclusive(model->model, path_charge(model, &counts->self).own)),
        .direct = whole(pcomp_parts_in_parent(model->model, path_charge(model, &counts->children)))};
}

static inline int64_t path_terms_total(struct path_terms terms)
{
    return whole(pcomp_parts_inclusive((double)terms.own, (double)terms.descendants, (double)terms.direct));
}

static inline double path_clock_reads(const struct pcomp_calls *part)
{
    return 2 * (double)(part->calls[PCOMP_VARIANT_REPEAT] + part->calls[PCOMP_VARIANT_LOOKUP]);
}

static inline struct pcomp_uncertainty path_uncertainty_inclusive(const struct pcomp_error_model *errors,
                                                                  const struct path_counts *counts)
{
    const struct pcomp_parts *of[] = {errors->systematic, errors->variance};
    double sum[2];
    for (int i = 0; i < 2; i++)
        sum[i] = pcomp_parts_of_calls(of[i], 0, &counts->self).own +
                 pcomp_parts_of_calls(of[i], 0, &counts->descendants).descendant +
                 pcomp_parts_of_calls(of[i], 0, &counts->children).direct;
    return (struct pcomp_uncertainty){sum[0], sum[1] + errors->clock_variance * path_clock_reads(&counts->self)};
}

static inline struct pcomp_uncertainty path_uncertainty_exclusive(const struct pcomp_error_model *errors,
                                                                  const struct path_counts *counts)
{
    const struct pcomp_parts *of[] = {errors->systematic, errors->variance};
    double sum[2], reads = path_clock_reads(&counts->self) + path_clock_reads(&counts->children);
    for (int i = 0; i < 2; i++)
        sum[i] = pcomp_parts_in_exclusive(errors->model, pcomp_parts_of_calls(of[i], 0, &counts->self).own) +
                 pcomp_error_in_parent(errors->model, pcomp_parts_of_calls(of[i], 0, &counts->children));
    return (struct pcomp_uncertainty){sum[0], sum[1] + errors->clock_variance * reads};
}

#endif
