#ifndef PCOMP_WIDEN_TIMES_H
#define PCOMP_WIDEN_TIMES_H

#include "reporters/tree/build/tree_builder.h"

/* What an exception takes more where it passes functions with hook calls, ns: the compiler makes a clean-up in each,
 * which takes some 500 ns, and ten frames are passed (measured: 450 to 560 ns a frame, throws over 5 to 20). */
#define WIDEN_CATCH_NS 5000.0

/* Each file that is read. */
void widen_times_note(struct tree_builder *b, const struct pcomp_header *h);

/* Widens every interval of a tree that is complete by a share of its time: what a replay does not know of its total. */
void widen_times_by(struct call_tree *tree, double share);

/* When all times are there. */
void widen_times_finish(struct tree_builder *b);

#endif
