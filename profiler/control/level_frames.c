/* What levels that fall do to the open frames of timed functions, and when they may: profiler/control/levels.h. */
#include "compensation/control/level_machine.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/thread_list.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/levels.h"
#include "profiler/control/sampled_stack.h"
#include "profiler/record/frames.h"
#include "profiler/record/spreads.h"

#include <sys/auxv.h>

#define CALLS_DEPTH  1024u /* frames that are looked at before levels may fall */
#define LEFT_DEPTH   256u  /* frames below the first that stays timed, among which those are looked for that fell ... */
#define LEFT_SECONDS 0.001 /* ... again so soon, where there are some */
#define DOUBTS       64u   /* looks in a row that find a gap on the stack: no handler's, where no sample can tell */
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#define SIGNAL_FRAME_MIN   900u /* bytes: siginfo, ucontext and registers of the least processor ... */
#define SIGNAL_FRAME_SLACK 500u /* ... or what the kernel says that it needs at most, less this */

static uint64_t falls;                           /* how often levels fell */
static uint64_t signal_frame = SIGNAL_FRAME_MIN; /* bytes that the kernel puts on the stack for a signal, at least */

void level_frames_start(void)
{
    uint64_t max = getauxval(AT_MINSIGSTKSZ); /* not in a hook: it may set errno */
    signal_frame = max > SIGNAL_FRAME_MIN + SIGNAL_FRAME_SLACK ? max - SIGNAL_FRAME_SLACK : SIGNAL_FRAME_MIN;
    falls = 0;
}

static void falls_later(uint32_t function)
{
    (void)function; /* its frames are taken out at their thread's next poll */
}

static void set_poll(struct thread_state *h, uint64_t at)
{
    __atomic_store_n(&h->poll_at, at, __ATOMIC_RELAXED);
}

static void poll_now(struct thread_state *h, void *unused)
{
    (void)unused;
    if (h->recording != RECORDING_CLOSED)
        set_poll(h, 0);
}

static void let_threads_poll(void)
{
    __atomic_store_n(&falls, falls + 1, __ATOMIC_RELEASE);
    thread_list_each(poll_now, NULL);
}

const struct levels_recorder levels_of_frames = {.limit = PCOMP_LEVEL_LIMIT,
                                                 .burst = PCOMP_LEVEL_BURST,
                                                 .rate = PCOMP_LEVEL_RATE,
                                                 .variant = PCOMP_VARIANT_LOOKUP,
                                                 .falls = falls_later,
                                                 .fell = let_threads_poll};

/* Whether the frame is timed, and its function no longer. */
static bool fell(const struct pcomp_frame *f)
{
    uint64_t function = frame_function(f);
    return frame_is_timed(f) && function_is_known(function) && sites_level(function_find(function).id) != SITE_TIMED;
}

/* The time until now is the last that is kept of the activation. */
static void take_time_out(struct thread_state *h, struct pcomp_frame *f, uint64_t now)
{
    uint64_t bits = f->function & FRAME_BITS, function = frame_function(f);
    frame_account(h, f, now > f->start ? now : f->start + 1);
    f->function = function | bits | FRAME_SKIP_BIT;
    frame_set_counter(f, NULL);
    f->start = 0;
    f->end = FRAME_UNMEASURED;
}

/* On one shadow stack, from the top down to the first frame that stays timed: what is below that is its caller, and
 * must last as long. Returns whether some are left there. */
static bool take_top_out(struct thread_state *h, uint64_t now)
{
    struct pcomp_frame *f = shadow_top(h);
    bool left = false;
    for (; !frame_is_root(f) && (!frame_is_timed(f) || fell(f)); f = frame_below(f))
        if (fell(f))
            take_time_out(h, f, now);
    struct pcomp_frame *below = f;
    for (unsigned i = 0; !left && !frame_is_root(below) && i < LEFT_DEPTH; i++, below = frame_below(below))
        left = fell(below);
    left |= !frame_is_root(below);
    while (f != shadow_top(h))
        if (frame_is_skipped(f = frame_above(f))) {
            frame_set_skip(f);
            if (f->node != (uint64_t)(uintptr_t)h->limit_node)
                f->node = frame_below(f)->node; /* what it calls goes on below the next one that is timed */
        }
    frame_above(shadow_top(h))->function = 0;
    return left;
}

/* Of the stacks of coroutines, too: what runs there next is called by what is left. A stack that a handler interrupted
 * is left alone, since a hook may be under way there. */
static bool take_times_out(struct thread_state *h, uint64_t now)
{
    struct shadow *current = h->shadow;
    bool left = false;
    for (struct shadow *s = h->shadows; s; s = s->next) {
        if (s != current && shadow_runs(current, s))
            continue;
        if (s == current)
            shadow_show(h, s);
        else
            shadow_show_resting(h, s);
        left |= take_top_out(h, s == current ? now : s->left_tick);
    }
    shadow_show(h, current);
    return left;
}

/* Whether nothing but calls lies between the open frames and what runs now: their stack addresses are below `reach`,
 * and the distance from one to the next, from `sp` on (0: no matter), has no room for the kernel's frame of a signal.
 * Else a handler of the program may have interrupted a hook, which goes on with its frame. */
static bool only_calls(struct thread_state *h, uint64_t reach, uint64_t sp)
{
    struct pcomp_frame *f = shadow_top(h);
    if (sp && sp - h->low >= h->reach)
        return false; /* on another stack, of which nothing is known yet */
    for (unsigned i = 0; !frame_is_root(f) && i < CALLS_DEPTH; i++, f = frame_below(f)) {
        if (f->sp >= reach || (sp && f->sp > sp && f->sp - sp >= signal_frame))
            return false;
        sp = sp ? f->sp : 0;
    }
    return true;
}

/* The same at a hook. Functions with much room on the stack look like handlers, too: the machine stack tells, where it
 * can be unwound; else that they do so look after look. */
static bool only_calls_so_far(struct thread_state *h, uint64_t reach, uint64_t sp)
{
    bool clear = only_calls(h, reach, sp);
#if defined(__x86_64__)
    if (!clear && sp && levels_sampled)
        clear = only_calls(h, sampled_stack_reach_of_probe(h), 0);
#endif
    h->doubts = clear ? 0 : h->doubts + (h->doubts < DOUBTS);
    return !h->doubts || (h->doubts == DOUBTS && !levels_sampled);
}

void levels_poll(struct thread_state *h, uint64_t now, uint64_t reach, uint64_t sp)
{
    bool at_sample = !sp || !levels_sampled, at_once = h->probes_left < 0, clear = only_calls_so_far(h, reach, sp);
    levels_look(now, at_sample, at_once, clear);
    h->probes_left = PROBES_PER_POLL;
    uint64_t seen = __atomic_load_n(&falls, __ATOMIC_ACQUIRE), next = levels_next_look();
    if (clear && h->falls_seen != seen) {
        h->fallen_left = take_times_out(h, now);
        h->falls_seen = seen;
    } else if (clear && h->fallen_left)
        h->fallen_left = take_top_out(h, now);
    uint64_t soon = clock_read(config.clock) + (uint64_t)(LEFT_SECONDS * run_tick_hz), rests = h->off_cpu.rests_until;
    soon = soon > rests ? soon : rests; /* where system calls are slow */
    bool waits = !clear || h->fallen_left;
    set_poll(h, waits && soon < next ? soon : next);
}
