/* Fits what one measured call costs its callers, where every call is timed, so that compensated totals agree with the
 * uninstrumented program; the other costs stay what the runs measured. */
#ifndef PCOMP_CALL_FIT_H
#define PCOMP_CALL_FIT_H

#include "reporters/tree/call_tree.h"
#include "reporters/verify/verify_total.h"

#include <stdbool.h>
#include <stddef.h>

struct call_fit_run {
    struct tree_delta costs[PCOMP_VARIANTS]; /* ns, as the run used them */
};

struct call_fit {
    struct tree_delta costs[PCOMP_VARIANTS]; /* ns: medians over the runs; descendants of calls are fitted */
    bool known[PCOMP_VARIANTS];              /* the runs had the variant */
};

/* From `count` pairs (1 to VERIFY_PAIRS_MAX, with calls) and the costs that were used in each: a call costs what was
 * used for it plus (T_a - T) / calls, in the median; its spread is the standard deviation over the runs. Pure
 * arithmetic. */
void call_fit_make(struct call_fit *fit, const struct verify_pair *pairs, const struct call_fit_run *runs,
                   size_t count);

/* Writes the calibration file; `command` and `count` say what it was fitted to. False after a message. */
bool call_fit_write(const struct call_fit *fit, const char *path, const char *clock, const char *command, size_t count);

#endif
