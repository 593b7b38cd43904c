/* Other tools' formats of profiles. Their numbers cannot be negative, compensated times can: a format's writer clamps
 * at zero as late as it can, and says how much that was. */
#ifndef PCOMP_EXPORT_H
#define PCOMP_EXPORT_H

#include "reporters/tree/call_tree.h"

#include <stdio.h>

struct export_request {
    const struct call_tree *tree; /* loaded by thread for all formats but callgrind */
    const char *dir;
    bool raw; /* else compensated */
};

struct export_result {
    double clamped;         /* exclusive times below zero that became zero: ns, as a positive number */
    uint64_t clamped_items; /* how many */
    uint64_t clamped_calls; /* inclusive times of calls that did */
    uint64_t cut_paths;     /* paths whose middle was left out */
};

/* What a file tells of a call path or a function besides calls; whole nanoseconds. */
struct export_times {
    uint64_t time; /* raw or compensated, as was asked for */
    uint64_t computing, waiting;
    uint64_t raw;
};

/* Times of a node or a function; those below zero become 0, and `time` that did is added to the result (NULL: is not).
 */
struct export_times export_times(const struct export_request *request, const struct tree_times *times,
                                 struct export_result *result);

/* Times of a call: as above, and counted as such. */
struct export_times export_call_times(const struct export_request *request, const struct tree_times *times,
                                      struct export_result *result);

/* "... was below zero ..." into buffer, for the file's comment and the message; NULL when nothing was clamped. */
const char *export_clamp_text(const struct export_result *result, char *buffer, size_t size);

/* The program's command line, or the directory. */
const char *export_command(const struct export_request *request);

/* How the profile was made, and what was clamped: one line, malloc'ed; NULL: out of memory. */
char *export_comment(const struct export_request *request, const struct export_result *result);

/* The formats of profiles: each has a function export_NAME and is a choice of `pcomp export --format`. Merged: of all
 * threads. */
#define EXPORT_PROFILE_FORMATS(FORMAT)                                                                                 \
    FORMAT(callgrind, true)                                                                                            \
    FORMAT(folded, false)                                                                                              \
    FORMAT(speedscope, false)                                                                                          \
    FORMAT(pprof, false)                                                                                               \
    FORMAT(firefox, false)                                                                                             \
    FORMAT(cpuprofile, false)

/* Each writes the whole file. False: out of memory (errors of the stream are left in it). */
#define EXPORT_PROFILE_FUNCTION(name, merged)                                                                          \
    bool export_##name(const struct export_request *request, FILE *out, struct export_result *result);
EXPORT_PROFILE_FORMATS(EXPORT_PROFILE_FUNCTION)

#endif
