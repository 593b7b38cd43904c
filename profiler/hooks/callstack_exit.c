/* The exits of callstack.h. */
#include "profiler/base/own_stack.h"
#include "profiler/code/functions.h"
#include "profiler/control/levels.h"
#include "profiler/control/off_cpu.h"
#include "profiler/hooks/callstack.h"
#include "profiler/hooks/open_frames.h"
#include "profiler/record/custom_timing.h"
#include "profiler/record/frames.h"
#include "profiler/record/inherited.h"
#include "profiler/record/spreads.h"
#include "profiler/trace/trace.h"

/* A hook that goes the slow way, on a stack of our own. */
struct exit_call {
    uint64_t function, sp, now;
    struct thread_state *h;
    bool region;
};

/* One thread saw the function's module unloaded after others had loaded it again and entered it, counted. */
static bool is_forgotten(uint64_t function)
{
    return config.counts && !function_is_known(function);
}

static void exit_there(uint64_t function, uint64_t sp, struct thread_state *h, uint64_t now, bool region)
{
    struct slow s;
    slow_begin(&s, h);
    struct pcomp_frame *f = NULL;
    const struct pcomp_node *node = NULL;
    if (slow_is_too_late(&s)) {
        slow_end(&s);
        return;
    }
    uint64_t looking = off_cpu_note(h, off_cpu_owner(h), now);
    if (h->recording == RECORDING_TOO_DEEP) {
        if (is_still_too_deep(h, sp)) {
            if (--h->too_deep_calls == 0)
                leave_too_deep(h);
            slow_end(&s);
            return;
        }
        leave_too_deep(h); /* a jump left the depths */
    }
    if (on_stack(h, sp) || change_stack(&s, sp, now))
        f = find_open(h, function, sp, region);
    if (!f && (region ? levels_leave_out_region(function) : levels_leave_out(function) || is_forgotten(function)))
        ;
    else if (!f)
        h->thread->unmatched++;
    else {
        drop_above(&s, f, now);
        if (!frame_is_skipped(f))
            node = frame_node(f);
        leave_top(h, now, false);
    }
    if (h->shadow->kind == SHADOW_SIGNAL && frame_is_root(shadow_top(h)))
        shadow_switch_to(h, h->shadow->interrupted->id, now); /* what was interrupted may be a hook */
    if (node)
        off_cpu_charge(h, node, looking);
    slow_end(&s);
}

static void exit_called(void *any)
{
    const struct exit_call *c = any;
    exit_there(c->function, c->sp, c->h, c->now, c->region);
}

static __attribute__((noinline)) void exit_slow(uint64_t function, uint64_t sp, struct thread_state *h, uint64_t now,
                                                bool region)
{
    struct exit_call call = {.function = function, .sp = sp, .now = now, .h = h, .region = region};
    own_stack_run(exit_called, &call);
}

static bool exit_known(uint64_t function, uint64_t sp, struct thread_state *h, uint64_t now)
{
    struct pcomp_frame *top = shadow_top(h);
    if (!on_stack(h, sp))
        return false;
    if (top->function == (function | FRAME_SKIP_BIT) && frame_is_skipped(top)) {
        leave_unmeasured(h, top);
        *shadow_pos(h) -= shadow_stride;
        return true;
    }
    if (top->function != function || now < top->start || frame_is_unfinished(top) || h->recording == RECORDING_PAUSED)
        return false;
    struct pcomp_node *node = frame_node(top);
    uint64_t late_at = h->late_at;
    if (config.counts && now >= late_at)
        off_cpu_catch_up(h, top, (const struct pcomp_node *)(uintptr_t)node->parent);
    if (config.custom)
        custom_account(h, top, now);
    else
        frame_account(h, top, now); /* late, or a frame so large that a tail jump leaves the reach of the fast check */
    *shadow_pos(h) -= shadow_stride;
    if (config.counts && now >= late_at)
        off_cpu_exit(h, node, late_at, now);
    return true;
}

static bool has_frame_at(struct thread_state *h, uint64_t function, uint64_t sp)
{
    for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f) && f->sp <= sp; f = frame_below(f))
        if (f->sp == sp && frame_function(f) == function && !frame_is_unfinished(f))
            return true;
    return false;
}

/* Of a function that is no longer timed, whose sites could not be turned off, and that no frame is left of. */
static bool exits_uncounted(struct thread_state *h, uint64_t function, uint64_t sp)
{
    return config.counts && h->recording == RECORDING_FAST && on_stack(h, sp) && !frame_is_unfinished(shadow_top(h)) &&
           !has_frame_at(h, function, sp) && levels_leave_out(function);
}

/* That of the hook, unless it has none, or another one than the fast hooks. */
static inline uint64_t exit_clock(uint64_t now)
{
    return config.custom || config.counts || !now ? clock_read(config.clock) : now;
}

void callstack_exit(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h, uint64_t now)
{
    (void)site;
    if (h->self != h || h->recording == RECORDING_CLOSED) {
        if (h->self != h)
            inherited_leave(function); /* entered before the thread was measured, or before the fork */
        return;
    }
    if (h->recording == RECORDING_TRACE) {
        trace_hook_exit(function, sp);
        return;
    }
    if (exits_uncounted(h, function, sp))
        return;
    now = exit_clock(now);
    if (h->recording <= RECORDING_CUSTOM && exit_known(function, sp, h, now))
        return;
    exit_slow(function, sp, h, now, false);
}

void callstack_exit_region(const char *name, uint64_t sp, uint64_t now)
{
    struct thread_state *h = current_thread;
    if (h->self != h || h->recording == RECORDING_CLOSED)
        return;
    if (h->recording == RECORDING_TRACE) {
        trace_region(name, PCOMP_EVENT_EXIT);
        return;
    }
    now = exit_clock(now);
    if (h->recording <= RECORDING_CUSTOM && shadow_top(h)->function == (uint64_t)(uintptr_t)name &&
        exit_known((uint64_t)(uintptr_t)name, shadow_top(h)->sp, h, now))
        return;
    exit_slow((uint64_t)(uintptr_t)name, sp, h, now, true);
}
