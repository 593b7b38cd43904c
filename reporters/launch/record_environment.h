/* What a measured program is started with: the library preloaded, and where and how it measures.
 *
 * The options are those of `pcomp record`, whichever command takes them. Not thread-safe (environment, messages). */
#ifndef PCOMP_RECORD_ENVIRONMENT_H
#define PCOMP_RECORD_ENVIRONMENT_H

#include "profiler/format/names.h"
#include "reporters/base/options.h"
#include "reporters/launch/record_directory.h"

#include <stdbool.h>

struct record_options {
    const char *dir, *counters, *calibration;
    int clock, model, mode, counts, sampler; /* -1 the library's default */
    struct option_list only, skip;
    bool fold_recursion, native_frames, call_sites, trace, trace_all;
    bool require;                       /* a run in which nothing is measured is a failure */
    bool quiet;                         /* no line about what was recorded */
    const char *trace_limit;            /* SIZE[:ring] */
    const char *budget_trace;           /* RATE */
    const char *budget, *budget_memory; /* PCT, SIZE; NULL none */
};

/* The options that choose how to measure, as every command that starts a measured program has them. */
#define RECORD_METHOD_SPECS(options)                                                                                   \
    {"--model",                                                                                                        \
     0,                                                                                                                \
     OPTION_CHOICE,                                                                                                    \
     "NAME",                                                                                                           \
     "how to compensate: split (default), paper or none",                                                              \
     &(options).model,                                                                                                 \
     PCOMP_MODEL_CHOICES},                                                                                             \
        {"--clock",                                                                                                    \
         0,                                                                                                            \
         OPTION_CHOICE,                                                                                                \
         "NAME",                                                                                                       \
         "tsc, tsc-serial, monotonic or cntvct (default: the best)",                                                   \
         &(options).clock,                                                                                             \
         PCOMP_CLOCK_CHOICES},                                                                                         \
        {"--mode",                                                                                                     \
         0,                                                                                                            \
         OPTION_CHOICE,                                                                                                \
         "NAME",                                                                                                       \
         "auto (default): time what is rare, count what is hot; full: time every call",                                \
         &(options).mode,                                                                                              \
         PCOMP_MODE_CHOICES},                                                                                          \
        {"--budget",        0,   OPTION_TEXT, "PCT", "what measuring may cost, of the program's own time (10%)",       \
         &(options).budget, NULL},                                                                                     \
        {"--budget-memory",        0,   OPTION_TEXT, "SIZE", "what the profile may grow to (100M)",                    \
         &(options).budget_memory, NULL},                                                                              \
    {                                                                                                                  \
        "--calibration", 0, OPTION_TEXT, "FILE", "costs from `pcomp calibrate -o FILE`", &(options).calibration, NULL  \
    }

struct record_environment { /* "KEY=value" each, malloc'ed */
    char *data, *options, *run_id, *preload;
};

/* Fills in what a program needs to be measured into `directory`, `libraries` (colons between) being preloaded before
 * what already is. False after a message; to be freed in any case. */
bool record_environment_make(struct record_environment *environment, const struct record_options *options,
                             const struct record_directory *directory, const char *libraries);
void record_environment_free(struct record_environment *environment);

/* 0, or an exit status after the message: `path` (NULL: none) is not a calibration file. */
int record_check_calibration(const char *path);

/* 0, or an exit status after the message: a percentage, a size, and what goes with them. */
int record_check_budget(const struct record_options *options);

/* 0, or an exit status after the message: what goes with --counts exact. */
int record_check_counts(const struct record_options *options);

/* 0, or an exit status after the message: what goes with --trace, and a size. */
int record_check_trace(const struct record_options *options);

/* The libraries to preload, colons between, malloc'ed; NULL after the message. */
char *record_libraries_find(void);

/* True when LD_PRELOAD can name `library`; else false after the message. */
bool record_preload_check(const char *library);

#endif
