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

struct pcomp_parts pcomp_parts_of_calls(const struct pcomp_parts a_call[PCOMP_VARIANTS], double slow,
                                        const struct pcomp_calls *calls)
{
    struct pcomp_parts sum = {.descendant = slow * (double)calls->slow_ticks};

    for (int v = 0; v < PCOMP_VARIANTS; v++) {
        double count = (double)calls->calls[v];
        sum.own += count * a_call[v].own;
        sum.descendant += count * a_call[v].descendant;
        sum.direct += count * a_call[v].direct;
    }
    return sum;
}
