#ifndef PCOMP_WIDEN_TIMES_H
#define PCOMP_WIDEN_TIMES_H

#include "reporters/tree/build/tree_builder.h"

/* What an exception takes more where it passes functions with hook calls, ns: the compiler makes a clean-up in each,
 * which takes some 500 ns, and ten frames are passed (measured: 450 to 560 ns a frame, throws over 5 to 20). */
#define WIDEN_CATCH_NS 5000.0

/* Each file that is read. */
void widen_times_note(struct tree_builder *b, const struct pcomp_header *h);

/* What a replay does not know, shares: */
struct widen_replayed {
    double total;   /* of the total */
    double removal; /* of what it removed */
    double outside; /* of all times, whatever was removed */
};

/* Widens every interval of a tree that is complete: by what is not known of the time that was removed there, and by
 * what is outside of it. */
void widen_times_by(struct call_tree *tree, const struct widen_replayed *by);

/* When all times are there. */
void widen_times_finish(struct tree_builder *b);

#endif
