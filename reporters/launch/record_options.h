/* The options with which a program is measured. One line of the tables makes the field of struct record_options, the
 * option of each command that has it, and its word in PCOMP_OPTIONS, which the library reads (profiler/base/config.c).
 */
#ifndef PCOMP_RECORD_OPTIONS_H
#define PCOMP_RECORD_OPTIONS_H

#include "profiler/format/names.h"
#include "reporters/base/options.h"

#include <stdbool.h>

/* Kinds: FLAG(o, field, name, help); TEXT and PATH (a file, passed on as an absolute path) with the name of their
 * argument before the help; LIST the same, may be repeated; CHOICE with the choices behind it. `o` is handed through.
 */

/* How to measure: as every command that starts a measured program has them. */
#define RECORD_METHOD_OPTIONS(FLAG, TEXT, PATH, LIST, CHOICE, o)                                                       \
    CHOICE(o, model, "--model", "NAME", "how to compensate: split (default), paper or none", PCOMP_MODEL_CHOICES)      \
    CHOICE(o, clock, "--clock", "NAME", "tsc, tsc-serial, monotonic or cntvct (default: the best)",                    \
           PCOMP_CLOCK_CHOICES)                                                                                        \
    CHOICE(o, mode, "--mode", "NAME", "auto (default): time what is rare, count what is hot; full: time every call",   \
           PCOMP_MODE_CHOICES)                                                                                         \
    TEXT(o, budget, "--budget", "PCT", "what measuring may cost, of the program's own time (10%)")                     \
    TEXT(o, budget_memory, "--budget-memory", "SIZE", "what the profile may grow to (100M)")                           \
    PATH(o, calibration, "--calibration", "FILE", "costs from `pcomp calibrate -o FILE`")

/* What `pcomp record` alone has. */
#define RECORD_MORE_OPTIONS(FLAG, TEXT, PATH, LIST, CHOICE, o)                                                         \
    TEXT(o, counters, "--counters", "LIST", "PAPI events to count, commas between")                                    \
    CHOICE(o, counts, "--counts", "HOW",                                                                               \
           "auto (default): hot functions within --budget; exact: every call, whatever it costs",                      \
           PCOMP_COUNTS_CHOICES)                                                                                       \
    CHOICE(o, sampler, "--sampler", "NAME",                                                                            \
           "who samples call stacks: auto (default), perf (the kernel), timer (a signal), off", PCOMP_SAMPLER_CHOICES) \
    LIST(o, only, "--only", "PAT",                                                                                     \
         "measure only functions that match: NAME, file:NAME, module:NAME; others are on no path")                     \
    LIST(o, skip, "--skip", "PAT", "do not measure functions that match: their time is their callers'")                \
    FLAG(o, fold_recursion, "--fold-recursion", "one call path for all depths of a recursion")                         \
    FLAG(o, native_frames, "--native-frames", "show uninstrumented functions between caller and callee")               \
    FLAG(o, call_sites, "--call-sites", "a call path for every place of a call")                                       \
    FLAG(o, trace, "--trace", "record events, for pcomp replay")                                                       \
    FLAG(o, trace_all, "--trace-all", "with --trace: record functions that are called often, too")                     \
    TEXT(o, trace_limit, "--trace-limit", "SIZE[:ring]",                                                               \
         "most bytes of a thread's trace (100M, 1G); ring: keep the newest")                                           \
    TEXT(o, budget_trace, "--budget-trace", "RATE",                                                                    \
         "bytes a second of trace (20M), beyond which the hottest functions are only counted")

/* --- What the tables make ---------------------------------------------------------------------------------------- */

#define RECORD_FLAG_FIELD(o, field, name, help)                     bool field;
#define RECORD_TEXT_FIELD(o, field, name, argument, help)           const char *field; /* NULL: not given */
#define RECORD_LIST_FIELD(o, field, name, argument, help)           struct option_list field;
#define RECORD_CHOICE_FIELD(o, field, name, argument, help, choice) int field; /* -1: the library's default */

struct record_options {
    const char *dir;
    bool require; /* a run in which nothing is measured is a failure */
    bool quiet;   /* no line about what was recorded */
    RECORD_METHOD_OPTIONS(RECORD_FLAG_FIELD, RECORD_TEXT_FIELD, RECORD_TEXT_FIELD, RECORD_LIST_FIELD,
                          RECORD_CHOICE_FIELD, )
    RECORD_MORE_OPTIONS(RECORD_FLAG_FIELD, RECORD_TEXT_FIELD, RECORD_TEXT_FIELD, RECORD_LIST_FIELD,
                        RECORD_CHOICE_FIELD, )
};

#define RECORD_IS_0(...)
#define RECORD_IS_UNSET(o, field, ...) .field = -1,

/* Initialises a struct record_options with the library's defaults; `.dir = DIR, ` may go before it. */
#define RECORD_DEFAULTS                                                                                                \
    RECORD_METHOD_OPTIONS(RECORD_IS_0, RECORD_IS_0, RECORD_IS_0, RECORD_IS_0, RECORD_IS_UNSET, )                       \
    RECORD_MORE_OPTIONS(RECORD_IS_0, RECORD_IS_0, RECORD_IS_0, RECORD_IS_0, RECORD_IS_UNSET, )

#define RECORD_FLAG_SPEC(o, field, name, help)           {name, 0, OPTION_FLAG, NULL, help, &(o).field, NULL},
#define RECORD_TEXT_SPEC(o, field, name, argument, help) {name, 0, OPTION_TEXT, argument, help, &(o).field, NULL},
#define RECORD_LIST_SPEC(o, field, name, argument, help) {name, 0, OPTION_LIST, argument, help, &(o).field, NULL},
#define RECORD_CHOICE_SPEC(o, field, name, argument, help, choices)                                                    \
    {name, 0, OPTION_CHOICE, argument, help, &(o).field, choices},

/* Entries of a table of struct option_spec, each with a comma behind it; `o`: a struct record_options. */
#define RECORD_METHOD_SPECS(o)                                                                                         \
    RECORD_METHOD_OPTIONS(RECORD_FLAG_SPEC, RECORD_TEXT_SPEC, RECORD_TEXT_SPEC, RECORD_LIST_SPEC, RECORD_CHOICE_SPEC, o)
#define RECORD_MORE_SPECS(o)                                                                                           \
    RECORD_MORE_OPTIONS(RECORD_FLAG_SPEC, RECORD_TEXT_SPEC, RECORD_TEXT_SPEC, RECORD_LIST_SPEC, RECORD_CHOICE_SPEC, o)

#endif
