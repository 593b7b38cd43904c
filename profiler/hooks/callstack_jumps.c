#include "profiler/hooks/callstack.h"

#include "profiler/base/store.h"
#include "profiler/code/functions.h"
#include "profiler/control/off_cpu.h"
#include "profiler/hooks/open_frames.h"
#include "profiler/record/custom_timing.h"
#include "profiler/record/frames.h"
#include "profiler/record/spreads.h"
#include "profiler/trace/trace.h"

/* --- jumps ---------------------------------------------------------------------------------------------------------
 */

static struct thread_state *measured_thread(void)
{
    struct thread_state *h = current_thread;
    return h->self == h && h->recording != RECORDING_CLOSED && h->shadow ? h : NULL;
}

void callstack_caught(uint64_t sp)
{
    struct thread_state *h = measured_thread();
    struct slow s;
    if (h) {
        slow_begin(&s, h);
        if (!slow_is_too_late(&s))
            __atomic_fetch_add(&store_header->catches, 1, __ATOMIC_RELAXED);
        slow_end(&s);
    }
    callstack_unwind(sp);
}

/* Begins slow work that needs the frames: those beyond the greatest depth are left, because they are not recorded. */
static void begin_at_recorded_depth(struct slow *s, struct thread_state *h)
{
    slow_begin(s, h);
    off_cpu_note(h, off_cpu_owner(h), s->begin);
    if (h->recording == RECORDING_TOO_DEEP)
        leave_too_deep(h);
}

void callstack_unwind(uint64_t sp)
{
    struct thread_state *h = measured_thread();
    if (!h)
        trace_jumped();
    if (!h || !on_stack(h, sp) || shadow_top(h)->sp >= sp)
        return;
    struct slow s;
    begin_at_recorded_depth(&s, h);
    while (!frame_is_root(shadow_top(h)) && shadow_top(h)->sp < sp)
        leave_top(h, s.begin, true);
    slow_end(&s);
}

#define DEPTH_BITS 40

/* Of the current shadow stack. */
static uint64_t first_frame(const struct thread_state *h)
{
    return (uint64_t)(uintptr_t)(h->shadow->chunk + 1) + sizeof(struct pcomp_stack);
}

static uint64_t depth_now(struct thread_state *h)
{
    return (uint64_t)h->shadow->id << DEPTH_BITS |
           ((uint64_t)(uintptr_t)shadow_top(h) - first_frame(h) + shadow_stride);
}

/* Whether frames are still open, or a stack current, whose functions have returned without hooks: they are counted in
 * place. A handler that is counted has no stack of its own, as its exit would not leave it. */
static bool is_behind(struct thread_state *h, uint64_t sp)
{
    if (h->recording != RECORDING_FAST && h->recording != RECORDING_CUSTOM)
        return false;
    if (!on_stack(h, sp))
        return !shadow_is_signal_stack(sp);
    return !frame_is_unfinished(shadow_top(h)) && shadow_top(h)->sp < sp;
}

static void catch_up(struct thread_state *h, uint64_t sp)
{
    struct slow s;
    slow_begin(&s, h);
    off_cpu_note(h, off_cpu_owner(h), s.begin);
    if (!slow_is_too_late(&s) && (on_stack(h, sp) || change_stack(&s, sp, s.begin)) &&
        !frame_is_unfinished(shadow_top(h)))
        drop_stale(&s, sp);
    slow_end(&s);
}

uint64_t callstack_depth(uint64_t sp)
{
    struct thread_state *h = measured_thread();
    if (!h)
        return trace_depth();
    if (is_behind(h, sp))
        catch_up(h, sp);
    return depth_now(h);
}

void callstack_restore(uint64_t depth)
{
    struct thread_state *h = depth ? measured_thread() : NULL;
    if (!h && depth)
        trace_restore(depth);
    if (!h || depth_now(h) == depth)
        return;
    struct slow s;
    begin_at_recorded_depth(&s, h);
    if (h->shadow->id != depth >> DEPTH_BITS) {
        /* out of a handler on a signal stack; a coroutine keeps its open activations */
        while (h->shadow->kind == SHADOW_SIGNAL && !frame_is_root(shadow_top(h)))
            leave_top(h, s.begin, true);
        shadow_switch_to(h, (uint32_t)(depth >> DEPTH_BITS), s.begin);
    }
    while (h->shadow->id == depth >> DEPTH_BITS && depth_now(h) > depth)
        leave_top(h, s.begin, true);
    slow_end(&s);
}

/* --- pauses, ends, forks -------------------------------------------------------------------------------------------
 */

void callstack_pause(void)
{
    struct thread_state *h = measured_thread();
    if (!h)
        trace_pause();
    if (!h || h->paused++)
        return;
    struct slow s;
    begin_at_recorded_depth(&s, h);
    h->pause_tick = s.begin;
    h->paused_recording = h->recording;
    if (h->recording == RECORDING_FAST) {
        h->budget = 0;
        h->saved_pos = h->pos;
        h->pos = 0;
    }
    h->recording = RECORDING_PAUSED;
    slow_end(&s);
}

void callstack_resume(void)
{
    struct thread_state *h = measured_thread();
    if (!h)
        trace_resume();
    if (!h || !h->paused || --h->paused)
        return;
    struct slow s;
    slow_begin(&s, h);
    if (h->recording == RECORDING_TOO_DEEP)
        leave_too_deep(h);
    uint64_t now = clock_read(config.clock), rested = now - h->pause_tick;
    for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f); f = frame_below(f))
        if (!frame_is_skipped(f))
            f->start += rested;
    frame_above(shadow_top(h))->function = 0;
    h->recording = h->paused_recording;
    if (h->recording == RECORDING_FAST)
        restore_pos(h);
    off_cpu_restart(h);
    slow_end(&s);
    h->thread->paused_ticks += rested;
}

/* Of the current shadow stack. */
static void flush_pending(struct thread_state *h)
{
    struct timed_frame *frames = (struct timed_frame *)(uintptr_t)first_frame(h);
    for (uint32_t i = 0; !config.custom && i < h->shadow->chunk->capacity; i++)
        spread_flush(h, &frames[i].pending);
}

void callstack_close_all(struct thread_state *h, uint64_t now)
{
    struct shadow *current = h->shadow;
    off_cpu_note(h, off_cpu_owner(h), now);
    for (struct shadow *s = h->shadows; s; s = s->next) {
        bool runs = shadow_runs(current, s);
        if (runs)
            shadow_show(h, s);
        else
            shadow_show_resting(h, s);
        while (!frame_is_root(shadow_top(h)))
            leave_top(h, runs ? now : s->left_tick, false);
        flush_pending(h);
    }
    shadow_show(h, current);
}
