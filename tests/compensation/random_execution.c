#include "tests/compensation/random_execution.h"

#include "tests/compensation/prng.h"

#include <stdlib.h>

#define DEPTH_MAX 7

struct frame {
    size_t node;
    int64_t overhead;
    uint64_t children;
};

struct machine {
    const struct execution_options *options;
    struct execution *execution;
    struct pcomp_online_model model;
    uint64_t random;
    int64_t measured, actual; /* the two clocks */
    int64_t overhead;         /* of the thread, fixed-point */
    uint64_t entered;         /* measured calls so far */
    uint64_t budget;          /* calls still to be made */
    unsigned active[EXECUTION_FUNCTIONS];
    struct frame frames[DEPTH_MAX + 1];
};

static void *checked(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void work(struct machine *m)
{
    int64_t ticks = (int64_t)prng_below(&m->random, 50);

    m->measured += ticks;
    m->actual += ticks;
}

/* Part of what a hook costs on this machine; fixed is what the deltas say it costs. */
static void hook_part(struct machine *m, int64_t fixed)
{
    if (m->options->constant_cost)
        m->measured += fixed >> PCOMP_FIX_SHIFT;
    else
        m->measured += (int64_t)prng_below(&m->random, 100);
}

static size_t child_of(struct execution *x, size_t parent, int function, bool *fresh)
{
    for (size_t i = parent + 1; i < x->node_count; i++)
        if (x->nodes[i].parent == parent && x->nodes[i].function == function)
            return i;
    if (x->node_count == x->node_capacity) {
        x->node_capacity = x->node_capacity * 2 + 16;
        x->nodes = checked(realloc(x->nodes, x->node_capacity * sizeof *x->nodes));
    }
    x->nodes[x->node_count] = (struct execution_node){.function = function, .parent = parent};
    *fresh = true;
    return x->node_count++;
}

static void activation(struct machine *m, int depth, int function);

static void body(struct machine *m, int depth)
{
    work(m);
    for (uint64_t callees = prng_below(&m->random, 6); callees > 0 && depth < DEPTH_MAX && m->budget > 0; callees--) {
        m->budget--;
        activation(m, depth, 1 + (int)prng_below(&m->random, EXECUTION_FUNCTIONS - 1));
        work(m);
    }
}

static void skipped_activation(struct machine *m, int depth, int function)
{
    bool fresh = false;
    size_t node = child_of(m->execution, m->frames[depth].node, function, &fresh);

    m->execution->nodes[node].calls++;
    m->overhead += m->model.charge[PCOMP_VARIANT_SKIP].descendant;
    hook_part(m, m->options->delta[PCOMP_VARIANT_SKIP].descendant);
    body(m, depth); /* what it calls attaches to the measured caller */
}

static void activation(struct machine *m, int depth, int function)
{
    struct execution *x = m->execution;
    struct execution_truth *truth = &x->functions[function];
    struct frame *parent = &m->frames[depth], *frame = &m->frames[depth + 1];
    const struct pcomp_charge *repeat = &m->model.charge[PCOMP_VARIANT_REPEAT];
    const struct pcomp_charge *charge = repeat;
    enum pcomp_variant variant = PCOMP_VARIANT_REPEAT;
    bool fresh = false;
    int64_t slow = 0;

    if (function == EXECUTION_SKIPPED) {
        skipped_activation(m, depth, function);
        return;
    }

    /* enter */
    size_t node = child_of(x, parent->node, function, &fresh);
    if (fresh)
        slow = (int64_t)prng_below(&m->random, 1000);
    if (fresh || prng_below(&m->random, 3) == 0) {
        variant = PCOMP_VARIANT_LOOKUP;
        x->nodes[node].lookups++;
    }
    const struct pcomp_delta *delta = &m->options->delta[variant];
    x->nodes[node].slow_ticks += (uint64_t)slow;
    m->measured += slow;
    m->overhead += slow * m->model.slow;
    hook_part(m, (delta->descendant - delta->own) / 2);
    *frame = (struct frame){node, m->overhead, 0};
    if (variant == PCOMP_VARIANT_LOOKUP && m->options->settle_at_enter) {
        const struct pcomp_charge *lookup = &m->model.charge[PCOMP_VARIANT_LOOKUP];

        m->overhead += lookup->descendant - repeat->descendant;
        frame->overhead = m->overhead - (lookup->own - repeat->own);
    } else {
        charge = &m->model.charge[variant];
    }
    int64_t start = m->measured, actual_start = m->actual;
    uint64_t entered = ++m->entered;
    bool outermost = m->active[function]++ == 0;
    parent->children++;
    hook_part(m, delta->own / 2);

    body(m, depth + 1);

    /* exit */
    hook_part(m, delta->own - delta->own / 2);
    int64_t raw = m->measured - start;
    x->nodes[node].calls++;
    x->nodes[node].raw += raw;
    x->nodes[node].compensated += pcomp_compensate_activation(raw, m->overhead - frame->overhead, charge->own);
    x->nodes[node].actual += m->actual - actual_start;
    m->overhead += charge->descendant;
    parent->overhead -= charge->direct;
    hook_part(m, delta->descendant - delta->own - (delta->descendant - delta->own) / 2);

    m->active[function]--;
    truth->calls++;
    if (outermost) {
        truth->outermost++;
        truth->descendants += m->entered - entered;
        truth->children += frame->children;
        truth->raw += raw;
        truth->actual += m->actual - actual_start;
    }
}

struct execution *execution_run(const struct execution_options *options)
{
    struct execution *x = checked(calloc(1, sizeof *x));
    struct machine m = {.options = options, .execution = x, .random = options->seed, .budget = 1500};
    bool fresh = false;

    pcomp_model_init(&m.model, options->model, options->delta);
    child_of(x, EXECUTION_NONE, 0, &fresh);
    while (m.budget > 0) {
        m.budget--;
        activation(&m, 0, 1 + (int)prng_below(&m.random, EXECUTION_FUNCTIONS - 1));
    }
    x->measured_end = m.measured;
    x->actual_end = m.actual;
    return x;
}

void execution_free(struct execution *execution)
{
    free(execution->nodes);
    free(execution);
}

struct path_counts *execution_counts(const struct execution *execution)
{
    struct path_counts *counts = checked(calloc(execution->node_count, sizeof *counts));

    for (size_t i = execution->node_count; i-- > 0;) {
        const struct execution_node *node = &execution->nodes[i];
        struct path_counts *parent = node->parent == EXECUTION_NONE ? NULL : &counts[node->parent];

        counts[i].self =
            pcomp_calls_of_node(node->calls, node->lookups, node->slow_ticks, node->function == EXECUTION_SKIPPED);
        if (parent != NULL) {
            path_calls_add(&parent->children, &counts[i].self);
            path_calls_add(&parent->descendants, &counts[i].self);
            path_calls_add(&parent->descendants, &counts[i].descendants);
        }
    }
    return counts;
}

int64_t execution_raw_exclusive(const struct execution *execution, size_t node)
{
    int64_t exclusive = execution->nodes[node].raw;

    for (size_t i = node + 1; i < execution->node_count; i++)
        if (execution->nodes[i].parent == node)
            exclusive -= execution->nodes[i].raw; /* 0 for a skipped node */
    return exclusive;
}

bool execution_is_inner(const struct execution *execution, size_t node)
{
    const struct execution_node *nodes = execution->nodes;

    for (size_t up = nodes[node].parent; up != EXECUTION_NONE; up = nodes[up].parent)
        if (nodes[up].function == nodes[node].function)
            return true;
    return false;
}
