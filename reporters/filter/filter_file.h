/* DIR/filter: which functions --only and --skip mean, where that takes demangled names or source files, which the
 * library cannot know. Patterns: a glob over the function's name, linkage or demangled, with or without parameters;
 * `file:GLOB` over its source file; `module:GLOB` over its module. */
#ifndef PCOMP_FILTER_FILE_H
#define PCOMP_FILTER_FILE_H

#include "reporters/base/options.h"

#include <stdbool.h>

/* Writes the file for the instrumented modules among argv (program, launched programs) and their libraries. Nothing to
 * write is no error. False after a message. *functions is the number of functions that will be measured, of *all. */
bool filter_file_write(const char *directory, const char *program, char *const *argv, const struct option_list *only,
                       const struct option_list *skip, size_t *functions, size_t *all);

#endif
