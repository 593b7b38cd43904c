#include "profiler/hooks/open_frames.h"

#include "profiler/code/functions.h"
#include "profiler/control/levels.h"

#define PILED_MAX 16 /* gcc inlines 8 calls of a function in itself */

/* Whether the frame's function is not timed any more, so that no exit hook was to run. Its module may have been
 * unloaded since, and the next one loaded to its address: the frame's path knows which function it was. */
static bool has_fallen(struct thread_state *h, const struct pcomp_frame *f)
{
    if (!frame_is_timed(f))
        return (config.counts && frame_is_skipped(f) && !frame_counter(f)) || levels_leave_out(frame_function(f));
    const struct pcomp_node_extra *extra = path_extra(h, frame_node(f));
    return extra && levels_leave_out_id(extra->function_id);
}

void drop_top(struct slow *s, uint64_t now)
{
    bool counted = has_fallen(s->h, shadow_top(s->h));
    uint64_t abandoned = s->h->thread->abandoned;
    if (!counted)
        s->h->thread->uncertain++;
    leave_top(s->h, now, true);
    if (counted)
        s->h->thread->abandoned = abandoned;
}

/* Drops the top, of a function that was inlined where another function runs on. Its end has no hook of its own: the
 * compiler merged it with that of another function, whose exit sites are off. A region that the program left open lies
 * there, too. */
static void drop_inlined(struct slow *s, uint64_t now)
{
    struct pcomp_frame *top = shadow_top(s->h);
    const struct pcomp_node_extra *extra =
        config.counts && frame_is_timed(top) ? path_extra(s->h, frame_node(top)) : NULL;
    if (extra && !function_is_region(extra->function_id))
        levels_distrust(extra->function_id);
    drop_top(s, now);
}

void drop_above(struct slow *s, const struct pcomp_frame *f, uint64_t now)
{
    struct pcomp_frame *top;
    while ((top = shadow_top(s->h)) != f)
        if (top->sp == f->sp)
            drop_inlined(s, now);
        else
            drop_top(s, now);
}

void drop_piled(struct slow *s, uint64_t function, uint64_t sp)
{
    uint32_t piled = 0;
    for (struct pcomp_frame *f = shadow_top(s->h); config.counts && !frame_is_root(f); f = frame_below(f), piled++)
        if (f->sp != sp || frame_function(f) != function || frame_is_unfinished(f))
            break;
    for (uint32_t i = 0; piled > PILED_MAX && i < piled; i++)
        drop_inlined(s, s->begin);
}

void drop_stale(struct slow *s, uint64_t sp)
{
    struct pcomp_frame *top;
    while (!frame_is_root(top = shadow_top(s->h)) &&
           (top->sp < sp || (top->sp == sp && levels_leave_out(frame_function(top)))))
        drop_top(s, s->begin);
}

bool change_stack(struct slow *s, uint64_t sp, uint64_t now)
{
    struct thread_state *h = s->h;
    const struct shadow *from = h->shadow;
    if (!shadow_switch(h, sp, now))
        return false;
    if (h->shadow != from && h->shadow->kind == SHADOW_SIGNAL) {
        while (!frame_is_root(shadow_top(h))) /* of an earlier handler */
            drop_top(s, now);
        shadow_set_parent(h);
    }
    return true;
}

bool is_still_too_deep(struct thread_state *h, uint64_t sp)
{
    const struct pcomp_frame *top = shadow_top(h);
    return on_stack(h, sp) && (frame_is_unfinished(top) ? sp < top->sp : sp <= top->sp);
}

/* An exit of the top's function is the top's, however low: alloca and arrays of variable length lower the stack after
 * the enter hook. Above the top may be frames of functions that have fallen: their exit sites are off. What an
 * unfinished frame says is of an older activation. Where the function is only counted by now, the activation may have
 * no frame: one at another address is an older one, whose callees run. */
struct pcomp_frame *find_open(struct thread_state *h, uint64_t function, uint64_t sp, bool region)
{
    bool is_top = true, exactly = !region && levels_leave_out(function);
    for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f); f = frame_below(f)) {
        if (frame_is_unfinished(f))
            continue;
        if (frame_function(f) == function && (exactly ? f->sp == sp : f->sp <= sp + EXIT_SP_BELOW || region || is_top))
            return f;
        is_top = is_top && !exactly && has_fallen(h, f);
        if (!is_top && f->sp > sp + EXIT_SP_BELOW && !region)
            return NULL; /* an older activation, still running */
    }
    return NULL;
}
