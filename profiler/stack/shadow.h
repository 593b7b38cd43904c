/* Shadow stacks: the frames of open activations, one shadow stack for every machine stack that a thread runs on (its
 * own, signal stacks, coroutines). Only the owning thread uses them, with signals blocked. */
#ifndef PCOMP_SHADOW_H
#define PCOMP_SHADOW_H

#include "profiler/base/config.h"
#include "profiler/base/thread_state.h"

#include <stdbool.h>

enum shadow_kind { SHADOW_OWN, SHADOW_SIGNAL, SHADOW_COROUTINE };

struct shadow {
    uint32_t id;
    enum shadow_kind kind;
    uint64_t low, high;    /* machine stack */
    uint64_t pos;          /* as in struct thread_state, while another stack is current */
    uint64_t left_tick;    /* when it was left; its open activations rest until it is current again */
    int64_t left_overhead; /* of the thread then, fixed-point ticks: what comes while it rests is not in them */
    struct pcomp_chunk *chunk;
    uint64_t moved_first, moved_end; /* bytes from the first frame: there are those with FRAME_MOVED; equal: none */
    struct shadow *interrupted;      /* SHADOW_SIGNAL: the stack whose top frame is the handler's parent, and runs on */
    struct shadow *next;
};

extern uint64_t shadow_stride; /* bytes of a frame; header.frame_size */

/* Frames above the last that may be filled: an enter clears the one above its own, and those of enters that handlers
 * interrupted there are published. */
#define SHADOW_SPARE 6

static inline struct pcomp_frame *frame_above(struct pcomp_frame *f)
{
    return (struct pcomp_frame *)((char *)f + shadow_stride);
}

static inline struct pcomp_frame *frame_below(struct pcomp_frame *f)
{
    return (struct pcomp_frame *)((char *)f - shadow_stride);
}

/* pos, wherever it is kept now. */
static inline uint64_t *shadow_pos(struct thread_state *h)
{
    return h->recording == RECORDING_FAST ? &h->pos : &h->saved_pos;
}

static inline struct pcomp_frame *shadow_top(struct thread_state *h)
{
    return thread_frame(h, *shadow_pos(h));
}

static inline bool on_stack(const struct thread_state *h, uint64_t sp)
{
    return sp - h->low < h->reach;
}

static inline bool stack_is_full(const struct thread_state *h, uint64_t pos)
{
    return pos >= h->limit;
}

/* Frames with FRAME_MOVED: where the enter hook has gone on meanwhile, and filled the frame that it had published
 * before the stack grew, that is copied. */
void shadow_adopt(struct thread_state *h);

static inline void shadow_adopt_moved(struct thread_state *h)
{
    if (h->shadow && h->shadow->moved_end > h->shadow->moved_first)
        shadow_adopt(h);
}

/* Of the frames published above a full stack none is ever filled: all but the first are forgotten. Jumps out of
 * handlers leave them, and what is above the spare ones is not the stack's. */
static inline void shadow_forget_spare(struct thread_state *h)
{
    if (h->recording == RECORDING_FAST && h->pos > h->limit + shadow_stride && h->pos >= NO_FRAMES_SIZE)
        h->pos = h->limit + shadow_stride;
}

/* Gives the thread its own stack around `sp`. False: no memory. */
bool shadow_start(struct thread_state *h, uint64_t sp);

/* Makes the shadow stack of the machine stack that `sp` lies in the current one. Activations of a coroutine rest while
 * another stack is current; those that a handler on a signal stack interrupts run on. False: no memory for a new one.
 */
bool shadow_switch(struct thread_state *h, uint64_t sp, uint64_t now);

/* The same for the shadow stack `id`, as far as the thread has it. */
void shadow_switch_to(struct thread_state *h, uint32_t id, uint64_t now);

/* Whether `sp` lies in the stack on which the calling thread's handlers run. */
bool shadow_is_signal_stack(uint64_t sp);

/* Makes `s` the current one without any of that; and gives its activations, which rest, the overhead of the thread as
 * their own began, so that they can end as of when the stack was left. */
void shadow_show(struct thread_state *h, struct shadow *s);
void shadow_show_resting(struct thread_state *h, struct shadow *s);

/* Whether the activations of `s` run on while `current` is: they do where its handlers interrupted them. */
bool shadow_runs(const struct shadow *current, const struct shadow *s);

/* Makes what the signal stack interrupted the parent of the handlers that start on it. */
void shadow_set_parent(struct thread_state *h);

/* Room for the frame above the top. False: depth limit or no memory (counted in header.stopped). */
bool shadow_grow(struct thread_state *h);

/* Gives the stacks of an ended thread back. */
void shadow_end(struct thread_state *h);

/* The machine stack that `sp` lies in; that of the main thread grows. */
void shadow_find_stack(uint64_t sp, bool grows, uint64_t *low, uint64_t *high);

/* Registers the stack of a coroutine (makecontext); any thread. */
void shadow_register_stack(uint64_t low, uint64_t size);

/* Child of a fork. */
void shadow_forget(void);

#endif
