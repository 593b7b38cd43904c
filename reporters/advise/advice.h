/* Which functions to leave out of instrumentation, what that saves, and how gcc is told.
 *
 * A call of a function that is left out costs nothing: the saving is its calls times what one call cost in this run.
 * That is what counting took, over all threads and processes, divided by the calls that were counted in place; and of
 * the timed ones the rest that compensation took away, divided by these. Times are nanoseconds. Where the program was
 * preempted, times and dilations are those without: on its processor, not by the wall clock. The advice refers to the
 * tree and the DWARF that it was made from. Not thread-safe while made. */
#ifndef PCOMP_ADVICE_H
#define PCOMP_ADVICE_H

#include "reporters/advise/advice_match.h"
#include "reporters/advise/call_costs.h"
#include "reporters/symbols/dwarf_functions.h"
#include "reporters/tree/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum advice_why {
    ADVICE_ALONG,   /* no reason of its own: another one's item takes it along */
    ADVICE_INLINED, /* the ordinary build has inlined it everywhere */
    ADVICE_PART,    /* ... but for a rarely run rest */
    ADVICE_GONE,    /* the ordinary build has dissolved it in its callers */
    ADVICE_TINY     /* one call does less than its measurement costs */
};

struct advice_row {
    const struct tree_function *function;
    enum advice_why why;
    double saving;   /* ns */
    double share;    /* of the overhead, 0..1 */
    double a_call;   /* exclusive time of one call, ns */
    double dilation; /* with this row and those before it left out */
    const struct advice_item *item;
    char *also; /* what else the item takes that is no row with a reason, "a; b"; NULL nothing */
    size_t also_count;
};

struct advice_kept { /* worth leaving out, but not left out */
    const struct tree_function *function;
    double saving, share;
    char *reason;
};

struct advice {
    const struct call_tree *tree;
    struct call_costs costs;
    double overhead; /* ns, of all threads and processes */
    double saving;   /* of all rows */
    double on_cpu;   /* share of its time that the program had a processor, 0..1; waiting counts as having one */
    double dilation_now, dilation_then;
    struct advice_row *rows; /* those with a reason, greatest saving first, then those taken along */
    size_t row_count, reason_count;
    struct advice_kept *kept; /* greatest saving first */
    size_t kept_count;
    struct advice_item **items; /* what gcc needs; files first */
    size_t item_count;
    size_t unknown_count;  /* functions that are not in the DWARF */
    double unknown_saving; /* what their measurement costs */
    const struct tree_function *unknown_example;
    struct advice_item *all_items; /* private */
    size_t all_item_count;
};

/* dwarf: of the ordinary build, NULL when there is none. least: share of the overhead (0..1) from which a function is
 * named. False: out of memory; *advice is then empty. */
bool advice_make(struct advice *advice, const struct call_tree *tree, const struct dwarf_functions *dwarf, double min);
void advice_free(struct advice *advice);

#endif
