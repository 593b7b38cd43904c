/* A random program, run on a simulated machine under a simulated profiler: what the laws of the online models are
 * tested on. It has recursion, direct and mutual, both ways of finding a node, slow first enters and filtered
 * functions.
 *
 * Two clocks run: the measured one, which every hook advances, and the actual one, which only the program does. */
#ifndef PCOMP_TEST_RANDOM_EXECUTION_H
#define PCOMP_TEST_RANDOM_EXECUTION_H

#include "tests/support/path_terms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXECUTION_FUNCTIONS 6 /* function 0 is the root of the tree and is not called */
#define EXECUTION_SKIPPED   5 /* this one is filtered: counted only */
#define EXECUTION_NONE      SIZE_MAX

struct execution_options {
    uint64_t seed;
    enum pcomp_model model;
    bool settle_at_enter; /* enter hooks that look up settle the difference, exits charge REPEAT */
    bool constant_cost;   /* the machine's hooks cost exactly delta (whole ticks); else anything from 0 to 99 ticks */
    struct pcomp_delta delta[PCOMP_VARIANTS];
};

struct execution_node { /* as in the profile file, and beside it what really happened */
    int function;
    size_t parent;
    uint64_t calls, lookups, slow_ticks;
    int64_t raw;         /* ticks, inclusive */
    int64_t compensated; /* fixed-point, summed at the exits */
    int64_t actual;      /* ticks, inclusive */
};

struct execution_truth { /* of one function, counted while running */
    uint64_t calls, outermost;
    uint64_t descendants, children; /* measured calls below outermost activations */
    int64_t raw, actual;            /* ticks, inclusive, outermost activations */
};

struct execution {
    struct execution_node *nodes; /* parents precede children; [0] is the root */
    size_t node_count, node_capacity;
    struct execution_truth functions[EXECUTION_FUNCTIONS];
    int64_t measured_end, actual_end; /* ticks, from 0 */
};

/* Runs to the end. Free with execution_free. */
struct execution *execution_run(const struct execution_options *options);
void execution_free(struct execution *execution);

/* Counts of every node from what the profile file would hold; one entry a node, to be freed. */
struct path_counts *execution_counts(const struct execution *execution);

/* Raw exclusive ticks of a node: inclusive less that of its measured children. */
int64_t execution_raw_exclusive(const struct execution *execution, size_t node);

/* Whether an ancestor of the node has the same function. */
bool execution_is_inner(const struct execution *execution, size_t node);

#endif
