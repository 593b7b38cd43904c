/* What a reader of a report does best next: one command. */
#ifndef PCOMP_NEXT_STEP_H
#define PCOMP_NEXT_STEP_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

#include <stdbool.h>

/* The last line of the text; nothing in other formats. flat: the view was the table of functions. */
void report_next_step(struct emitter *emitter, const struct call_tree *tree, const char *dir, bool flat);

#endif
