#include "profiler/callstack.h"

#include "profiler/clock.h"
#include "profiler/config.h"
#include "profiler/forks.h"
#include "profiler/functions.h"
#include "profiler/general.h"
#include "profiler/paths.h"
#include "profiler/session.h"
#include "profiler/shadow.h"
#include "profiler/spin.h"
#include "profiler/store.h"

#include <errno.h>

/* What a slow hook needs besides its arguments. */
struct slow {
    struct hot *h;
    uint64_t begin; /* tick at its start */
    int saved_errno;
    sigset_t saved_signals;
};

static void slow_begin(struct slow *s, struct hot *h)
{
    s->begin = clock_read(config.clock);
    s->h = h;
    s->saved_errno = errno;
    signals_block(&s->saved_signals);
}

static void slow_end(struct slow *s)
{
    signals_restore(&s->saved_signals);
    errno = s->saved_errno;
}

static bool on_stack(const struct hot *h, uint64_t sp)
{
    return sp - h->low < h->reach;
}

static bool stack_is_full(const struct hot *h, uint64_t pos)
{
    return pos >= h->limit;
}

static int64_t skip_cost(void)
{
    return config.model == PCOMP_MODEL_SPLIT ? session_delta[PCOMP_VARIANT_SKIP].descendant : 0;
}

static void account(struct hot *h, struct pcomp_frame *f, uint64_t now)
{
    if (now < f->start) {
        h->thread->backwards++;
        now = f->start + 1;
    }
    if (config.general)
        general_account(h, f, now);
    else
        hot_account(h, f, now);
}

/* --- frames that are not measured ----------------------------------------------------------------------------------
 */

/* A frame without times: of a skipped function, of a call during a pause, or inside the beyond-limit node. `counter` is
 * the node that counts the call, NULL: none. `parent` serves as the parent of what it calls. */
static void fill_unmeasured(struct pcomp_frame *f, uint64_t function, uint64_t sp, uint64_t parent,
                            const struct pcomp_node *counter)
{
    f->end = FRAME_UNMEASURED;
    f->function = function | FRAME_SKIP_BIT;
    f->node = parent;
    f->sp = sp;
    f->overhead = (int64_t)(uintptr_t)counter;
    frame_above(f)->function = 0;
}

static void leave_unmeasured(struct hot *h, struct pcomp_frame *f)
{
    struct pcomp_node *counter = (struct pcomp_node *)(uintptr_t)f->overhead;
    f->function = 0;
    f->start = f->end = 0;
    if (counter) {
        counter->calls++;
        h->overhead += skip_cost();
    }
}

/* Takes the top frame off; `abandoned`: its exit hook did not run. */
static void leave_top(struct hot *h, uint64_t now, bool abandoned)
{
    struct pcomp_frame *top = shadow_top(h);
    if (top->end == FRAME_UNMEASURED)
        leave_unmeasured(h, top);
    else if (!frame_in_flight(top)) {
        struct pcomp_node *node = (struct pcomp_node *)(uintptr_t)top->node;
        if (now < top->start && abandoned)
            now = clock_read(config.clock); /* it began and was left while this hook was about to start */
        account(h, top, h->park == PARK_PAUSED && now > h->pause_tick ? h->pause_tick : now);
        node->calls -= (top->function & FRAME_SKIP_BIT) != 0; /* inherited: the parent of the fork counts it */
        h->thread->abandoned += abandoned;
    }
    *shadow_pos(h) -= shadow_stride;
}

/* --- enter ---------------------------------------------------------------------------------------------------------
 */

/* Fast configuration: gives `f` the identity of a call. Until its start is read it is in flight: whatever was there
 * before ended, so its start is not after its end. */
static inline void fill_measured(struct pcomp_frame *f, uint64_t function, uint64_t sp, uint64_t node)
{
    f->function = function;
    f->node = node;
    f->sp = sp;
    frame_above(f)->function = 0;
}

static inline void enter_looked_up(struct hot *h, struct pcomp_frame *f, uint64_t function, uint64_t sp,
                                   struct pcomp_node *node)
{
    node->lookups++;
    f->function = function;
    f->node = (uint64_t)(uintptr_t)node;
    f->sp = sp;
    (f + 1)->function = 0;
    int64_t overhead = h->overhead + h->lookup_extra;
    h->overhead = overhead;
    f->overhead = overhead;
    f->start = hot_clock();
}

