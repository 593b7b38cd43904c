#include "compensation/cost/uncertainty.h"

#include "compensation/numeric/t_quantile.h"

#include <stddef.h>

/* Built with -fno-math-errno: one instruction, no library. */
static double square_root(double x)
{
    return __builtin_sqrt(x);
}

static double fixed_to_ticks(int64_t fixed)
{
    return (double)fixed / (1 << PCOMP_FIX_SHIFT);
}

static double systematic_error(double spread, int64_t start, const int64_t *exit)
{
    double drift = exit == NULL ? 0 : fixed_to_ticks(*exit) - fixed_to_ticks(start);

    return square_root(spread * spread + drift * drift / 3);
}

/* Of one call, from the spread of a mean of `batch` calls. A batch of 0 (deltas from a file) counts as 1. */
static double call_variance(double spread, uint64_t batch)
{
    return spread * spread * (batch == 0 ? 1.0 : (double)batch);
}

static struct pcomp_parts systematic_of(const struct pcomp_delta *start, const struct pcomp_delta *exit)
{
    if (exit != NULL && exit->repetitions == 0)
        exit = NULL;
    return (struct pcomp_parts){
        systematic_error(fixed_to_ticks(start->own_spread), start->own, exit ? &exit->own : NULL),
        systematic_error(fixed_to_ticks(start->descendant_spread), start->descendant, exit ? &exit->descendant : NULL),
        systematic_error(fixed_to_ticks(start->direct_spread), start->direct, exit ? &exit->direct : NULL),
    };
}

static struct pcomp_parts variance_of(const struct pcomp_delta *delta)
{
    return (struct pcomp_parts){
        call_variance(fixed_to_ticks(delta->own_spread), delta->batch),
        call_variance(fixed_to_ticks(delta->descendant_spread), delta->batch),
        call_variance(fixed_to_ticks(delta->direct_spread), delta->batch),
    };
}

/* The errors belong to the same costs as the charges of pcomp_model_init. */
static struct pcomp_parts under_model(enum pcomp_model model, struct pcomp_parts error)
{
    if (model == PCOMP_MODEL_PAPER)
        error.own = error.descendant;
    else
        error.direct = 0;
    return error;
}

void pcomp_error_model_init(struct pcomp_error_model *out, enum pcomp_model model,
                            const struct pcomp_delta start[PCOMP_VARIANTS],
                            const struct pcomp_delta exit[PCOMP_VARIANTS], double clock_step)
{
    *out = (struct pcomp_error_model){.model = PCOMP_MODEL_NONE, .clock_variance = clock_step * clock_step / 12};
    if (model != PCOMP_MODEL_PAPER && model != PCOMP_MODEL_SPLIT)
        return;
    out->model = model;
    for (int v = 0; v < PCOMP_VARIANTS; v++) {
        int used = model == PCOMP_MODEL_PAPER ? PCOMP_VARIANT_REPEAT : v;

        if (model == PCOMP_MODEL_PAPER && v == PCOMP_VARIANT_SKIP)
            continue;
        out->systematic[v] = under_model(model, systematic_of(&start[used], exit ? &exit[used] : NULL));
        out->variance[v] = under_model(model, variance_of(&start[used]));
    }
    out->systematic[PCOMP_VARIANT_SKIP].own = 0;
    out->variance[PCOMP_VARIANT_SKIP].own = 0;
}

double pcomp_uncertainty_half_width(struct pcomp_uncertainty uncertainty)
{
    return PCOMP_NORMAL_95 * square_root(uncertainty.systematic * uncertainty.systematic + uncertainty.variance);
}
