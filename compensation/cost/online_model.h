/* The online models: what to take away from a measured time, activation by activation and from stored counts.
 *
 * Pure arithmetic, no state of its own; every function is thread-safe. All times are ticks, all costs and results
 * fixed-point ticks (1/1024, PCOMP_FIX_SHIFT), signed and never clamped. docs/model/online.md derives the equations and
 * says when they fail. Uncertainty is in compensation/cost/uncertainty.h.
 *
 *                 enter hook                      exit hook
 *   |---slow---|------R--------|~~~~ body ~~~~|------R--------|      R: the clock is read
 *                     |<------------ raw ----------->|
 *                     |--own---|              |-own--|               the two pieces together
 *              |-- descendant -|              |- descendant --|      the two pieces together
 *
 * Model    inclusive time holds                          exclusive time holds
 * none     nothing                                       nothing
 * paper    N*di + M*di + L*de                            L*de                            (sums do not close)
 * split    N*own + M*descendant + slow                   N*own + L*(descendant - own) + slow of the children
 *
 * where split has one own and one descendant per hook variant, and paper takes di = descendant and de = direct of
 * PCOMP_VARIANT_REPEAT: the published measurement times whole enter/exit pairs in a tight loop. paper knows neither
 * filtered calls nor slow enters, and corrects for none.
 *
 * Per activation. With T a thread's accumulated overhead and F the frame of the activation:
 *   enter:  T += slow_ticks * model.slow;  F.overhead = T
 *   exit:   compensated = pcomp_compensate_activation(raw, T - F.overhead, charge.own)
 *           T += charge.descendant;  parent F.overhead -= charge.direct         (direct is 0 except under paper)
 *   filtered call:  T += charge[PCOMP_VARIANT_SKIP].descendant
 * The exit hook need not know the variant. An enter hook that looked its node up may settle the difference itself,
 *   enter:  T += slow_ticks * model.slow + charge[LOOKUP].descendant - charge[REPEAT].descendant
 *           F.overhead = T - (charge[LOOKUP].own - charge[REPEAT].own)
 * and every exit then charges REPEAT, with the same sums.
 *
 * From stored counts. The sum of `compensated` over the activations of a call path is raw less
 * pcomp_parts_inclusive(...), for all three models; exactly, while the sums of fixed-point ticks are below 2^53.
 *
 * Recursion, for a function that occurs on many call paths: its inclusive time and the three terms that correct it are
 * summed over those of its paths that have no ancestor of the same function (the outermost activations); its exclusive
 * time and terms are summed over all its paths; N as shown counts all activations. So the own term of the inclusive
 * time is that of the outermost activations only: inner ones are among M. */
#ifndef PCOMP_ONLINE_MODEL_H
#define PCOMP_ONLINE_MODEL_H

#include "compensation/numeric/delta.h"

#include <stdbool.h>
#include <stdint.h>

struct pcomp_charge {   /* fixed-point ticks a call, under a model */
    int64_t own;        /* in the activation's own raw time */
    int64_t descendant; /* in the raw time of every ancestor, own included */
    int64_t direct;     /* besides, in the raw time of the direct parent alone */
};

struct pcomp_online_model {
    enum pcomp_model model;
    struct pcomp_charge charge[PCOMP_VARIANTS];
    int64_t slow; /* fixed-point ticks charged to every ancestor for a tick of measured slow enter: 1024, or 0 */
};

/* Fills in a model from the deltas of its hook variants. An unknown model (see pcomp_model_name) becomes none. */
void pcomp_model_init(struct pcomp_online_model *out, enum pcomp_model model,
                      const struct pcomp_delta delta[PCOMP_VARIANTS]);

/* "none", "paper" or "split"; NULL for any other value, as a damaged file may hold. */
const char *pcomp_model_name(enum pcomp_model model);

/* False, and *model untouched, when no model has that name. */
bool pcomp_model_from_name(const char *name, enum pcomp_model *model);

/* Compensated inclusive time of one activation: raw_ticks = end - start, descendants = overhead accumulated between,
 * own = charge.own of its variant. Absurd arguments wrap around. */
static inline int64_t pcomp_compensate_activation(int64_t raw_ticks, int64_t descendants, int64_t own)
{
    return (int64_t)(((uint64_t)raw_ticks << PCOMP_FIX_SHIFT) - (uint64_t)descendants - (uint64_t)own);
}

/* Calls of a node of a call-path tree. */
struct pcomp_calls {
    uint64_t calls[PCOMP_VARIANTS];
    uint64_t slow_ticks; /* measured duration of slow enters, ticks */
};

/* The counts of one node as the profile file has them. A skipped (filtered) node has calls alone. `lookups` may exceed
 * `calls` in a file of a live or killed process, and is cut to it. */
struct pcomp_calls pcomp_calls_of_node(uint64_t calls, uint64_t lookups, uint64_t slow_ticks, bool skipped);

/* Charges, or errors of charges, in any unit: of one call, or summed over the calls of nodes. */
struct pcomp_parts {
    double own, descendant, direct; /* as in struct pcomp_charge */
};

/* Sum over the calls of a node. `slow`: what a tick of slow enter adds to `descendant`. */
struct pcomp_parts pcomp_parts_of_calls(const struct pcomp_parts a_call[PCOMP_VARIANTS], double slow,
                                        const struct pcomp_calls *calls);

/* What the model takes away from the inclusive time of a node, from the parts of its own calls (N), of all calls below
 * it (M) and of its direct children (L). */
static inline double pcomp_parts_inclusive(double own, double descendants, double direct)
{
    return own + descendants + direct;
}

/* What own calls have in exclusive time. paper, as printed: the other terms are said to cancel. */
static inline double pcomp_parts_in_exclusive(enum pcomp_model model, double own)
{
    return model == PCOMP_MODEL_PAPER ? 0 : own;
}

/* What the calls of a direct child leave in the exclusive time of its parent. */
static inline double pcomp_parts_in_parent(enum pcomp_model model, struct pcomp_parts child)
{
    return model == PCOMP_MODEL_PAPER ? child.direct : child.descendant - child.own;
}

#endif
