/* What the patterns of --only and --skip mean: a glob over the function's name, linkage or demangled, with or without
 * parameters; `file:GLOB` over its source file; `module:GLOB` over its module. Thread-safe. */
#ifndef PCOMP_FILTER_MATCH_H
#define PCOMP_FILTER_MATCH_H

#include "reporters/base/options.h"
#include "reporters/filter/filter_functions.h"

/* Whether the function is measured: skip does not match it, and only does, or is empty. */
bool filter_keeps(const struct filter_function *function, const char *module, const struct option_list *only,
                  const struct option_list *skip);

#endif
