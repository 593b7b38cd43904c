/* All nodes and threads of the profile that is being written, one after the other. Called by the thread that switches
 * hooks (profiler/bursts.c), while they are off; of a BURST profile. */
#ifndef PCOMP_PROFILE_WALK_H
#define PCOMP_PROFILE_WALK_H

#include "profiler/profile_format.h"

struct walked_node { /* a node, and what lies apart from it */
    struct pcomp_thread *thread;
    struct pcomp_node_sampled *node;
    struct pcomp_burst_extra *extra;
};

void walk_nodes(void (*function)(struct walked_node at, void *context), void *context);
void walk_threads(void (*function)(struct pcomp_thread *t, void *context), void *context);

#endif
