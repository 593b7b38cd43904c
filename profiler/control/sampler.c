#include "profiler/control/sampler.h"

#include "compensation/control/sample_periods.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/control/count_samples.h"
#include "profiler/control/interrupt_pauses.h"
#include "profiler/control/levels.h"
#include "profiler/control/perf_ring.h"
#include "profiler/control/probe_samples.h"
#include "profiler/control/sample_signal.h"
#include "profiler/control/sampled_stack.h"
#include "profiler/control/speed.h"
#include "profiler/stack/shadow.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define OUT_OF_TURN 2 /* periods that samples of ticks and of perf may come early or late */

/* A thread's; serves another one when it has ended. */
struct thread_sampler {
    struct sampled_stacks stacks;
    struct perf_ring ring;             /* samples that perf took since the last tick */
    struct probes_accounted accounted; /* where every call is timed */
    uint64_t first_ns, given;    /* the thread's processor time at its beginning; periods that samples stand for */
    int32_t tid;                 /* of the thread that has the timer */
    int32_t timer;               /* of the kernel; SAMPLE_TIMER_NONE: none. Who takes it out deletes it. */
    struct thread_sampler *next; /* unused one */
    struct thread_sampler *made_before; /* of all */
    _Alignas(64) char stack[];
};

static struct spin lock;
static struct thread_sampler *unused;
static struct thread_sampler *all; /* only grows; read without the lock */
static bool on;
static int signal_number;
static uint64_t period_ns, perf_ns; /* a thread's processor time from one sample to the next; ... of perf alone */
static bool ticks_sample;           /* beside perf, or alone */
static double switch_cost;          /* seconds that a perf event makes a switch of threads longer */
static int64_t tick_delivery;       /* what a tick's signal takes, fixed-point ticks; a mean sample: sample_delivery */
void (*sampler_reports)(struct thread_state *h, uint64_t pc, uint64_t ns);
static enum pcomp_sampler sampler; /* as the header has it, which is gone when a late signal comes */
static __thread struct thread_sampler *own __attribute__((tls_model("initial-exec")));

/* --- one sample ------------------------------------------------------------------------------------------------------
 */

static void set_on(bool now)
{
    __atomic_store_n(&on, now, __ATOMIC_SEQ_CST);
    __atomic_store_n(&levels_sampled, now && sampled_stack_has_library(), __ATOMIC_RELAXED);
}

#if defined(__x86_64__)

struct reading { /* of the kernel's samples */
    struct thread_state *h;
    struct pcomp_frame *top;
};

static void add_kept_sample(const struct frame_registers *r, const struct frame_stack *stack, uint64_t tick, void *any)
{
    const struct reading *to = any;
    own->given++;
    sampled_stack_add_kept(&own->stacks, to->h, to->top, r, stack, tick, 1);
}

static void read_ring(void *any)
{
    perf_ring_read(&own->ring, add_kept_sample, any);
}

/* Periods that a tick beside perf stands for: one, in no order with those of perf, as long as their sum is right. It
 * stands for the samples that found no room, too, as in a long system call. */
static uint32_t periods_due(struct thread_sampler *t, uint64_t now_ns)
{
    uint64_t passed = (now_ns - t->first_ns + period_ns / 2) / period_ns;
    int64_t due = (int64_t)(passed - t->given);
    due = due < -OUT_OF_TURN ? 0 : due <= OUT_OF_TURN ? ticks_sample : due - OUT_OF_TURN;
    t->given += (uint64_t)due;
    return (uint32_t)due;
}

/* Processor time since `begin` is what samples took, ns: a wall clock would count preemption. */
static uint64_t add_cost(uint64_t begin_ns)
{
    uint64_t ns = processor_time_ns(0) - begin_ns, took = (uint64_t)((double)ns * 1e-9 * run_tick_hz);
    __atomic_fetch_add(&store_header->sample_ticks, took, __ATOMIC_RELAXED);
    return ns;
}

/* Ticks alone, as where a thread switches too often for perf, cost less than samples in the mean. */
static void correct_cost(struct thread_sampler *t, uint64_t now_ns)
{
    double more = t->ring.page ? perf_ring_note_switches(&t->ring, now_ns, switch_cost) * run_tick_hz
                               : (double)(tick_delivery - store_header->sample_delivery) / (1 << PCOMP_FIX_SHIFT);
    __atomic_fetch_add(&store_header->sample_ticks, (uint64_t)(int64_t)more, __ATOMIC_RELAXED);
}

