#include "profiler/stack_repair.h"

#include "profiler/callstack.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/sites.h"
#include "profiler/config.h"
#include "profiler/functions.h"
#include "profiler/held.h"
#include "profiler/sampling.h"
#include "profiler/session.h"

#define HOOK_BELOW                                                                                                     \
    8u /* a hook's stack address lies that much below the stack pointer of the function that calls it                  \
        */

/* The frames of the machine that can have frames of the shadow stack: those of functions with hooks. */
static bool has_hooks(const struct call_frame *c)
{
    return sites_enter_first(c->function, c->end);
}

static void drop_to(struct slow *s, const struct pcomp_frame *top)
{
    while (shadow_top(s->h) > top) {
        s->h->thread->unseen_exits++;
        leave_top(s->h, s->begin, false);
    }
}

static bool never_ended(const struct pcomp_frame *f)
{
    return f->end == FRAME_UNMEASURED || ((const struct pcomp_node *)(uintptr_t)f->node)->calls == 0;
}

/* The last frame above `from` that lies in the machine's frame `c`. *agrees: they can be its activation. */
static struct pcomp_frame *match(struct hot *h, struct pcomp_frame *from, const struct call_frame *c, bool *agrees)
{
    struct pcomp_frame *last = from, *top = shadow_top(h);
    bool hooked = has_hooks(c);
    *agrees = !hooked;
    while (last < top && frame_above(last)->sp >= c->below - HOOK_BELOW) {
        struct pcomp_frame *f = frame_above(last);
        bool outermost = last == from && hooked;
        if (outermost)
            *agrees = (f->function & ~FRAME_BITS) == c->function;
        if (!*agrees || (!outermost && (!never_ended(f) || held_is_alone(f->function & ~FRAME_BITS))))
            break;
        last = f;
    }
    return last;
}

/* Its call counts nowhere else. */
static void note_found(struct hot *h)
{
    const struct pcomp_node *node = (const struct pcomp_node *)(uintptr_t)shadow_top(h)->node;
    struct pcomp_node_extra *extra = config.burst ? path_extra(h, node) : NULL;
    if (extra)
        ((struct pcomp_burst_extra *)extra)->burst.found++;
}

/* Opens what the machine executes in frames [0, count), outermost first. */
static void open_missing(struct hot *h, const struct call_frame *frames, unsigned count)
{
    while (count-- > 0)
        if (has_hooks(&frames[count])) {
            h->thread->unseen_enters++;
            if (!callstack_inherit(h, frames[count].function, frames[count].below - HOOK_BELOW))
                return;
            note_found(h);
        }
}

static void compare(struct slow *s, uint64_t function, uint64_t sp, bool exit)
{
    struct hot *h = s->h;
    struct call_frames walk;
    struct pcomp_frame *valid = shadow_top(h), *top = valid;
    call_frames_walk(sp, h->low + h->reach, &walk);
    while (!frame_is_root(valid)) /* the bottom */
        valid = frame_below(valid);
    unsigned count = walk.count, entering = !exit && count && walk.frames[0].function == function;
    uint64_t known = count ? walk.frames[count - 1].above - HOOK_BELOW : sp;
    while (!walk.complete && valid < top && frame_above(valid)->sp >= known) /* beyond the walk */
        valid = frame_above(valid);
    while (count > entering) { /* the function that is being entered has no frame yet */
        bool agrees;
        valid = match(h, valid, &walk.frames[count - 1], &agrees);
        if (!agrees)
            break;
        count--;
    }
    drop_to(s, valid);
    open_missing(h, walk.frames + entering, count - entering);
}

/* Where the hook found the thread: a function that leaves by a jump to its exit hook has no frame any more. */
static struct pcomp_node *found_in(struct hot *h, uint64_t function, bool exit)
{
    const struct pcomp_frame *top = shadow_top(h);
    struct pcomp_node *left =
        exit && (top->function & ~FRAME_BITS) != function ? path_find(h, frame_path(top), function) : NULL;
    return left ? left : (struct pcomp_node *)(uintptr_t)frame_path(top);
}

static bool can_compare(struct hot *h, uint64_t sp)
{
    return h->shadow->kind == SHADOW_OWN && on_stack(h, sp) && !frame_in_flight(shadow_top(h));
}

void stack_meet(struct slow *s, uint64_t function, uint64_t sp)
{
    struct hot *h = s->h;
    if (!h->sampling.repair || h->sampling.guard || h->park != PARK_SAMPLED || !can_compare(h, sp) ||
        !held_meet(function))
        return;
    compare(s, function, sp, false);
    h->thread->unseen_enters++;
    if (callstack_inherit(h, function, sp))
        note_found(h);
    h->sampling.found_out += sampling_clock() - s->begin;
}

void stack_repair(struct slow *s, uint64_t function, uint64_t sp, bool exit)
{
    struct hot *h = s->h;
    sampling_repair_begins(h);
    if (h->park == PARK_DEEP)
        leave_deep(h);
    bring_back_lost(h);
    if (can_compare(h, sp))
        compare(s, function, sp, exit);
    sampling_find_region(h);
    struct pcomp_node *found = found_in(h, function, exit);
    sampling_repaired(h, found, s->begin);
    h->thread->found_link = (uint64_t)(uintptr_t)found;
    __atomic_store_n(&h->thread->found, h->thread->found + 1, __ATOMIC_RELEASE);
    h->thread->repairs++;
    h->thread->repair_ticks += sampling_clock() - s->begin;
}

/* A call of a function that was never met. */
static __attribute__((noinline)) void meet_while_off(uint64_t function, uint64_t sp, struct hot *h)
{
    struct slow s;
    slow_begin(&s, h);
    if (!slow_is_too_late(&s))
        stack_meet(&s, function, sp);
    slow_end(&s);
}

/* Of a module that was loaded meanwhile: its hooks go off, too. */
static __attribute__((noinline)) void meet_module_while_off(uint64_t function, struct hot *h)
{
    struct slow s;
    slow_begin(&s, h);
    if (!slow_is_too_late(&s))
        function_find(function);
    slow_end(&s);
}

bool enter_while_off(uint64_t function, uint64_t sp, struct hot *h)
{
    bool own = h->self == h;
    if (!own && !session_runs())
        return false;
    if (own)
        h->budget = 0; /* the next one comes here, too */
    if (own && h->park != PARK_SAMPLED)
        return true;
    enum held_call held = held_count(function);
    if (own && held == HELD_NOT) {
        h->thread->off_events++;
        if (!function_is_known(function))
            meet_module_while_off(function, h);
    }
    if (own && held == HELD_FIRST)
        meet_while_off(function, sp, h);
    return true;
}
