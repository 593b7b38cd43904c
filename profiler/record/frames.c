#include "profiler/record/frames.h"

#include "profiler/base/run.h"
#include "profiler/record/custom_timing.h"
#include "profiler/record/spreads.h"

static int64_t skip_cost(void)
{
    return config.model == PCOMP_MODEL_SPLIT ? run_delta[PCOMP_VARIANT_SKIP].descendant : 0;
}

static void account(struct thread_state *h, struct pcomp_frame *f, uint64_t now)
{
    if (now < f->start) {
        h->thread->backwards++;
        now = f->start + 1;
    }
    if (config.custom)
        custom_account(h, f, now);
    else
        frame_account(h, f, now);
}

void enter_carried(struct thread_state *h, struct pcomp_frame *f, uint64_t function, uint64_t sp,
                   struct pcomp_node *node)
{
    path_carry_lookups(h, node);
    enter_found(h, f, function, sp, node);
}

void fill_unmeasured(struct pcomp_frame *f, uint64_t function, uint64_t sp, uint64_t parent,
                     const struct pcomp_node *counter)
{
    f->function = function | FRAME_SKIP_BIT;
    f->node = parent;
    f->sp = sp;
    frame_set_counter(f, counter);
    frame_above(f)->function = 0;
    if (config.counts)
        f->start = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* complete before it is no longer unfinished */
    f->end = FRAME_UNMEASURED;
    if (config.counts)
        frame_set_skip(f);
}

void leave_unmeasured(struct thread_state *h, struct pcomp_frame *f)
{
    struct pcomp_node *counter = frame_counter(f);
    f->function = 0;
    f->start = f->end = 0;
    if (counter) {
        counter->calls++;
        h->overhead += skip_cost();
        custom_leave_skipped(h);
    }
}

void leave_top(struct thread_state *h, uint64_t now, bool abandoned)
{
    struct pcomp_frame *top = shadow_top(h);
    INVARIANT(!frame_is_root(top));
    if (frame_is_skipped(top))
        leave_unmeasured(h, top);
    else if (!frame_is_unfinished(top)) {
        struct pcomp_node *node = frame_node(top);
        /* A handler came since this hook read the clock: the activation began and was left there, or begins later by
         * what a first call took there (off_cpu_charge_since). */
        if (now < top->start)
            now = clock_read(config.clock);
        account(h, top, h->recording == RECORDING_PAUSED && now > h->pause_tick ? h->pause_tick : now);
        node->calls -= (top->function & FRAME_SKIP_BIT) != 0; /* inherited: the parent of the fork counts it */
        h->thread->abandoned += abandoned;
    }
    *shadow_pos(h) -= shadow_stride;
}

void enter_too_deep(struct thread_state *h)
{
    h->thread->beyond_depth++;
    h->limit_node->calls++;
    if (h->too_deep_calls++ == 0) {
        h->outer_recording = h->recording;
        if (h->recording == RECORDING_FAST) {
            h->saved_pos = h->pos;
            h->pos = 0;
        }
        h->recording = RECORDING_TOO_DEEP;
        h->budget = 0;
    }
}

void leave_too_deep(struct thread_state *h)
{
    h->too_deep_calls = 0;
    h->recording = h->outer_recording;
    if (h->recording == RECORDING_FAST)
        restore_pos(h);
}
