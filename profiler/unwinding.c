#include "profiler/callstack.h"

#include "profiler/frames.h"
#include "profiler/functions.h"
#include "profiler/general.h"
#include "profiler/off_cpu.h"
#include "profiler/sampling.h"
#include "profiler/switching.h"
#include "profiler/threads.h"
#include "profiler/trace_process.h"

/* --- jumps ---------------------------------------------------------------------------------------------------------
 */

static struct hot *measured_thread(void)
{
    struct hot *h = hot_thread;
    return h->self == h && h->park != PARK_CLOSED && h->shadow ? h : NULL;
}

/* Where calls are counted, a jump is the exit of the outermost activation that it leaves. */
static bool jump_begin(struct slow *s, uint64_t sp)
{
    return s->h->park == PARK_SAMPLED && sampling_jump(s->h, sp, s->begin);
}

static void jump_leave_top(struct slow *s)
{
    const struct pcomp_frame *top = shadow_top(s->h);
    if (top->end != FRAME_UNMEASURED && !frame_in_flight(top))
        s->event = (struct pcomp_node *)(uintptr_t)top->node;
    leave_top(s->h, s->begin, true);
}

void callstack_unwind(uint64_t sp)
{
    struct hot *h = measured_thread();
    if (!h)
        trace_jumped();
    if (!h || switching_off || h->sampling.repair || !on_stack(h, sp) || shadow_top(h)->sp >= sp)
        return;
    struct slow s;
    slow_begin(&s, h);
    off_cpu_note(h, off_cpu_owner(h), s.begin);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    bool stamped = jump_begin(&s, sp);
    while (!frame_is_root(shadow_top(h)) && shadow_top(h)->sp < sp)
        jump_leave_top(&s);
    slow_end(&s);
    end_stamped(&s, stamped, true);
}

#define DEPTH_BITS 40

/* Of the current shadow stack. */
static uint64_t first_frame(const struct hot *h)
{
    return (uint64_t)(uintptr_t)(h->shadow->chunk + 1) + sizeof(struct pcomp_stack);
}

/* Where hooks are turned off, the depth of an activation is not always the same: jumps are followed by address. */
uint64_t callstack_depth(void)
{
    struct hot *h = measured_thread();
    if (!h)
        return trace_depth();
    if (switching_used)
        return 0;
    return (uint64_t)h->shadow->id << DEPTH_BITS |
           ((uint64_t)(uintptr_t)shadow_top(h) - first_frame(h) + shadow_stride);
}

/* The top frame at that depth. */
static const struct pcomp_frame *frame_at(const struct hot *h, uint64_t depth)
{
    uint64_t offset = (depth & ((UINT64_C(1) << DEPTH_BITS) - 1)) - shadow_stride;
    return (const struct pcomp_frame *)(uintptr_t)(first_frame(h) + offset);
}

void callstack_restore(uint64_t depth)
{
    struct hot *h = depth ? measured_thread() : NULL;
    if (!h && depth)
        trace_restore(depth);
    if (!h || switching_used || callstack_depth() == depth)
        return;
    struct slow s;
    slow_begin(&s, h);
    off_cpu_note(h, off_cpu_owner(h), s.begin);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    if (h->shadow->id != depth >> DEPTH_BITS) {
        /* out of a handler on a signal stack; a coroutine keeps its open activations */
        while (h->shadow->kind == SHADOW_SIGNAL && !frame_is_root(shadow_top(h)))
            jump_leave_top(&s);
        shadow_switch_to(h, (uint32_t)(depth >> DEPTH_BITS), s.begin);
        sampling_find_region(h);
    }
    bool stamped = jump_begin(&s, frame_at(h, depth)->sp);
    while (h->shadow->id == depth >> DEPTH_BITS && callstack_depth() > depth)
        jump_leave_top(&s);
    slow_end(&s);
    end_stamped(&s, stamped, true);
}

/* --- pauses, ends, forks -------------------------------------------------------------------------------------------
 */

void callstack_pause(void)
{
    struct hot *h = measured_thread();
    if (!h)
        trace_pause();
    if (!h || h->paused++)
        return;
    struct slow s;
    slow_begin(&s, h);
    off_cpu_note(h, off_cpu_owner(h), s.begin);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    h->pause_tick = s.begin;
    h->paused_park = h->park;
    if (h->park == PARK_SAMPLED)
        thread_stop_sampling(h, s.begin, false);
    if (h->park == PARK_NONE) {
        h->budget = 0;
        h->parked_pos = h->pos;
        h->pos = 0;
    }
    h->park = PARK_PAUSED;
    slow_end(&s);
}

void callstack_resume(void)
{
    struct hot *h = measured_thread();
    if (!h)
        trace_resume();
    if (!h || !h->paused || --h->paused)
        return;
    struct slow s;
    slow_begin(&s, h);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    uint64_t now = clock_read(config.clock), rested = now - h->pause_tick;
    for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f) && !config.sampled; f = frame_below(f))
        if (f->end != FRAME_UNMEASURED)
            f->start += rested;
    frame_above(shadow_top(h))->function = 0;
    h->park = h->paused_park;
    if (h->park == PARK_NONE)
        unpark(h);
    off_cpu_restart(h);
    slow_end(&s);
    if (h->park == PARK_SAMPLED)
        rested = sampling_resume(h, h->pause_tick, now);
    h->thread->paused_ticks += rested;
}

void callstack_close_all(struct hot *h, uint64_t now)
{
    struct shadow *current = h->shadow;
    off_cpu_note(h, off_cpu_owner(h), now);
    for (struct shadow *s = h->shadows; s; s = s->next) {
        shadow_show(h, s);
        if (switching_used)
            bring_back_lost(h);
        while (!frame_is_root(shadow_top(h)))
            leave_top(h, shadow_runs(current, s) ? now : s->left_tick, false);
    }
    shadow_show(h, current);
}

bool callstack_inherit(struct hot *h, uint64_t function, uint64_t sp)
{
    uint64_t start = h->thread->start_tick;
    if (!on_stack(h, sp))
        return false;
    if (stack_is_full(h, *shadow_pos(h)) && !shadow_grow(h))
        return false;
    struct pcomp_frame *top = shadow_top(h);
    struct function_info info = function_find(function);
    struct pcomp_node *parent = (struct pcomp_node *)(uintptr_t)frame_path(top), *node;
    struct general_link *link = NULL;
    if (config.general) {
        link = general_find(h, frame_path(top), function, 0);
        if (!link)
            link = general_add(h, parent, function, 0, info.id, info.skipped, top, 0);
        node = link ? link->node : NULL;
    } else {
        node = path_find_any(h, frame_path(top), function);
        if (!node)
            node = path_add(h, parent, function, info.id, info.skipped, true);
    }
    struct pcomp_frame *f = frame_above(top);
    if (!node)
        return false;
    fill_measured(f, function | FRAME_SKIP_BIT, sp, (uint64_t)(uintptr_t)node); /* measured, but not counted */
    *shadow_pos(h) += shadow_stride;
    f->overhead = h->overhead;
    if (link)
        general_fill(h, f, link);
    f->start = config.sampled ? path_below(node) : start;
    return true;
}
