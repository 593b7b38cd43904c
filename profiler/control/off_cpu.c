#include "profiler/control/off_cpu.h"

#include "profiler/base/own_stack.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/control/sampler.h"
#include "profiler/record/frames.h"

#include <stdio.h>

#define DISTANCE_MIN    200e-6 /* seconds: of two looks that find the same owner */
#define SHARE           5u     /* the time to the next look is so many times what the shortest of the last four took */
#define NOISE_NS        5000u  /* of one look, ... */
#define NOISE_SHARE     20000  /* ... and one part in so many: the clocks do not run at the same speed */
#define WORTH_MIXED_NS  250000u
#define WORTH_WAITED_NS 1000000u
#define READ_TRIES      3
#define READ_TICKS      (LATE_TICKS / 16) /* what a look takes, about */

/* --- the kernel's clocks ---------------------------------------------------------------------------------------------
 */

/* How long a thread waited in run queues; 0: the calling one. */
static bool read_queued(int32_t tid, uint64_t *ns)
{
    char path[64] = "/proc/thread-self/schedstat", text[96];
    if (tid)
        snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
    const char *at = text, *end = text + raw_read(path, text, sizeof(text));
    while (at < end && *at != ' ') /* time on the processor */
        at++;
    *ns = 0;
    for (at++; at < end && *at >= '0' && *at <= '9'; at++)
        *ns = *ns * 10 + (uint64_t)(*at - '0');
    return at < end;
}

/* --- waiting or ready ------------------------------------------------------------------------------------------------
 */

/* Of `off` ns, those in the run queue as the kernel counts them. False: not known. */
static bool ask_queued(struct off_cpu *o, int32_t tid, uint64_t off, uint64_t *ready)
{
    uint64_t queued;
    if (!read_queued(tid, &queued))
        return false;
    uint64_t before = o->queued_ns + o->ready_ns;
    *ready = queued > before ? queued - before : 0;
    *ready = *ready < off ? *ready : off;
    o->queued_ns = queued;
    o->ready_ns = 0;
    return true;
}

/* The part of the calling thread's `off` ns that it was ready. */
static uint64_t ready_part(struct off_cpu *o, uint64_t off)
{
    struct thread_switches now;
    uint64_t ready = 0;
    if (!thread_switches_read(&now))
        return 0;
    bool waited = now.voluntary > o->voluntary, preempted = now.involuntary > o->involuntary;
    o->voluntary = now.voluntary;
    o->involuntary = now.involuntary;
    if (!waited) { /* not even preempted: interrupts, or the host of a virtual machine */
        o->ready_ns += off;
        return off;
    }
    if (off >= (preempted ? WORTH_MIXED_NS : WORTH_WAITED_NS))
        ask_queued(o, 0, off, &ready);
    return ready;
}

/* --- looks -----------------------------------------------------------------------------------------------------------
 */

struct look {
    uint64_t wall_ns, cpu_ns, tick;
};

/* A look began at tick `begin`. Where system calls are slow, as under strace, looks become rare: else each would make
 * the next event late. Some may have lasted long because the thread was preempted. */
static void rest(struct off_cpu *o, uint64_t begin)
{
    uint64_t now = clock_read(config.clock), took = now - begin, shortest = took;
    for (unsigned i = 0; i < sizeof(o->took) / sizeof(*o->took); i++) {
        uint64_t before = o->took[i];
        shortest = before < shortest ? before : shortest;
        o->took[i] = took;
        took = before;
    }
    o->rests_until = now + SHARE * shortest;
}

/* Again where the thread lost its processor between two of the readings. */
static bool look_now(int32_t tid, struct look *l)
{
    bool read = true;
    for (int i = 0; read && i < READ_TRIES; i++) {
        uint64_t begin = clock_read(config.clock);
        l->wall_ns = clock_now_ns(CLOCK_MONOTONIC_RAW);
        read = (l->cpu_ns = processor_time_ns(tid)) > 0;
        l->tick = clock_read(config.clock);
        if (l->tick - begin < LATE_TICKS / 8)
            break;
    }
    return read;
}

