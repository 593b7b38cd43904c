/* What measuring the calls of a profile cost: of each what the run found for its kind, so that all add up to the
 * overhead. */
#ifndef PCOMP_CALL_COSTS_H
#define PCOMP_CALL_COSTS_H

#include "reporters/tree/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_costs {
    double timed;          /* ns a timed call */
    double counted;        /* ns a call counted in place, beside what its site costs */
    double site;           /* ns any call, by sites that are off; 0: there are none, or it is not known */
    double samples;        /* ns of the overhead that no call had: samples, and turning sites off and on */
    uint64_t *timed_calls; /* one a function of the tree */
};

/* `overhead`: of all threads, ns. False: out of memory; *costs is then empty. */
bool call_costs_make(struct call_costs *costs, const struct call_tree *tree, double overhead);
void call_costs_free(struct call_costs *costs);

/* What measuring all calls of a function of the tree cost, ns. */
double call_costs_of(const struct call_costs *costs, const struct call_tree *tree, size_t function);

#endif
