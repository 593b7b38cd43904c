/* The kinds of frames on a shadow stack, and access to the words that mean something else in each kind.
 *
 *             timed                          skipped                          of a trace, suppressed
 *   function  address, FRAME_SIGNAL_BIT      address and FRAME_SKIP_BIT       address
 *   node      path of the call               path under which callees lie     node that counts the call
 *   overhead  of the thread, at the enter    node that counts the call, or 0  stack address, where sp is marked
 *   start     tick of the enter              frames down to the next timed    path under which callees lie; 0 ended
 *   end       tick of the last exit there    FRAME_UNMEASURED                 not used
 *
 * A frame unfinished is none of them yet: an enter published it, and has not filled it. The assembler of the hooks
 * (instrument/hooks.c, sleds.c) knows the words of timed and suppressed frames. */
#ifndef PCOMP_FRAME_VIEW_H
#define PCOMP_FRAME_VIEW_H

#include "profiler/base/invariant.h"
#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_UNMEASURED UINT64_MAX
#define FRAME_SKIP_SHIFT 62
#define FRAME_SKIP_BIT   ((uint64_t)1 << FRAME_SKIP_SHIFT) /* in frame.function and node.function: not measured */
#define FRAME_SIGNAL_BIT ((uint64_t)1 << 61) /* set in frame.function of the outermost handler on a signal stack */
#define FRAME_BITS       (FRAME_SKIP_BIT | FRAME_SIGNAL_BIT)
#define FRAME_ROOT       1u /* no function has this address */
#define FRAME_MOVED      2u /* unfinished, and its enter hook fills it where it was before the stack grew (shadow_adopt) */

static inline bool frame_is_root(const struct pcomp_frame *f)
{
    return f->function == FRAME_ROOT;
}

static inline bool frame_is_skipped(const struct pcomp_frame *f)
{
    return f->end == FRAME_UNMEASURED;
}

static inline bool frame_is_timed(const struct pcomp_frame *f)
{
    return f->start > f->end;
}

static inline bool frame_is_unfinished(const struct pcomp_frame *f)
{
    return f->start <= f->end && !frame_is_skipped(f);
}

/* Address of the function, of every kind. */
static inline uint64_t frame_function(const struct pcomp_frame *f)
{
    return f->function & ~FRAME_BITS;
}

static inline struct pcomp_node *frame_node(const struct pcomp_frame *f)
{
    return (struct pcomp_node *)(uintptr_t)f->node;
}

static inline void frame_set_node(struct pcomp_frame *f, const struct pcomp_node *node)
{
    f->node = (uint64_t)(uintptr_t)node;
}

/* Of a skipped frame: the node that counts the call; NULL none. */
static inline struct pcomp_node *frame_counter(const struct pcomp_frame *f)
{
    INVARIANT(frame_is_skipped(f));
    return (struct pcomp_node *)(uintptr_t)f->overhead;
}

static inline void frame_set_counter(struct pcomp_frame *f, const struct pcomp_node *counter)
{
    f->overhead = (int64_t)(uintptr_t)counter;
}

/* Of a skipped frame, where calls are counted in place: how many frames lie between it and the next timed one, itself
 * included: recursion may leave a million of them. 0 in the frame: not said, as 1. */
static inline uint64_t frame_distance(const struct pcomp_frame *f)
{
    INVARIANT(frame_is_skipped(f));
    return f->start ? f->start : 1;
}

#endif