/* Time off the processor from the look before to this one, ns; what is behind tick `now`, where that event was, is left
 * out, and so is what no stretch of `room` ticks before it can hold. */
static uint64_t time_off(const struct off_cpu *before, const struct look *l, uint64_t room, uint64_t now)
{
    double wall = (double)(l->wall_ns - before->wall_ns), cpu = (double)(l->cpu_ns - before->cpu_ns);
    double off = wall - cpu, ns = 1e9 / run_tick_hz;
    uint64_t behind = l->tick - now, read = before->read_at > now ? before->reading : 0;
    behind -= read < behind ? read : behind;
    if (behind >= LATE_TICKS)
        off -= (double)behind * ns;
    off -= (double)before->hooks * ns;
    if (!(off > NOISE_NS + wall / NOISE_SHARE))
        return 0;
    return (uint64_t)(off < (double)room * ns ? off : (double)room * ns);
}

/* `share` of it is the owner's. */
static void add(struct thread_state *h, const struct pcomp_node *owner, uint64_t off, uint64_t ready, double share)
{
    struct pcomp_node_extra *extra = path_extra(h, owner);
    if (!extra)
        return;
    struct pcomp_node_off_cpu *sum = (struct pcomp_node_off_cpu *)((char *)extra + h->extra_size) - 1;
    double ticks = share * run_tick_hz / 1e9;
    sum->waiting += (uint64_t)((double)(off - ready) * ticks);
    sum->ready += (uint64_t)((double)ready * ticks);
}

/* The time since the event before tick `late_at`. Looks that find the same owner as the last one keep their distance:
 * the next look finds what this one leaves. */
static void look(struct thread_state *h, const struct pcomp_node *owner, uint64_t late_at, uint64_t now, int32_t tid)
{
    struct off_cpu *o = &h->off_cpu;
    uint64_t room = now - (late_at - LATE_TICKS), ready = 0;
    struct look l;
    if (o->owner == owner && (double)(now - o->tick) < DISTANCE_MIN * run_tick_hz) {
        o->left += room;
        return;
    }
    uint64_t begin = clock_read(config.clock);
    if (!look_now(tid, &l) || l.tick <= o->tick)
        return;
    uint64_t off = time_off(o, &l, room + o->left, now), left = o->left;
    const struct pcomp_node *before = o->owner;
    o->owner = owner;
    o->hooks = 0;
    o->left = 0;
    o->wall_ns = l.wall_ns;
    o->cpu_ns = l.cpu_ns;
    o->tick = l.tick;
    h->thread->cpu1_ns = l.cpu_ns; /* for a reader of the running process: what follows is not in the nodes */
    h->thread->seen_tick = l.tick;
    if (off && tid)
        ask_queued(o, tid, off, &ready);
    else if (off)
        ready = ready_part(o, off);
    if (!tid)
        rest(o, begin);
    if (!off)
        return;
    uint64_t whole = room + left, mine = before == owner ? whole : room;
    add(h, owner, off, ready, (double)mine / (double)whole);
    if (mine < whole)
        add(h, before, off, ready, (double)left / (double)whole);
}

static bool looks(const struct thread_state *h)
{
    return h->off_cpu.tick && h->recording != RECORDING_PAUSED && h->recording != RECORDING_CLOSED;
}

static bool rests(const struct thread_state *h, uint64_t now)
{
    return now < h->off_cpu.rests_until;
}

static struct pcomp_frame *measured_from(struct pcomp_frame *f)
{
    while (!frame_is_root(f) && !frame_is_timed(f))
        f = frame_is_skipped(f) ? frame_skip(f) : frame_below(f);
    return f;
}

static struct pcomp_node *owner_from(struct pcomp_frame *f)
{
    return frame_node(measured_from(f));
}

struct pcomp_node *off_cpu_owner(struct thread_state *h)
{
    return config.counts ? owner_from(shadow_top(h)) : NULL;
}

