/* The enters of callstack.h. */
#include "profiler/hooks/callstack.h"

#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/levels.h"
#include "profiler/control/off_cpu.h"
#include "profiler/hooks/call_counts.h"
#include "profiler/hooks/open_frames.h"
#include "profiler/record/custom_timing.h"
#include "profiler/record/frames.h"
#include "profiler/trace/trace.h"

/* Paths that the first probe does not find, and calls of skipped functions. */
static bool enter_known(uint64_t function, uint64_t sp, struct thread_state *h, uint64_t pos)
{
    struct pcomp_frame *top = thread_frame(h, pos), *f = timed_above(top);
    if (!on_stack(h, sp) || sp > top->sp || stack_is_full(h, pos) || frame_is_unfinished(top))
        return false;
    struct pcomp_node *node = path_find(h, top->node, function);
    if (node) {
        enter_looked_up(h, f, function, sp, node);
        return true;
    }
    node = path_find(h, top->node, function | FRAME_SKIP_BIT);
    if (node)
        fill_unmeasured(f, function, sp, top->node, node);
    return node != NULL;
}

static bool enter_known_custom(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h)
{
    struct pcomp_frame *top = shadow_top(h), *f = frame_above(top);
    if (!on_stack(h, sp) || sp > top->sp || stack_is_full(h, h->saved_pos) || frame_is_unfinished(top))
        return false;
    struct custom_link *link = custom_find(h, top->node, function, site);
    if (!link)
        return false;
    off_cpu_enter(h, top, link->node);
    f->start = f->end = 0;
    if (thread_frame(h, thread_publish(&h->saved_pos, shadow_stride)) != top) { /* a handler has moved the frames */
        h->saved_pos -= shadow_stride;
        return false;
    }
    if (link->extra->flags & PCOMP_NODE_SKIPPED) {
        fill_unmeasured(f, function, sp, top->node, link->node);
        return true;
    }
    f->function = function;
    frame_set_node(f, link->node);
    f->sp = sp;
    frame_above(f)->function = 0;
    custom_fill(h, f, link);
    return true;
}

/* Charges what the slow enter takes to the ancestors, where it lies, and starts the activation: on the stack of the
 * program. */
static void start_slow(struct slow *s, struct pcomp_frame *f, struct pcomp_node_extra *extra)
{
    struct thread_state *h = s->h;
    struct unstarted u = {f, config.model == PCOMP_MODEL_SPLIT ? extra : NULL, s->begin};
    off_cpu_leave_out(h, s->begin);
    if (own_stack_top())
        h->unstarted = u;
    else
        frame_start_slow(h, &u, clock_read(config.clock), 0);
}

/* Whether this is a handler that interrupted an enter hook, whose frame must be left alone. A frame unfinished that a
 * jump left does no harm, but for a full stack: what is above it could not grow, and would go uncounted for ever. There
 * it is told by its address: handlers run below what they interrupt. */
static bool find_nested(struct slow *s, uint64_t sp)
{
    struct thread_state *h = s->h;
    struct pcomp_frame *top;
    while (frame_is_unfinished(top = shadow_top(h))) {
        bool left = sp > frame_below(top)->sp || (on_stack(h, top->sp) && sp >= top->sp);
        if (!left || !stack_is_full(h, *shadow_pos(h)))
            return true;
        drop_top(s, s->begin);
    }
    return false;
}

