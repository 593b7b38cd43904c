/* Sampled call stacks of one thread, in the profile (PCOMP_CHUNK_STACKS): a tree of frames in which stacks share their
 * outer frames. The thread's own, with signals blocked; it needs no lock. */
#ifndef PCOMP_STACK_SAMPLES_H
#define PCOMP_STACK_SAMPLES_H

#include "profiler/format/profile_format.h"

#include <stdbool.h>

#define STACK_CHUNKS_MAX 12u /* each is twice the one before: half a million frames */

struct stack_place {
    uint64_t pc, node; /* as in struct pcomp_stack_frame */
};

/* Zeroed: empty. */
struct stack_samples {
    struct pcomp_chunk *chunks[STACK_CHUNKS_MAX];
    uint32_t chunk_count, used; /* frames in use */
    uint32_t *table;            /* hash: number of a frame; 0: free */
    uint32_t mask;
};

/* Adds a sample that stands for `weight` periods: `count` frames, innermost first. Where memory ends, outer frames
 * stand for inner ones. False: it could not be kept at all. */
bool stack_samples_add(struct stack_samples *samples, uint32_t thread, const struct stack_place *places, unsigned count,
                       uint32_t weight);

/* Gives back what is not in the profile. */
void stack_samples_end(struct stack_samples *samples);

#endif
