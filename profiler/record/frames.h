/* What the slow parts of the call stack share: a slow hook's own state, and the ways a frame begins and ends.
 * The owning thread only, with signals blocked between slow_begin and slow_end. */
#ifndef PCOMP_FRAMES_H
#define PCOMP_FRAMES_H

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/spin.h"
#include "profiler/stack/paths.h"
#include "profiler/stack/shadow.h"

#include <errno.h>
#include <stdbool.h>

/* What a slow hook needs besides its arguments. */
struct slow {
    struct thread_state *h;
    uint64_t begin; /* tick at its start */
    int saved_errno;
    sigset_t saved_signals;
    bool outermost; /* no mask() is around it */
    bool masks;     /* it has blocked signals itself */
};

/* While the thread is in a slow hook, the exit of the process leaves the memory alone that it may use. */
static inline void slow_begin(struct slow *s, struct thread_state *h)
{
    uint64_t entered = own_stack_entered();
    struct slow_start start = slow_start_read(h);
    s->h = h;
    s->saved_errno = errno;
    s->outermost = !h->masked;
    s->masks = s->outermost && !entered; /* signals are blocked on the thread's own stack */
    if (s->masks)
        signals_block(&s->saved_signals);
    s->begin = entered ? entered : slow_start_tick(&start, h);
    if (s->outermost)
        sanitizer_ignores();
    __atomic_store_n(&h->in_slow, true, __ATOMIC_SEQ_CST);
    shadow_forget_spare(h);
    shadow_adopt_moved(h);
}

/* May be called again. */
static inline void slow_end(struct slow *s)
{
    __atomic_store_n(&s->h->in_slow, false, __ATOMIC_RELEASE);
    if (s->outermost)
        sanitizer_watches();
    if (s->masks)
        signals_restore(&s->saved_signals);
    s->outermost = s->masks = false;
    errno = s->saved_errno;
}

/* Whether the exit of the process came first. */
static inline bool slow_is_too_late(const struct slow *s)
{
    return __atomic_load_n(&s->h->closing, __ATOMIC_SEQ_CST);
}

/* Fast configuration: gives `f` the identity of a call. Until its start is read it is unfinished: whatever was there
 * before ended, so its start is not after its end. */
static inline void fill_measured(struct pcomp_frame *f, uint64_t function, uint64_t sp, uint64_t node)
{
    f->function = function;
    f->node = node;
    f->sp = sp;
    frame_above(f)->function = 0;
}

static inline void enter_found(struct thread_state *h, struct pcomp_frame *f, uint64_t function, uint64_t sp,
                               struct pcomp_node *node)
{
    f->function = function;
    frame_set_node(f, node);
    f->sp = sp;
    timed_above(f)->function = 0;
    int64_t overhead = h->overhead + h->lookup_extra;
    h->overhead = overhead;
    f->overhead = overhead;
    uint64_t start = clock_ticks();
    frame_start(f, start);
    h->late_at = start + LATE_TICKS;
}

/* The rare case of enter_looked_up: the count of look-ups has wrapped. Uses general registers alone. */
void enter_carried(struct thread_state *h, struct pcomp_frame *f, uint64_t function, uint64_t sp,
                   struct pcomp_node *node);

/* Begins a timed activation whose path was looked up. The frame is published. The call is the last thing that a hook
 * does: then it saves no register for the rare case. */
static inline void enter_looked_up(struct thread_state *h, struct pcomp_frame *f, uint64_t function, uint64_t sp,
                                   struct pcomp_node *node)
{
    if (__builtin_expect(++node->lookups == 0, 0))
        enter_carried(h, f, function, sp, node);
    else
        enter_found(h, f, function, sp, node);
}

/* A frame without times: of a call during a pause, or inside the limit node; of a filtered function where calls
 * are timed. `counter` is the node that counts the call, NULL: none. `parent` serves as the parent of what it calls. */
void fill_unmeasured(struct pcomp_frame *f, uint64_t function, uint64_t sp, uint64_t parent,
                     const struct pcomp_node *counter);

static inline void frame_set_skip(struct pcomp_frame *f)
{
    const struct pcomp_frame *below = frame_below(f);
    f->start = frame_is_skipped(below) ? frame_distance(below) + 1 : 1;
}

static inline struct pcomp_frame *frame_skip(struct pcomp_frame *f)
{
    return (struct pcomp_frame *)((char *)f - frame_distance(f) * shadow_stride);
}

/* Ends a frame without times. */
void leave_unmeasured(struct thread_state *h, struct pcomp_frame *f);

/* Takes the top frame off; `abandoned`: its exit hook did not run. */
void leave_top(struct thread_state *h, uint64_t now, bool abandoned);

/* Gives the hooks their position back; h->recording is RECORDING_FAST again. */
static inline void restore_pos(struct thread_state *h)
{
    h->pos = h->saved_pos;
    if (config.counts) {
        h->saved_pos = 0;
        h->budget = BUDGET_HOOKS_SLOW;
    }
}

/* A call below the depth limit; and the end of all of them. */
void enter_too_deep(struct thread_state *h);
void leave_too_deep(struct thread_state *h);

#endif
