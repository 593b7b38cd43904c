/* Other tools' formats. Their numbers cannot be negative, compensated times can: a format's writer clamps at zero as
 * late as it can, and says how much that was. */
#ifndef PCOMP_EXPORT_H
#define PCOMP_EXPORT_H

#include "reporters/tree/call_tree.h"

#include <stdio.h>

struct export_request {
    const struct call_tree *tree;
    const char *dir;
    bool raw; /* else compensated */
};

struct export_result {
    double clamped;         /* exclusive times below zero that became zero: ns, as a positive number */
    uint64_t clamped_items; /* how many */
    uint64_t clamped_calls; /* inclusive times of calls that did */
    uint64_t cut_paths;     /* folded: paths whose middle was left out */
};

/* Whole nanoseconds of an exclusive time; 0 for one below zero, which is added to the result. */
uint64_t export_clamp(double ns, struct export_result *result);

/* "... was below zero ..." into buffer, for the file's comment and the message; NULL when nothing was clamped. */
const char *export_clamp_text(const struct export_result *result, char *buffer, size_t size);

static inline double export_time(const struct export_request *request, const struct tree_times *times)
{
    return request->raw ? times->raw : times->compensated;
}

/* The program's command line, or the directory. */
const char *export_command(const struct export_request *request);

/* Each writes the whole file. False: out of memory (errors of the stream are left in it). */
bool export_callgrind(const struct export_request *request, FILE *out, struct export_result *result);
bool export_folded(const struct export_request *request, FILE *out, struct export_result *result);
bool export_speedscope(const struct export_request *request, FILE *out, struct export_result *result);

#endif