/* Paths that the first probe does not find, and calls of skipped functions. */
static bool enter_known(uint64_t function, uint64_t sp, struct hot *h, uint64_t pos)
{
    struct pcomp_frame *top = hot_frame(h, pos), *f = top + 1;
    if (!on_stack(h, sp) || sp > top->sp || stack_is_full(h, pos) || frame_in_flight(top))
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

static bool enter_known_general(uint64_t function, uint64_t site, uint64_t sp, struct hot *h)
{
    struct pcomp_frame *top = shadow_top(h), *f = frame_above(top);
    if (!on_stack(h, sp) || sp > top->sp || stack_is_full(h, h->parked_pos) || frame_in_flight(top))
        return false;
    struct general_link *link = general_find(h, top->node, function, site);
    if (!link)
        return false;
    if (link->extra->flags & PCOMP_NODE_SKIPPED) {
        fill_unmeasured(f, function, sp, top->node, link->node);
        h->parked_pos += shadow_stride;
        return true;
    }
    f->start = f->end = 0;
    h->parked_pos += shadow_stride;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    f->function = function;
    f->node = (uint64_t)(uintptr_t)link->node;
    f->sp = sp;
    frame_above(f)->function = 0;
    general_fill(h, f, link);
    return true;
}

/* Charges what the slow enter took to the ancestors, where it lies, and starts the activation. */
static void start_slow(struct slow *s, struct pcomp_frame *f, struct pcomp_node_extra *extra)
{
    struct hot *h = s->h;
    uint64_t now = clock_read(config.clock);
    if (extra && config.model == PCOMP_MODEL_SPLIT) {
        extra->slow_ticks += now - s->begin;
        h->overhead += (int64_t)((now - s->begin) << PCOMP_FIX_SHIFT);
    }
    f->overhead = h->overhead;
    f->start = now;
}

/* Follows the program to the machine stack of `sp`. */
static bool change_stack(struct slow *s, uint64_t sp, uint64_t now)
{
    struct hot *h = s->h;
    const struct shadow *from = h->shadow;
    if (!shadow_switch(h, sp, now))
        return false;
    if (h->shadow != from && h->shadow->kind == SHADOW_SIGNAL) {
        while (!frame_is_root(shadow_top(h))) { /* a jump left an earlier handler */
            h->thread->uncertain++;
            leave_top(h, now, true);
        }
        shadow_set_parent(h);
    }
    return true;
}

/* Drops activations that ended without their exit hooks: the caller of a new one lies above them on the stack. */
static void drop_stale(struct slow *s, uint64_t sp)
{
    while (!frame_is_root(shadow_top(s->h)) && shadow_top(s->h)->sp < sp) {
        s->h->thread->uncertain++;
        leave_top(s->h, s->begin, true);
    }
}

static void go_deep(struct hot *h)
{
    h->thread->beyond_depth++;
    h->beyond->calls++;
    if (h->deep++ == 0) {
        h->outer_park = h->park;
        if (h->park == PARK_NONE) {
            h->parked_pos = h->pos;
            h->pos = 0;
        }
        h->park = PARK_DEEP;
    }
}

static void leave_deep(struct hot *h)
{
    h->deep = 0;
    h->park = h->outer_park;
    if (h->park == PARK_NONE)
        h->pos = h->parked_pos;
}

static void open_new(struct slow *s, uint64_t function, uint64_t site, uint64_t sp, bool region)
{
    struct hot *h = s->h;
    if (!on_stack(h, sp) && !change_stack(s, sp, s->begin)) {
        session_count_lost();
        return;
    }
    struct pcomp_frame *top = shadow_top(h), *caller = top;
    bool nested = frame_in_flight(top); /* a signal inside an enter hook: that frame is left alone */
    if (nested)
        caller = frame_below(top);
    else {
        drop_stale(s, sp);
        caller = top = shadow_top(h);
    }
    if (stack_is_full(h, *shadow_pos(h))) {
        if (nested || !shadow_grow(h)) {
            go_deep(h);
            return;
        }
        caller = top = shadow_top(h);
    }
    struct pcomp_frame *f = frame_above(top);
    struct pcomp_node *parent = (struct pcomp_node *)(uintptr_t)caller->node;
    uint64_t handler = h->shadow->kind == SHADOW_SIGNAL && frame_is_root(caller) ? FRAME_SIGNAL_BIT : 0;
    if (h->park == PARK_PAUSED) {
        fill_unmeasured(f, function | handler, sp, caller->node, NULL);
        *shadow_pos(h) += shadow_stride;
        return;
    }
    struct general_link *link = NULL;
    struct pcomp_node *node = NULL;
    bool skipped = false;
    if (config.general) {
        link = general_find(h, caller->node, function, site);
        node = link ? link->node : NULL;
        skipped = link && (link->extra->flags & PCOMP_NODE_SKIPPED);
    } else
        node = path_find(h, caller->node, function);
    if (!node && parent != h->beyond) {
        struct function_info info =
            region ? function_find_region((const char *)(uintptr_t)function) : function_find(function);
        skipped = info.skipped;
        if (config.general) {
            link = general_add(h, parent, function, site, info.id, skipped, caller, sp);
            node = link ? link->node : NULL;
        } else
            node = path_add(h, parent, function, info.id, skipped, true);
    }
    if (skipped)
        fill_unmeasured(f, function | handler, sp, caller->node, node);
    else if (!node) /* no room for the path: the beyond-limit node counts it, and all that it calls */
        fill_unmeasured(f, function | handler, sp, (uint64_t)(uintptr_t)h->beyond, h->beyond);
    else if (config.general) {
        f->start = f->end = 0;
        *shadow_pos(h) += shadow_stride;
        f->function = function | handler;
        f->node = (uint64_t)(uintptr_t)node;
        f->sp = sp;
        frame_above(f)->function = 0;
        slow_end(s);
        uint64_t now = clock_read(config.clock);
        if (config.model == PCOMP_MODEL_SPLIT) {
            link->extra->slow_ticks += now - s->begin;
            h->overhead += (int64_t)((now - s->begin) << PCOMP_FIX_SHIFT);
        }
        general_fill(h, f, link);
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
static void enter_slow(uint64_t function, uint64_t site, uint64_t sp, struct hot *h, bool region)
{
    struct slow s;
    slow_begin(&s, h);
    if (h->park == PARK_DEEP) {
        if (on_stack(h, sp) && sp <= shadow_top(h)->sp) {
            go_deep(h);
            slow_end(&s);
            return;
        }
        leave_deep(h); /* a jump left the depths */
    }
    open_new(&s, function, site, sp, region);
    slow_end(&s);
}

static struct hot *attached(struct hot *h, uint64_t sp)
{
    if (__builtin_expect(h->self != h, 0))
        return session_attach(sp);
    if (h->park == PARK_CLOSED) {
        session_count_lost();
        return NULL;
    }
    return h;
}

/* Apart from callstack_enter, so that its registers need not be saved there. */
static __attribute__((noinline)) void enter_other(uint64_t function, uint64_t site, uint64_t sp, struct hot *h,
                                                  uint64_t pos)
{
    if (h->self != h || pos < HOT_DEAD_SIZE) {
        h->pos = 0;
        if (h->park == PARK_GENERAL && enter_known_general(function, site, sp, h))
            return;
        h = attached(h, sp);
        if (!h)
            return;
    } else {
        if (enter_known(function, sp, h, pos))
            return;
        h->pos = pos;
    }
    enter_slow(function, site, sp, h, false);
}

void callstack_enter(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct hot *h, uint64_t pos)
{
    (void)unused;
    struct pcomp_frame *top = hot_frame(h, pos);
    /* a dead frame has start = end, so that it ends here, too; the root frame's sp is the end of the machine stack */
    if (__builtin_expect(sp >= h->low && sp <= top->sp && pos < h->limit && top->start > top->end, 1)) {
        struct pcomp_node *node = path_probe(h, top->node, function);
        if (__builtin_expect(node->function == function && node->parent == top->node, 1)) {
            enter_looked_up(h, top + 1, function, sp, node);
            return;
        }
    }
    enter_other(function, site, sp, h, pos);
}

void callstack_enter_region(const char *name, uint64_t sp)
{
    uint64_t function = (uint64_t)(uintptr_t)name;
    struct hot *h = attached(hot_thread, sp);
    if (!h)
        return;
    if (h->park == PARK_NONE) {
        uint64_t pos = h->pos;
        h->pos = pos + sizeof(struct pcomp_frame);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (enter_known(function, sp, h, pos))
            return;
        h->pos = pos;
    }
    enter_slow(function, 0, sp, h, true);
}

/* --- exit ----------------------------------------------------------------------------------------------------------
 */

/* The open frame that an exit of `function` at stack address `sp` belongs to; NULL: none. An exit of the top's function
 * is the top's, however low: alloca and arrays of variable length lower the stack after the enter hook. */
static struct pcomp_frame *find_open(struct hot *h, uint64_t function, uint64_t sp, bool region)
{
    for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f); f = frame_below(f)) {
        if ((f->function & ~(FRAME_SKIP_BIT | FRAME_SIGNAL_BIT)) == function &&
            (f->sp <= sp + HOT_EXIT_BELOW || region || f == shadow_top(h)))
            return f;
        if (f->sp > sp + HOT_EXIT_BELOW && !region)
            return NULL; /* an older activation, still running */
    }
    return NULL;
}

static void exit_slow(uint64_t function, uint64_t sp, struct hot *h, uint64_t now, bool region)
{
    struct slow s;
    slow_begin(&s, h);
    struct pcomp_frame *f = NULL;
    if (h->park == PARK_DEEP) {
        if (on_stack(h, sp) && sp <= shadow_top(h)->sp) {
            if (--h->deep == 0)
                leave_deep(h);
            slow_end(&s);
            return;
        }
        leave_deep(h); /* a jump left the depths */
    }
    if (on_stack(h, sp) || change_stack(&s, sp, now))
        f = find_open(h, function, sp, region);
    if (!f)
        h->thread->unmatched++;
    else {
        while (shadow_top(h) != f) {
            h->thread->uncertain++;
            leave_top(h, now, true);
        }
        leave_top(h, now, false);
    }
    if (h->shadow->kind == SHADOW_SIGNAL && frame_is_root(shadow_top(h)))
        shadow_switch_to(h, h->shadow->interrupted->id, now); /* what was interrupted may be a hook */
    slow_end(&s);
}

static bool exit_known(uint64_t function, uint64_t sp, struct hot *h, uint64_t now)
{
    struct pcomp_frame *top = shadow_top(h);
    if (!on_stack(h, sp))
        return false;
    if (top->function == (function | FRAME_SKIP_BIT) && top->end == FRAME_UNMEASURED) {
        leave_unmeasured(h, top);
        *shadow_pos(h) -= shadow_stride;
        return true;
    }
    if (top->function != function || now < top->start || frame_in_flight(top) || h->park == PARK_PAUSED)
        return false;
    if (config.general)
        general_account(h, top, now);
    else
        hot_account(h, top, now); /* a frame so large that a tail jump leaves the reach of the fast check */
    *shadow_pos(h) -= shadow_stride;
    return true;
}

void callstack_exit(uint64_t function, uint64_t site, uint64_t sp, struct hot *h, uint64_t now)
{
    (void)site;
    if (h->self != h || h->park == PARK_CLOSED) {
        if (h->self != h)
            fork_leave(function); /* entered before the thread was measured, or before the fork */
        return;
    }
    if (config.general)
        now = clock_read(config.clock);
    if (h->park <= PARK_GENERAL && exit_known(function, sp, h, now))
        return;
    exit_slow(function, sp, h, now, false);
}

void callstack_exit_region(const char *name, uint64_t sp, uint64_t now)
{
    struct hot *h = hot_thread;
    if (h->self != h || h->park == PARK_CLOSED)
        return;
    if (config.general)
        now = clock_read(config.clock);
    if (h->park <= PARK_GENERAL && shadow_top(h)->function == (uint64_t)(uintptr_t)name &&
        exit_known((uint64_t)(uintptr_t)name, shadow_top(h)->sp, h, now))
        return;
    exit_slow((uint64_t)(uintptr_t)name, sp, h, now, true);
}

/* --- jumps ---------------------------------------------------------------------------------------------------------
 */

static struct hot *measured_thread(void)
{
    struct hot *h = hot_thread;
    return h->self == h && h->park != PARK_CLOSED && h->shadow ? h : NULL;
}

void callstack_unwind(uint64_t sp)
{
    struct hot *h = measured_thread();
    if (!h || !on_stack(h, sp) || shadow_top(h)->sp >= sp)
        return;
    struct slow s;
    slow_begin(&s, h);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    while (!frame_is_root(shadow_top(h)) && shadow_top(h)->sp < sp)
        leave_top(h, s.begin, true);
    slow_end(&s);
}

#define DEPTH_BITS 40

uint64_t callstack_depth(void)
{
    struct hot *h = measured_thread();
    if (!h)
        return 0;
    uint64_t first = (uint64_t)(uintptr_t)(h->shadow->chunk + 1) + sizeof(struct pcomp_stack);
    return (uint64_t)h->shadow->id << DEPTH_BITS | ((uint64_t)(uintptr_t)shadow_top(h) - first + shadow_stride);
}

void callstack_restore(uint64_t depth)
{
    struct hot *h = depth ? measured_thread() : NULL;
    if (!h || callstack_depth() == depth)
        return;
    struct slow s;
    slow_begin(&s, h);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    if (h->shadow->id != depth >> DEPTH_BITS) {
        /* out of a handler on a signal stack; a coroutine keeps its open activations */
        while (h->shadow->kind == SHADOW_SIGNAL && !frame_is_root(shadow_top(h)))
            leave_top(h, s.begin, true);
        shadow_switch_to(h, (uint32_t)(depth >> DEPTH_BITS), s.begin);
    }
    while (h->shadow->id == depth >> DEPTH_BITS && callstack_depth() > depth)
        leave_top(h, s.begin, true);
    slow_end(&s);
}

/* --- pauses, ends, forks -------------------------------------------------------------------------------------------
 */

void callstack_pause(void)
{
    struct hot *h = measured_thread();
    if (!h || h->paused++)
        return;
    struct slow s;
    slow_begin(&s, h);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    h->pause_tick = s.begin;
    h->outer_park = h->park;
    if (h->park == PARK_NONE) {
        h->parked_pos = h->pos;
        h->pos = 0;
    }
    h->park = PARK_PAUSED;
    slow_end(&s);
}

void callstack_resume(void)
{
    struct hot *h = measured_thread();
    if (!h || !h->paused || --h->paused)
        return;
    struct slow s;
    slow_begin(&s, h);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    uint64_t now = clock_read(config.clock), rested = now - h->pause_tick;
    for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f); f = frame_below(f))
        if (f->end != FRAME_UNMEASURED)
            f->start += rested;
    h->thread->paused_ticks += rested;
    frame_above(shadow_top(h))->function = 0;
    h->park = h->outer_park;
    if (h->park == PARK_NONE)
        h->pos = h->parked_pos;
    slow_end(&s);
}