/* Returns the ticks that it was off the processor meanwhile: the next look leaves them out. */
static uint64_t read_samples(struct thread_state *h, struct pcomp_frame *top)
{
    uint64_t begin = clock_read(config.clock);
    uint64_t computed = (uint64_t)((double)sampler_catch_up(h, top) * 1e-9 * run_tick_hz);
    h->off_cpu.read_at = clock_read(config.clock);
    h->off_cpu.reading = h->off_cpu.read_at - begin;
    uint64_t off = computed < h->off_cpu.reading ? h->off_cpu.reading - computed : 0;
    off = off >= LATE_TICKS ? off : 0;
    h->off_cpu.hooks += off;
    return off;
}

struct waiting_samples {
    struct thread_state *h;
    struct pcomp_frame *top;
    const struct pcomp_node *owner;
};

static void catch_up(void *any)
{
    const struct waiting_samples *w = any;
    struct slow s;
    slow_begin(&s, w->h);
    if (!slow_is_too_late(&s)) {
        uint64_t ready = (uint64_t)((double)read_samples(w->h, w->top) / run_tick_hz * 1e9);
        if (ready)
            add(w->h, w->owner, ready, ready, 1);
    }
    slow_end(&s);
}

void off_cpu_catch_up(struct thread_state *h, struct pcomp_frame *top, const struct pcomp_node *owner)
{
    if (sampler_is_behind())
        own_stack_run(catch_up, &(struct waiting_samples){h, top, owner});
}

uint64_t off_cpu_note(struct thread_state *h, struct pcomp_node *owner, uint64_t now)
{
    if (!looks(h) || !off_cpu_is_due(h, now))
        return 0;
    uint64_t ready = sampler_is_behind() ? read_samples(h, shadow_top(h)) : 0;
    if (rests(h, now))
        return ready;
    uint64_t begin = clock_read(config.clock);
    look(h, owner, h->late_at, now, 0);
    h->late_at = now + LATE_TICKS;
    off_cpu_leave_out(h, begin);
    return clock_read(config.clock) - begin + ready;
}

/* Returns whether the model charges anybody. */
static bool charge(struct thread_state *h, const struct pcomp_node *node, uint64_t ticks)
{
    struct pcomp_node_extra *extra = ticks && config.model == PCOMP_MODEL_SPLIT ? path_extra(h, node) : NULL;
    if (!extra)
        return false;
    thread_charge_slow(h, extra, ticks);
    return true;
}

void off_cpu_charge(struct thread_state *h, const struct pcomp_node *node, uint64_t ticks)
{
    if (node && ticks >= LATE_TICKS) { /* the thread was preempted meanwhile, as it would have been without us */
        uint64_t late = ticks - READ_TICKS, rest = (uint64_t)((double)late / run_tick_hz * 1e9);
        add(h, (const struct pcomp_node *)(uintptr_t)node->parent, rest, rest, 1);
        ticks = READ_TICKS;
    }
    charge(h, node, ticks);
}

/* A path has no term for overhead in its own time: the activation begins so much later. The outermost one does not,
 * since it says how long the program took. */
static void charge_top(struct thread_state *h, uint64_t ticks)
{
    struct pcomp_frame *f = measured_from(shadow_top(h));
    if (frame_is_root(f) || !charge(h, frame_node(f), ticks))
        return;
    f->overhead += (int64_t)(ticks << PCOMP_FIX_SHIFT);
    if (!frame_is_root(frame_below(f)))
        f->start += ticks;
}

void off_cpu_charge_since(struct thread_state *h, const struct pcomp_node *node, uint64_t since)
{
    off_cpu_leave_out(h, since);
    uint64_t now = clock_read(config.clock);
    if (node)
        charge(h, node, now - since);
    else
        charge_top(h, now - since);
    own_stack_enter_anew(now);
}

