/* The process and the threads of one profile file, as they are listed beside the tree. Internal to merge_profile. */
#ifndef PCOMP_MERGE_THREADS_H
#define PCOMP_MERGE_THREADS_H

#include "reporters/tree/build/tree_builder.h"

/* Adds the process, and the threads that the options let pass. thread_of[i]: index in tree->threads of thread i of the
 * file, NO_NODE when left out. end_tick: when the process ended, or now. False: out of memory. */
bool merge_threads(struct tree_builder *b, const struct profile_file *file, bool running, uint64_t end_tick,
                   uint32_t *thread_of);

/* Notes by which call path each of those threads was created. False: out of memory. */
bool merge_creators(struct tree_builder *b, const struct profile_file *file, const uint32_t *thread_of,
                    const uint32_t *function_of);

#endif
