/* What a report says of how the program was built, where that spoils what can be read in it. */
#ifndef PCOMP_BUILD_NOTES_H
#define PCOMP_BUILD_NOTES_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

/* Notes: the program has no debugging information; or it was built without optimisation. */
void report_build_notes(struct emitter *emitter, const struct call_tree *tree);

#endif
