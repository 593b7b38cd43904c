/* Open activations that a hook on the slow way finds: whose exit it is, and which ones a jump left. With signals
 * blocked, but for find_open. */
#ifndef PCOMP_OPEN_FRAMES_H
#define PCOMP_OPEN_FRAMES_H

#include "profiler/record/frames.h"

/* An activation ended without its exit hook; of a function that is not timed any more, as it should. */
void drop_top(struct slow *s, uint64_t now);

/* Drops those above `f`, whose exit hook runs now. */
void drop_above(struct slow *s, const struct pcomp_frame *f, uint64_t now);

/* Before `function` is entered at `sp`: drops those that it left there, more than a compiler inlines in itself. */
void drop_piled(struct slow *s, uint64_t function, uint64_t sp);

/* Drops those that the caller of a new one, at `sp`, lies above on the stack. One at the address of the new one has
 * ended, too, if its function fell: its exit site is off. */
void drop_stale(struct slow *s, uint64_t sp);

/* Follows the program to the machine stack of `sp`. False: no memory. */
bool change_stack(struct slow *s, uint64_t sp, uint64_t now);

/* Whether a hook there belongs to the calls below the depth limit; else a jump left them. */
bool is_still_too_deep(struct thread_state *h, uint64_t sp);

/* The open frame that an exit of `function` at stack address `sp` belongs to; NULL: none. */
struct pcomp_frame *find_open(struct thread_state *h, uint64_t function, uint64_t sp, bool region);

#endif
