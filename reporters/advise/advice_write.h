/* Writing advice: for people, as data, as gcc's arguments, as a header for clang. */
#ifndef PCOMP_ADVICE_WRITE_H
#define PCOMP_ADVICE_WRITE_H

#include "reporters/advise/advice.h"
#include "reporters/base/emitter.h"
#include "reporters/symbols/demangle.h"

#include <stdio.h>

/* The tables. names: of functions. plain: path of the ordinary build, NULL none. written: the file that has gcc's
 * arguments, NULL none. */
void advice_emit(struct emitter *emitter, const struct advice *advice, enum name_form names, const char *plain,
                 const char *written);

/* A response file for gcc (@FILE): an argument a line. False: out of memory. */
bool advice_write_gcc(FILE *out, const struct advice *advice);

/* A header for clang's -include that keeps instrumentation off the functions with a reason of their own. dwarf: of the
 * ordinary build, or NULL; what it lacks is looked for in the measured module. False: out of memory. */
bool advice_write_clang(FILE *out, const struct advice *advice, const struct dwarf_functions *dwarf);

#endif