static void open_new(struct slow *s, uint64_t function, uint64_t site, uint64_t sp, bool region)
{
    struct thread_state *h = s->h;
    if (!on_stack(h, sp) && !change_stack(s, sp, s->begin)) {
        run_count_lost();
        return;
    }
    bool nested = find_nested(s, sp);
    if (!nested) {
        drop_stale(s, sp);
        drop_piled(s, function, sp);
    }
    struct pcomp_frame *top = shadow_top(h), *caller = nested ? frame_below(top) : top;
    if (stack_is_full(h, *shadow_pos(h))) {
        if (nested || !shadow_grow(h)) {
            enter_too_deep(h);
            return;
        }
        caller = top = shadow_top(h);
    }
    struct pcomp_frame *f = frame_above(top);
    uint64_t path = caller->node;
    struct pcomp_node *parent = (struct pcomp_node *)(uintptr_t)path;
    uint64_t handler = h->shadow->kind == SHADOW_SIGNAL && frame_is_root(caller) ? FRAME_SIGNAL_BIT : 0;
    if (h->recording == RECORDING_PAUSED) {
        fill_unmeasured(f, function | handler, sp, path, NULL);
        *shadow_pos(h) += shadow_stride;
        return;
    }
    struct custom_link *link = NULL;
    struct pcomp_node *node = NULL;
    bool skipped = false;
    if (config.custom) {
        link = custom_find(h, path, function, site);
        node = link ? link->node : NULL;
    } else
        node = path_find_any(h, path, function);
    if (!node && parent != h->limit_node) {
        struct function_info info =
            region ? function_find_region((const char *)(uintptr_t)function) : function_find(function);
        skipped = info.skipped;
        if (config.custom) {
            link = custom_add(h, parent, function, site, info.id, skipped, caller, sp);
            node = link ? link->node : NULL;
        } else
            node = path_add(h, parent, function, info.id, skipped, true);
    } else
        skipped = node && (node->function & FRAME_SKIP_BIT);
    if (skipped)
        fill_unmeasured(f, function | handler, sp, path, node);
    else if (!node) /* no room for the path: the limit node counts it, and all that it calls */
        fill_unmeasured(f, function | handler, sp, (uint64_t)(uintptr_t)h->limit_node, h->limit_node);
    else if (link) {
        f->start = f->end = 0;
        *shadow_pos(h) += shadow_stride;
        f->function = function | handler;
        frame_set_node(f, node);
        f->sp = sp;
        frame_above(f)->function = 0;
        slow_end(s);
        off_cpu_leave_out(h, s->begin);
        custom_fill_slow(h, f, link, s->begin);
        return;
    } else {
        struct pcomp_node_extra *extra = path_extra(h, node);
        fill_measured(f, function | handler, sp, (uint64_t)(uintptr_t)node);
        *shadow_pos(h) += shadow_stride;
        slow_end(s);
        start_slow(s, f, extra);
        return;
    }
    *shadow_pos(h) += shadow_stride;
}

/* The slow path proper. Measured functions end it inside open_new, right before their clock is read. */
static void enter_there(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h, bool region)
{
    struct slow s;
    slow_begin(&s, h);
    if (slow_is_too_late(&s)) {
        run_count_lost();
        slow_end(&s);
        return;
    }
    off_cpu_note(h, off_cpu_owner(h), s.begin);
    custom_slow_begin(h);
    if (h->recording == RECORDING_TOO_DEEP) {
        if (is_still_too_deep(h, sp)) {
            enter_too_deep(h);
            slow_end(&s);
            return;
        }
        leave_too_deep(h); /* a jump left the depths */
    }
    open_new(&s, function, site, sp, region);
    slow_end(&s);
}

/* A hook that goes the slow way, on a stack of our own. */
struct hook_call {
    uint64_t function, site, sp;
    struct thread_state *h;
    bool region;
};

static void enter_called(void *any)
{
    const struct hook_call *c = any;
    enter_there(c->function, c->site, c->sp, c->h, c->region);
}

static __attribute__((noinline)) void enter_slow(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h,
                                                 bool region)
{
    struct hook_call call = {.function = function, .site = site, .sp = sp, .h = h, .region = region};
    own_stack_run(enter_called, &call);
}

static struct thread_state *attached(struct thread_state *h, uint64_t sp)
{
    if (__builtin_expect(h->self != h, 0))
        return run_attach(sp);
    return h->recording == RECORDING_CLOSED ? NULL : h;
}

/* The call that looks is charged with the look, where its path is known; where the path is new, the slow enter that
 * follows counts from tick `begin`. The hook may have published the frame of the call. */
static void charge_poll(struct thread_state *h, uint64_t function, uint64_t begin)
{
    bool left_out = levels_leave_out(function);
    const struct pcomp_node *node = left_out ? NULL : path_find(h, (uint64_t)(uintptr_t)off_cpu_owner(h), function);
    if (left_out || node)
        off_cpu_charge_since(h, node, begin);
}

static void poll_called(void *any)
{
    const struct hook_call *call = any;
    struct thread_state *h = call->h;
    struct slow s;
    slow_begin(&s, h);
    if (!slow_is_too_late(&s) && h->recording == RECORDING_FAST) {
        off_cpu_note(h, off_cpu_owner(h), s.begin);
        levels_poll(h, clock_read(config.clock), UINT64_MAX, call->sp);
        charge_poll(h, call->function, s.begin);
    }
    slow_end(&s);
}

static __attribute__((noinline)) void poll_levels(uint64_t function, struct thread_state *h, uint64_t sp)
{
    struct hook_call call = {.function = function, .sp = sp, .h = h};
    own_stack_run(poll_called, &call);
}