static bool runs(const struct shadow *current, const struct shadow *s)
{
    while (current != s && current->kind == SHADOW_SIGNAL && current->interrupted)
        current = current->interrupted;
    return current == s;
}

void callstack_close_all(struct hot *h, uint64_t now)
{
    struct shadow *current = h->shadow;
    if (h->park == PARK_DEEP)
        leave_deep(h);
    for (struct shadow *s = h->shadows; s; s = s->next) {
        shadow_show(h, s);
        while (!frame_is_root(shadow_top(h)))
            leave_top(h, runs(current, s) ? now : s->left_tick, false);
    }
    shadow_show(h, current);
}

bool callstack_inherit(struct hot *h, uint64_t function, uint64_t sp)
{
    uint64_t start = h->thread->start_tick;
    struct pcomp_frame *top = shadow_top(h);
    if (!on_stack(h, sp))
        return false;
    if (stack_is_full(h, *shadow_pos(h)) && !shadow_grow(h))
        return false;
    top = shadow_top(h);
    struct function_info info = function_find(function);
    struct pcomp_node *parent = (struct pcomp_node *)(uintptr_t)top->node, *node;
    struct general_link *link = NULL;
    if (config.general) {
        link = general_find(h, top->node, function, 0);
        if (!link)
            link = general_add(h, parent, function, 0, info.id, info.skipped, top, 0);
        node = link ? link->node : NULL;
    } else {
        node = path_find(h, top->node, function);
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
    f->start = start;
    return true;
}
