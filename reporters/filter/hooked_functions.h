/* The functions of an ELF file that can be measured, found without running it: those whose code calls the enter hook,
 * or that have sleds. */
#ifndef PCOMP_HOOKED_FUNCTIONS_H
#define PCOMP_HOOKED_FUNCTIONS_H

#include "reporters/filter/filter_functions.h"

#include <stdbool.h>

/* Functions of the file at path that call the hook or have sleds, by address; to be freed with filter_functions_free.
 * *decoded is false where the calls cannot be told (another processor than x86-64, no symbols): then it is all
 * functions that there are. False: out of memory. */
bool hooked_functions_read(struct filter_functions *functions, const char *path, bool want_files, bool *decoded);

/* Whether a function that the compiler inlined has hook calls of its own there. Not so behind inlining: sleds, and
 * clang's -finstrument-functions-after-inlining, with which no function calls the enter hook twice. True also where it
 * cannot be told. */
bool hooked_functions_inlined(const char *path);

#endif
