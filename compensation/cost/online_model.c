#include "compensation/cost/online_model.h"

#include <stddef.h>
#include <string.h>

static const struct {
    char name[8]; /* no pointer: the table stays read-only without relocation */
    enum pcomp_model model;
} model_names[] = {{"none", PCOMP_MODEL_NONE}, {"paper", PCOMP_MODEL_PAPER}, {"split", PCOMP_MODEL_SPLIT}};

#define MODEL_COUNT (sizeof model_names / sizeof model_names[0])

const char *pcomp_model_name(enum pcomp_model model)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (model_names[i].model == model)
            return model_names[i].name;
    return NULL;
}

bool pcomp_model_from_name(const char *name, enum pcomp_model *model)
{
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        if (strcmp(model_names[i].name, name) == 0) {
            *model = model_names[i].model;
            return true;
        }
    }
    return false;
}

void pcomp_model_init(struct pcomp_online_model *out, enum pcomp_model model,
                      const struct pcomp_delta delta[PCOMP_VARIANTS])
{
    *out = (struct pcomp_online_model){.model = PCOMP_MODEL_NONE};
    if (model == PCOMP_MODEL_PAPER) {
        const struct pcomp_delta *pair = &delta[PCOMP_VARIANT_REPEAT];

        out->model = model;
        for (int v = 0; v < PCOMP_VARIANTS; v++)
            if (v != PCOMP_VARIANT_SKIP)
                out->charge[v] = (struct pcomp_charge){pair->descendant, pair->descendant, pair->direct};
    } else if (model == PCOMP_MODEL_SPLIT) {
        out->model = model;
        out->slow = (int64_t)1 << PCOMP_FIX_SHIFT;
        for (int v = 0; v < PCOMP_VARIANTS; v++)
            out->charge[v] = (struct pcomp_charge){delta[v].own, delta[v].descendant, 0};
        out->charge[PCOMP_VARIANT_SKIP].own = 0; /* a filtered call has no time of its own to correct */
    }
}

struct pcomp_calls pcomp_calls_of_node(uint64_t calls, uint64_t lookups, uint64_t slow_ticks, bool skipped)
{
    struct pcomp_calls node = {{0}, 0};

    if (skipped) {
        node.calls[PCOMP_VARIANT_SKIP] = calls;
        return node;
    }
    if (lookups > calls)
        lookups = calls;
    node.calls[PCOMP_VARIANT_REPEAT] = calls - lookups;
    node.calls[PCOMP_VARIANT_LOOKUP] = lookups;
    node.slow_ticks = slow_ticks;
    return node;
}

void pcomp_calls_add(struct pcomp_calls *sum, const struct pcomp_calls *part)
{
    for (int v = 0; v < PCOMP_VARIANTS; v++)
        sum->calls[v] += part->calls[v];
    sum->slow_ticks += part->slow_ticks;
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? -INT64_MAX : INT64_MAX;
    return sum;
}

static int64_t cost_of(uint64_t count, int64_t cost)
{
    int64_t product;

    if (__builtin_mul_overflow(count, cost, &product))
        return cost < 0 ? -INT64_MAX : INT64_MAX;
    return product;
}

static int64_t own_part(const struct pcomp_online_model *model, const struct pcomp_calls *part)
{
    int64_t sum = 0;

    for (int v = 0; v < PCOMP_VARIANTS; v++)
        sum = add_saturated(sum, cost_of(part->calls[v], model->charge[v].own));
    return sum;
}

static int64_t descendant_part(const struct pcomp_online_model *model, const struct pcomp_calls *part)
{
    int64_t sum = cost_of(part->slow_ticks, model->slow);

    for (int v = 0; v < PCOMP_VARIANTS; v++)
        sum = add_saturated(sum, cost_of(part->calls[v], model->charge[v].descendant));
    return sum;
}

static int64_t direct_part(const struct pcomp_online_model *model, const struct pcomp_calls *part)
{
    int64_t sum = 0;

    for (int v = 0; v < PCOMP_VARIANTS; v++)
        sum = add_saturated(sum, cost_of(part->calls[v], model->charge[v].direct));
    return sum;
}

struct pcomp_terms pcomp_terms_inclusive(const struct pcomp_online_model *model, const struct pcomp_path_counts *counts)
{
    return (struct pcomp_terms){
        .own = own_part(model, &counts->self),
        .descendants = descendant_part(model, &counts->descendants),
        .direct = direct_part(model, &counts->children),
    };
}

struct pcomp_terms pcomp_terms_exclusive(const struct pcomp_online_model *model, const struct pcomp_path_counts *counts)
{
    if (model->model == PCOMP_MODEL_PAPER) /* as printed: everything else is said to cancel */
        return (struct pcomp_terms){.direct = direct_part(model, &counts->children)};
    return (struct pcomp_terms){
        .own = own_part(model, &counts->self),
        .direct = add_saturated(descendant_part(model, &counts->children), -own_part(model, &counts->children)),
    };
}

int64_t pcomp_terms_total(struct pcomp_terms terms)
{
    return add_saturated(add_saturated(terms.own, terms.descendants), terms.direct);
}