/* Where every call is timed, a sample is a program counter. */
static void take_probe_sample(struct thread_state *h, struct thread_sampler *t, uint64_t pc, uint32_t weight)
{
    uint64_t begin = clock_read(config.clock);
    if (h->recording == RECORDING_FAST)
        probe_samples_add(h, pc, weight, &t->accounted);
    __atomic_fetch_add(&store_header->samples, 1, __ATOMIC_RELAXED);
    int64_t took = (int64_t)(clock_read(config.clock) - begin);
    __atomic_fetch_add(&store_header->sample_ticks, (uint64_t)took, __ATOMIC_RELAXED);
    probe_samples_charge(h, (took << PCOMP_FIX_SHIFT) + store_header->sample_delivery, &t->accounted);
}

static void take_samples(struct thread_state *h, struct thread_sampler *t, const greg_t *registers, uint32_t weight)
{
    uint64_t begin = processor_time_ns(0);
    uint64_t pc = (uint64_t)registers[REG_RIP], now = clock_read(config.clock);
    struct frame_registers r;
    struct frame_stack stack;
    if (h->recording == RECORDING_PAUSED)
        return;
    sampled_stack_context(h, registers, &r, &stack);
    sampled_stack_look(&t->stacks, &r, &stack);
    if (t->ring.page)
        read_ring(&(struct reading){h, shadow_top(h)});
    if (sampler == PCOMP_SAMPLER_PERF) {
        weight = periods_due(t, begin);
        if (ticks_sample)
            correct_cost(t, begin);
    }
    if (weight)
        sampled_stack_add(&t->stacks, h, shadow_top(h), &r, now, weight);
    if (h->thread->index == 0)
        speed_time();
    add_cost(begin);
    /* in a hook of ours frames may be half made */
    bool in_hook = !sampled_stack_has_library() || sampled_stack_in_library(pc);
    if (in_hook || h->recording != RECORDING_FAST)
        return;
    if (levels_are_due_at_sample(h, now))
        levels_poll(h, now, stack.high > stack.low ? sampled_stack_reach(&r, &stack) : 0, 0);
}

#endif

static void end_timer(struct thread_sampler *t)
{
    int32_t timer = __atomic_exchange_n(&t->timer, SAMPLE_TIMER_NONE, __ATOMIC_SEQ_CST);
    if (timer != SAMPLE_TIMER_NONE)
        raw_call(SYS_timer_delete, timer, 0, 0, 0);
}

/* By the owning thread. */
static void end_samples(struct thread_sampler *t)
{
    end_timer(t);
#if defined(__x86_64__)
    perf_ring_close(&t->ring);
#endif
}

/* On its own stack, all signals blocked. */
void sampler_signalled(int number, const siginfo_t *info, const ucontext_t *context)
{
    (void)number;
    struct thread_state *h = current_thread;
    struct thread_sampler *t = own;
    int kept = errno;
    bool is_ours = t && info->si_code == SI_TIMER && info->si_value.sival_ptr == t;
    if (!is_ours || h->self != h)
        return;
    if (!__atomic_load_n(&on, __ATOMIC_ACQUIRE)) {
        end_samples(t);
        return;
    }
#if defined(__x86_64__)
    if (config.trace && sampler_reports)
        sampler_reports(h, (uint64_t)context->uc_mcontext.gregs[REG_RIP], period_ns * (1 + (uint32_t)info->si_overrun));
#endif
    __atomic_store_n(&h->in_slow, true, __ATOMIC_SEQ_CST); /* the end of the process waits for it */
    if (!__atomic_load_n(&h->closing, __ATOMIC_SEQ_CST)) {
        h->masked = true;
#if defined(__x86_64__)
        uint32_t weight = 1 + (uint32_t)info->si_overrun;
        if (config.trace)
            count_samples_add(h, (uint64_t)context->uc_mcontext.gregs[REG_RIP], weight);
        else if (config.counts)
            take_samples(h, t, context->uc_mcontext.gregs, weight);
        else
            take_probe_sample(h, t, (uint64_t)context->uc_mcontext.gregs[REG_RIP], weight);
#else
        (void)context;
#endif
        h->masked = false;
    }
    __atomic_store_n(&h->in_slow, false, __ATOMIC_RELEASE);
    errno = kept;
}

#if defined(__x86_64__)
bool sampler_is_behind(void)
{
    const struct thread_sampler *t = own;
    return t && t->ring.page && perf_ring_holds_some(&t->ring);
}

uint64_t sampler_catch_up(struct thread_state *h, struct pcomp_frame *top)
{
    if (!__atomic_load_n(&on, __ATOMIC_ACQUIRE)) {
        end_samples(own);
        return 0;
    }
    uint64_t begin = processor_time_ns(0);
    struct frame_registers r;
    struct frame_stack stack;
    bool known = sampled_stack_of_probe(h, &r, &stack);
    sampled_stack_look(&own->stacks, known ? &r : NULL, &stack);
    read_ring(&(struct reading){h, top});
    return add_cost(begin);
}
#else
bool sampler_is_behind(void)
{
    return false;
}