/* What slow hook `s` took until now, and its look since tick `looking`. */
static void finish(struct slow *s, const struct pcomp_node *node, uint64_t looking)
{
    off_cpu_leave_out(s->h, s->begin);
    uint64_t now = clock_read(config.clock);
    charge(s->h, node, looking - s->begin);
    off_cpu_charge(s->h, node, now - looking);
    own_stack_enter_anew(now);
    s->h->late_at = now + LATE_TICKS;
    slow_end(s);
}

/* A late event, on a stack of our own. */
struct late {
    struct thread_state *h;
    const struct pcomp_node *owner, *node; /* of the time before; who is charged with looking */
    uint64_t late_at, now;                 /* now 0: when signals are blocked */
};

static void read_late(void *any)
{
    const struct late *l = any;
    struct slow s;
    slow_begin(&s, l->h);
    if (slow_is_too_late(&s)) {
        slow_end(&s);
        return;
    }
    uint64_t looking = clock_read(config.clock);
    look(l->h, l->owner, l->late_at, l->now ? l->now : s.begin, 0);
    finish(&s, l->node, looking);
}

void off_cpu_enter(struct thread_state *h, struct pcomp_frame *top, const struct pcomp_node *node)
{
    uint64_t now = clock_read(config.clock);
    if (!looks(h) || (config.custom && !off_cpu_is_due(h, now)))
        return;
    off_cpu_catch_up(h, top, owner_from(top));
    if (rests(h, now))
        return;
    struct late late = {h, owner_from(top), node, h->late_at, 0};
    own_stack_run(read_late, &late);
}

void off_cpu_enter_late(struct thread_state *h, struct pcomp_frame *top, uint64_t function, uint64_t sp)
{
    const struct pcomp_node *node = NULL;
    if (on_stack(h, sp) && sp <= top->sp && !stack_is_full(h, (uint64_t)((char *)top - (char *)h)) &&
        !frame_is_unfinished(top))
        node = path_find(h, top->node, function);
    if (node)
        off_cpu_enter(h, top, node);
}

void off_cpu_exit(struct thread_state *h, struct pcomp_node *node, uint64_t late_at, uint64_t now)
{
    if (!looks(h) || rests(h, now))
        return;
    struct late late = {h, node, node, late_at, now};
    own_stack_run(read_late, &late);
}

void off_cpu_restart(struct thread_state *h)
{
    struct look l;
    struct thread_switches switches = {0, 0};
    sigset_t saved;
    if (!config.counts)
        return;
    signals_block(&saved); /* a handler's late event looks itself */
    uint64_t begin = clock_read(config.clock);
    if (!look_now(0, &l)) {
        signals_restore(&saved);
        return;
    }
    thread_switches_read(&switches);
    h->off_cpu = (struct off_cpu){.tick = l.tick,
                                  .wall_ns = l.wall_ns,
                                  .cpu_ns = l.cpu_ns,
                                  .voluntary = switches.voluntary,
                                  .involuntary = switches.involuntary,
                                  .took = {h->off_cpu.took[0], h->off_cpu.took[1], h->off_cpu.took[2]},
                                  .rests_until = h->off_cpu.rests_until};
    read_queued(0, &h->off_cpu.queued_ns);
    h->late_at = l.tick + LATE_TICKS;
    rest(&h->off_cpu, begin);
    signals_restore(&saved);
}

void off_cpu_poll(struct thread_state *h, uint64_t now)
{
    if (h->off_cpu.tick && now > h->late_at)
        look(h, off_cpu_owner(h), h->late_at, now, h->thread->tid);
}

void off_cpu_leave_out(struct thread_state *h, uint64_t begin)
{
    uint64_t now = clock_read(config.clock);
    if (begin < h->off_cpu.tick) /* what lies before the last look is in it */
        begin = h->off_cpu.tick;
    if (!h->off_cpu.tick || now - begin < LATE_TICKS)
        return;
    if (rests(h, now))
        h->off_cpu.hooks += now - begin;
    else
        off_cpu_restart(h);
}
