/* Times of source lines, from the samples of the call stack that a run took (PCOMP_CHUNK_STACKS).
 *
 * The samples of a function share its compensated computing time out among its lines, so that the lines of a function
 * add up to what reports say of it. A sample inside code that the profile does not know (a library, code that was
 * inlined and is not instrumented) is of the line of the innermost known function that called it. */
#ifndef PCOMP_ANNOTATION_H
#define PCOMP_ANNOTATION_H

#include "reporters/annotate/annotation_types.h"

/* Of the directory that the tree was loaded from. NULL after a message. A tree without samples has no lines. */
struct annotation *annotation_make(const struct call_tree *tree, const char *dir, bool salvage);
void annotation_free(struct annotation *annotation);

/* Calls of a function, as a double, and their half-width. */
double annotation_calls(const struct annotation *annotation, uint32_t function, double *half);

#endif
