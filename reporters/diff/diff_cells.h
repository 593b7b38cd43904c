/* Cells that the comparison of two runs and that of two sets of runs share. */
#ifndef PCOMP_DIFF_CELLS_H
#define PCOMP_DIFF_CELLS_H

#include "reporters/base/emitter.h"

/* A change in ns, and one as a share of the whole; in text with its sign. */
void diff_emit_change(struct emitter *emitter, double change);
void diff_emit_share(struct emitter *emitter, double share);

/* A change as a share of what was before; in text "new" or "gone" where only one side has the function. */
void diff_emit_relative(struct emitter *emitter, bool before_has, bool after_has, double change, double before,
                        double uncertainty);

#endif
