/* What a measured program is started with: the library preloaded, and where and how it measures.
 *
 * Not thread-safe (environment, messages). */
#ifndef PCOMP_RECORD_ENVIRONMENT_H
#define PCOMP_RECORD_ENVIRONMENT_H

#include "reporters/launch/record_directory.h"
#include "reporters/launch/record_options.h"

#include <stdbool.h>

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

/* 0, or an exit status after the message: a percentage and a size. */
int record_check_budget(const struct record_options *options);

/* 0, or an exit status after the message: options that do not go together (option_rules.h). */
int record_check_rules(const struct record_options *options);

/* 0, or an exit status after the message: sizes of traces. */
int record_check_trace(const struct record_options *options);

/* The libraries to preload, colons between, malloc'ed; NULL after the message. */
char *record_libraries_find(void);

/* True when LD_PRELOAD can name `library`; else false after the message. */
bool record_preload_check(const char *library);

#endif
