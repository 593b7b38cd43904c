/* What measuring a run cost, summed up: by thread, the costliest of them, and in all.
 *
 * Each thread counts for itself, and the one with the greatest share of its own time is what a limit is compared with
 * (Hollingsworth and Miller 1996, 3.1). Start and end of a process are those of its first thread. Times are
 * nanoseconds. */
#ifndef PCOMP_COST_SUMS_H
#define PCOMP_COST_SUMS_H

#include "reporters/tree/call_tree.h"

struct cost_part {
    struct pcomp_cost cost;
    double total; /* of cost */
    double own;   /* compensated time of the program */
    double share; /* total of own; NAN where own is not above 0 */
};

struct cost_sums {
    struct cost_part all;
    struct cost_part *threads; /* parallel to tree->threads */
    size_t costliest;          /* of them, by share; SIZE_MAX where no share is known */
};

/* Of a tree that was loaded with its costs. False: out of memory. */
bool cost_sums_make(struct cost_sums *sums, const struct call_tree *tree);
void cost_sums_free(struct cost_sums *sums);

/* "observed cost: 1.234 s (4.5 % of the program's own time)", into buffer (160 bytes). */
#define COST_LINE 160
const char *cost_sums_line(const struct cost_sums *sums, char *buffer);

#endif