/* Apart from callstack_enter, so that its registers need not be saved there. `counted`: by a slot, where that is done.
 */
static __attribute__((noinline)) void enter_other(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h,
                                                  bool counted)
{
    if (h->self != h || h->pos < NO_FRAMES_SIZE) {
        h->pos = 0;
        if (h->recording == RECORDING_CUSTOM && enter_known_custom(function, site, sp, h))
            return;
        h = attached(h, sp);
        if (!h && thread_is_closed())
            count_unmeasured(function, NULL, counted);
        if (!h || (config.in_place && !counted && !count_hook(function)))
            return;
        if (config.counts && levels_are_due(h, clock_ticks())) { /* this may be the only timed call of a short thread */
            poll_levels(function, h, sp);
            if (levels_leave_out(function))
                return;
        }
        if (h->recording == RECORDING_TRACE) {
            trace_hook_enter(function, sp);
            return;
        }
    } else {
        if (enter_known(function, sp, h, thread_pos_below(h)))
            return;
        thread_unpublish(h);
    }
    enter_slow(function, site, sp, h, false);
}

void callstack_enter_traced(uint64_t function, uint64_t site, uint64_t sp)
{
    enter_other(function, site, sp, current_thread, true);
}

static inline void enter(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h, bool counted)
{
    uint64_t pos = thread_pos_below(h);
    struct pcomp_frame *top = thread_frame(h, pos);
    /* a dead frame has start = end, so that it ends here, too; the root frame's sp is the end of the machine stack */
    if (__builtin_expect(sp >= h->low && sp <= top->sp && pos < h->limit && top->start > top->end, 1)) {
        struct pcomp_node *node = path_probe(h, top->node, function);
        if (__builtin_expect(node->function == function && node->parent == top->node, 1)) {
            enter_looked_up(h, timed_above(top), function, sp, node);
            return;
        }
    }
    enter_other(function, site, sp, h, counted);
}

/* A hook that no slot has counted has not published the frame (BUDGET_HOOKS_SLOW). */
static __attribute__((noinline)) void enter_uncounted(uint64_t function, uint64_t site, uint64_t sp,
                                                      struct thread_state *h)
{
    if (!count_hook(function))
        return;
    thread_publish(&h->pos, sizeof(struct timed_frame));
    enter(function, site, sp, h, true);
}

void callstack_enter(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct thread_state *h)
{
    (void)unused;
    if (__builtin_expect(h->budget > 0 && config.counts && h->self == h && h->pos >= NO_FRAMES_SIZE, 0))
        enter_uncounted(function, site, sp, h);
    else
        enter(function, site, sp, h, false);
}

static __attribute__((noinline)) void enter_polling(uint64_t function, uint64_t site, uint64_t sp,
                                                    struct thread_state *h)
{
    poll_levels(function, h, sp);
    if (levels_leave_out(function))
        thread_unpublish(h);
    else
        enter(function, site, sp, h, true);
}

static __attribute__((noinline)) void enter_late(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h)
{
    off_cpu_enter_late(h, thread_frame(h, thread_pos_below(h)), function, sp);
    enter(function, site, sp, h, true);
}

/* Each case is a call at the end, so that no register need be saved for the rare ones. */
void callstack_enter_counted(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct thread_state *h)
{
    (void)unused;
    uint64_t now;
    if (__builtin_expect(h->self != h || h->pos < NO_FRAMES_SIZE, 0))
        enter_other(function, site, sp, h, true);
    else if (__builtin_expect(levels_are_due(h, now = clock_ticks()), 0))
        enter_polling(function, site, sp, h);
    else if (__builtin_expect(off_cpu_is_due(h, now), 0))
        enter_late(function, site, sp, h);
    else
        enter(function, site, sp, h, true);
}

void callstack_enter_region(const char *name, uint64_t sp)
{
    uint64_t function = (uint64_t)(uintptr_t)name;
    struct thread_state *h = attached(current_thread, sp);
    if (!h && thread_is_closed())
        count_unmeasured(0, name, false);
    if (!h)
        return;
    if (h->recording == RECORDING_TRACE) {
        trace_region(name, PCOMP_EVENT_ENTER);
        return;
    }
    if (config.counts && !count_region(name))
        return;
    if (h->recording == RECORDING_FAST) {
        thread_publish(&h->pos, sizeof(struct timed_frame));
        if (enter_known(function, sp, h, thread_pos_below(h)))
            return;
        thread_unpublish(h);
    }
    enter_slow(function, 0, sp, h, true);
}
