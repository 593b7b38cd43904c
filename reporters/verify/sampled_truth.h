/* Where the uninstrumented program spends its time, by sampling it with perf: the truth about the distribution.
 *
 * A sample belongs to the innermost function of its call chain that the profiles know, functions that the compiler
 * inlined included where the instrumented program measures those: the time of a library function, of the kernel, or of
 * a function that is not instrumented is exclusive time of its nearest instrumented caller, as in a profile. */
#ifndef PCOMP_SAMPLED_TRUTH_H
#define PCOMP_SAMPLED_TRUTH_H

#include "reporters/verify/share_table.h"
#include "reporters/verify/verify_runs.h"

struct sampled_truth {
    size_t runs;
    uint64_t samples, outside; /* in functions that profiles know; elsewhere */
    bool precise;              /* the halves differ by no more than 1 point; else the limit of time came first */
    bool inlines_known;        /* the program has debug information */
};

/* True when perf can sample here; else false after a message that says what to do. */
bool sampled_truth_check(const struct verify_programs *programs);

/* Samples runs of the plain program, `ns` each, into the functions of `table`, until it is known well enough. False
 * after a message. */
bool sampled_truth_take(struct sampled_truth *truth, const struct verify_programs *programs, double ns,
                        struct share_table *table);

#endif