uint64_t sampler_catch_up(struct thread_state *h, struct pcomp_frame *top)
{
    (void)h;
    (void)top;
    return 0;
}
#endif

/* --- threads ---------------------------------------------------------------------------------------------------------
 */

static bool begin_timer(struct thread_sampler *t)
{
    t->first_ns = processor_time_ns(0);
    t->given = 0;
    int32_t timer = sample_signal_timer(signal_number, t->tid, t);
    __atomic_store_n(&t->timer, timer, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&on, __ATOMIC_SEQ_CST)) /* sampler_yield_signal may have passed by before there was one */
        end_timer(t);
    return timer != SAMPLE_TIMER_NONE;
}

static struct thread_sampler *take_unused(void)
{
    spin_lock(&lock);
    struct thread_sampler *t = unused;
    if (t)
        unused = t->next;
    spin_unlock(&lock);
    if (t)
        return t;
    void *memory = mmap(NULL, sizeof(*t) + SAMPLER_STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    t = memory;
    t->timer = SAMPLE_TIMER_NONE;
    spin_lock(&lock);
    t->made_before = all;
    __atomic_store_n(&all, t, __ATOMIC_SEQ_CST);
    spin_unlock(&lock);
    return t;
}

static void say_why(const char *why, const char *reason)
{
    snprintf(store_header->sampler_why, sizeof(store_header->sampler_why), reason ? "%s: %s" : "%s", why, reason);
}

void sampler_begin_thread(struct thread_state *h, struct stack_samples *samples)
{
    if (!__atomic_load_n(&on, __ATOMIC_ACQUIRE) || own)
        return;
    struct thread_sampler *t = take_unused();
    if (!t) {
        say_why("some threads have no samples", "no memory");
        return;
    }
    t->stacks.samples = *samples;
    *samples = (struct stack_samples){0};
    t->tid = h->thread->tid;
    t->ring.page = NULL;
    t->accounted = (struct probes_accounted){h->overhead, h->slow_ticks};
    own = t;
    sampler_stack = t->stack + SAMPLER_STACK_SIZE;
    if (!begin_timer(t))
        say_why("some threads have no samples", "the system has no timer left (ulimit -i)");
#if defined(__x86_64__)
    else if (sampler == PCOMP_SAMPLER_PERF && !perf_ring_open(&t->ring, perf_ns))
        say_why("some threads have no samples but those of ticks",
                "the system has no room for perf events (ulimit -l)");
#endif
}

void sampler_finish(struct thread_state *h)
{
    if (!sampler_is_behind())
        return;
    __atomic_store_n(&h->in_slow, true, __ATOMIC_SEQ_CST); /* the end of the process waits for it */
    if (!__atomic_load_n(&h->closing, __ATOMIC_SEQ_CST))
        sampler_catch_up(h, shadow_top(h));
    __atomic_store_n(&h->in_slow, false, __ATOMIC_RELEASE);
}

void sampler_end_thread(struct stack_samples *samples)
{
    struct thread_sampler *t = own;
    if (!t)
        return;
    end_samples(t);
    *samples = t->stacks.samples;
    own = NULL;
    sampler_stack = NULL;
    spin_lock(&lock);
    t->next = unused;
    unused = t;
    spin_unlock(&lock);
}

static bool is_own(const struct thread_sampler *t)
{
    return t && t->tid == (int32_t)raw_call(SYS_gettid, 0, 0, 0, 0);
}

/* Where the thread blocks the signal, one may wait: the new program would end by it. */
static void take_back(void)
{
    const struct timespec none = {0, 0};
    uint64_t mask = UINT64_C(1) << (signal_number - 1);
    raw_call(SYS_rt_sigtimedwait, (long)(uintptr_t)&mask, 0, (long)(uintptr_t)&none, sizeof(mask));
}

void sampler_pause(void)
{
    if (own && __atomic_load_n(&own->timer, __ATOMIC_RELAXED) != SAMPLE_TIMER_NONE && is_own(own)) {
        end_timer(own);
        take_back();
    }
}

void sampler_resume(void)
{
    if (__atomic_load_n(&on, __ATOMIC_ACQUIRE) && is_own(own))
        begin_timer(own);
}

/* --- the process -----------------------------------------------------------------------------------------------------
 */

static bool start_timers(const char **why)
{
    *why = !sample_signal_of_timers_is_in_time()                              ? "timers need Linux 5.9"
           : !(signal_number = sample_signal_take_real_time(sampler_handler)) ? "the program uses all real-time signals"
                                                                              : NULL;
    if (*why)
        return false;
    period_ns = SAMPLE_TIMER_NS;
    ticks_sample = true;
    store_header->sample_delivery = sample_signal_delivery(signal_number);
    sampler = PCOMP_SAMPLER_TIMER;
    return true;
}

/* Of the kernel beside ticks, where these are not enough. False: *why says why there are none; "": none are needed. */
static bool start_perf(const char **why)
{
    static double cost = -1; /* the child of a fork need not measure it again, nor where it could not be measured */
    double to_fixed = run_tick_hz * (1 << PCOMP_FIX_SHIFT);
    if (cost < 0)
        cost = interrupt_pauses_measure();
    struct pcomp_sample_costs costs = {.perf = cost, .tick = (double)store_header->sample_delivery / to_fixed};
    if (config.sampler_timer)
        costs.tick_period = sample_signal_tick();
    struct pcomp_sample_periods p = cost > 0 ? pcomp_sample_periods(&costs) : (struct pcomp_sample_periods){0};
    *why =
        cost > 0 ? "" : "the system allows no perf events: a container, or sysctl kernel.perf_event_paranoid above 2";
    if (!(p.perf > 0))
        return false;
    perf_ns = (uint64_t)(p.perf * 1e9);
    period_ns = (uint64_t)(p.all * 1e9);
    ticks_sample = config.sampler_timer;
    tick_delivery = store_header->sample_delivery;
    store_header->sample_delivery = (int64_t)(p.cost * to_fixed);
    switch_cost = PCOMP_SWITCH_COST * cost;
    store_header->sample_tick_ns = ticks_sample ? (uint64_t)(costs.tick_period * 1e9) : 0;
    sampler = PCOMP_SAMPLER_PERF;
    return true;
}

/* A program counter alone needs no perf event, whose sample takes longer. */
static bool start_some(const char **why)
{
    sampled_stack_start();
    *why = config.counts ? NULL : probe_samples_hindered();
    if (*why || !start_timers(why))
        return false;
    if (!config.counts || !config.sampler_perf || start_perf(why) || config.sampler_timer)
        return true;
    sample_signal_give_back(signal_number);
    signal_number = 0;
    return false;
}

/* The signal last: it is taken where samples will be taken, and nowhere else. */
void sampler_start(void)
{
    const char *why = config.sampler_off         ? "--sampler off"
                      : !SAMPLE_SIGNAL_SUPPORTED ? "no sampler for this machine or valgrind"
                      : config.sampler_perf && config.sampler_timer && run_header->flags & PCOMP_FLAG_TRACED
                          ? "another process traces the program; --sampler timer or perf takes some"
                          : NULL;
    if (!why && start_some(&why))
        why = NULL;
    if (why) {
        say_why(why, NULL);
        return;
    }
    speed_start();
    if (config.counts)
        call_frames_register_all();
    else if (config.trace)
        count_samples_start();
    else
        probe_samples_start();
    store_header->sampler = sampler;
    store_header->sampler_signal = (uint32_t)signal_number;
    store_header->sample_period_ns = period_ns;
    set_on(true);
}

void sampler_stop(void)
{
    set_on(false);
    if (own)
        end_samples(own);
}

void sampler_end_all(void)
{
    set_on(false);
    for (struct thread_sampler *t = __atomic_load_n(&all, __ATOMIC_SEQ_CST); t; t = t->made_before)
        end_timer(t);
    if (is_own(own))
        end_samples(own);
}

int sampler_signal(void)
{
    return __atomic_load_n(&on, __ATOMIC_RELAXED) ? signal_number : 0;
}

void sampler_yield_signal(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int number = signal_number;
    if (!store_header || store_header->pid != (int32_t)raw_call(SYS_getpid, 0, 0, 0, 0))
        return; /* a process that shares this memory has no timers, and signal actions of its own */
    say_why("the program took the signal that the timers sent", NULL);
    sampler_end_all();
    sigaction(number, &ignore, NULL); /* takes back what was sent and not yet handled */
    signal_number = 0;
}

void sampler_unblock(void)
{
    int number = sampler_signal();
    uint64_t mask = number ? UINT64_C(1) << (number - 1) : 0;
    if (number)
        raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)(uintptr_t)&mask, 0, sizeof(mask));
}

void sampler_forget(void)
{
    lock.taken = 0;
    unused = all = NULL;
    own = NULL;
    sampler_stack = NULL;
    set_on(false);
}
