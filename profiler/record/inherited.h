/* Activations that were open in the parent of a fork, for the thread of the child that forked. Taken before the fork:
 * afterwards the profile file belongs to the parent, which runs on. */
#ifndef PCOMP_INHERITED_H
#define PCOMP_INHERITED_H

#include "profiler/base/thread_state.h"

/* In the forking thread: notes its open activations before the fork; forgets them behind it, or, in the child, keeps
 * them. */
void inherited_take(void);
void inherited_drop(void);
void inherited_keep(void);

/* In the child: an inherited activation of `function` ended before the child measured anything. */
void inherited_leave(uint64_t function);

/* In the child: opens the activations that are left in its first thread. */
void inherited_open(struct thread_state *h);

#endif
