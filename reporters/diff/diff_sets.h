/* Two sets of runs, function by function: means, and which differences are more than the runs of a set differ anyway.
 *
 * The time of a function is what it computes and waits, exclusive, compensated; what other programs took of the
 * processor is none of it. Nanoseconds; missing is NAN. */
#ifndef PCOMP_DIFF_SETS_H
#define PCOMP_DIFF_SETS_H

#include "compensation/estimate/run_sets.h"
#include "reporters/diff/diff_match.h"
#include "reporters/report/report_common.h"
#include "reporters/tree/build/text_pool.h"

#define SETS_LEVEL     0.05  /* of a total; and the expected share of false ones among marked functions */
#define SETS_MIN_SHARE 0.001 /* of the time: smaller functions are not tested */

struct set_row {
    const char *name, *linkage_name, *file;
    unsigned line;
    bool sum;               /* stands for no function: not tested */
    struct pcomp_run *runs; /* before, then after; one that lacks the function has 0 */
    double *inclusive;      /* parallel */
    size_t present[2];      /* runs that have it */
    struct pcomp_run_set sides[2];
    double inclusive_mean[2], calls[2]; /* calls of it alone, mean */
    struct pcomp_set_difference difference;
    double share;    /* of the change, of the first set's time of all threads */
    double adjusted; /* p, for so many tests; NAN: not tested */
    bool significant;
};

struct set_side {
    const char *label; /* the directory, or the first of several */
    size_t runs;
    char *program;              /* command line of the first run */
    struct pcomp_run_set total; /* of the main thread */
    struct pcomp_run *totals;
    double raw, calls, whole; /* means; whole: all threads */
    char **warnings;          /* of the first run */
    size_t warning_count;
};

struct set_comparison {
    struct set_side sides[2];
    struct pcomp_set_difference total;
    bool total_significant, in_turns; /* in_turns: the runs of both sides were recorded one here, one there */
    uint64_t *begins;                 /* of the runs before, then after: CLOCK_REALTIME, ns */
    struct set_row *rows;             /* significant ones first, then by the size of the change */
    size_t row_count, tested;
    struct text_pool texts;
};

/* dirs[i]: counts[i] data directories, each a run. NULL after the message; *status is then the exit status. */
struct set_comparison *set_comparison_make(char *const *const dirs[2], const size_t counts[2],
                                           const char *const labels[2], const struct load_options *load, int *status);
void set_comparison_free(struct set_comparison *comparison);

/* Grew significantly by more than so many percent of `whole`. */
bool set_is_past(const struct pcomp_set_difference *difference, bool significant, double whole, double percent);

/* Writes the whole document; an exit status, also of --fail-above. */
int diff_sets_write(const struct set_comparison *comparison, const struct diff_options *options);

#endif
