#include "profiler/bursts.h"

#include "compensation/budget.h"
#include "compensation/burst.h"
#include "compensation/in_situ.h"
#include "profiler/burst_weights.h"
#include "profiler/code/sites/sites.h"
#include "profiler/config.h"
#include "profiler/held.h"
#include "profiler/pc_sampling.h"
#include "profiler/phases.h"
#include "profiler/raw_call.h"
#include "profiler/sampling.h"
#include "profiler/session.h"
#include "profiler/store.h"
#include "profiler/switching.h"
#include "profiler/threads.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#define STACK           65536u
#define NODES_OF_THREAD 2     /* before its first call: root and beyond-limit */
#define STOP_TRIES      20000 /* of 0.1 ms */

/* --mode burst; each lasts half of it to one and a half */
#define BURST_NS 250000.0
#define GAP_NS   11750000.0

#define LOOK_NS       10000000.0 /* between two looks at what it costs */
#define LOOK_LEAST    1000000.0  /* the same when the budget is nearly spent */
#define GAP_MOST      80000000.0 /* waited for a budget that is spent; then a burst is short: */
#define SHORT_NS      250000.0
#define SILENT_MOST   100000000.0 /* how long a burst lasts in which no hook runs, ns ... */
#define SILENT_LOOK   2000000.0   /* ... and the longest wait between two looks */
#define PROBE_NS      100000.0    /* a look at one of the functions that are off, before each burst ... */
#define PROBE_COSTS   0.2         /* ... of which it may cost this much */
#define TEST_EVERY    16u         /* bursts, between two looks for functions that can be held */
#define WATCH_LEAST   2000000.0   /* ns between two looks at the functions that are held */
#define EXACT_LEAVES  0.1         /* of the budget: looks come late, and bursts cost, too */
#define EXACT_READY   0.25        /* of the budget: then it is found out what can be held, for that takes long */
#define EXACT_SPENDS  0.5  /* of the budget, in a phase that costs more than twice as much: the rest is for bursts */
#define HELD_SHARE    0.06 /* of the budget that held functions may cost */
#define HELD_RATE     150000.0 /* and calls a second without a budget */
#define SHARE_LEAST   0.1      /* of the budget, for bursts, whatever else there is */
#define SAMPLES_SHARE 0.25     /* of the budget, for samples of the program counter */
#define SAMPLES_REST  0.02     /* of the time without a budget */
#define IGNORED_NS    12.0     /* what a hook costs that cannot be turned off and returns at once */

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

enum { NONE, RUNNING, STOPPING, ENDED };

static uint32_t state;
static uint64_t random_state;
static char *stack;

/* Of the thread alone: */
static struct pcomp_budget budget;
static struct pcomp_budget_return returning;
static double calibrated; /* ticks: a counted call; */
static double off_call;   /* one whose hooks are off */
static double burst_rate; /* of the time of a burst, what it costs; lately */
static double turn_cost;  /* ticks, of turning hooks on and off once each; lately */
static uint64_t helper_seen, off_seen, found_out_seen;
static unsigned processors;
static uint64_t left_exact; /* tick */
static bool held_first;     /* functions were held when hooks first went off */
static bool held_prepared;  /* it is known which can be */
static bool samples_prepared;

static bool hurried; /* by hooks of held functions; any thread */

static double ticks(double ns)
{
    return ns * 1e-9 * session_tick_hz;
}

static uint64_t next_random(void)
{
    random_state ^= random_state << 13; /* xorshift64 */
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Half of it to one and a half. */
static double about(double mean)
{
    return mean * (0.5 + (double)(next_random() >> 11) / 9007199254740992.0);
}

/* False: it is time to stop. */
static bool wait_for(double ns)
{
    uint64_t whole = ns > 1 ? (uint64_t)ns : 1;
    struct timespec time = {(time_t)(whole / 1000000000), (long)(whole % 1000000000)};
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == RUNNING)
        raw_call(SYS_futex, (long)(uintptr_t)&state, FUTEX_WAIT_PRIVATE, RUNNING, (long)(uintptr_t)&time);
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == RUNNING;
}

/* --- the budget ------------------------------------------------------------------------------------------------------
 */

static struct pcomp_in_place in_place;

static void add_in_place(struct hot *h, uint64_t unused)
{
    (void)unused;
    pcomp_in_place_add(&in_place, (double)h->thread->place_cost, h->thread->place_squares,
                       (double)h->thread->place_count);
}

/* What a counted call costs, with its part of the stamps, more than one whose hooks are off: as measured while the
 * program ran, since a processor that shares its core makes calls dearer than they were at the start. */
static double call_cost(void)
{
    double fixed = 1 << PCOMP_FIX_SHIFT, spread = 0;
    in_place = (struct pcomp_in_place){.events = store_header->place_events,
                                       .event_squares = store_header->place_event_squares,
                                       .event_cost = store_header->place_event_cost};
    threads_each(add_in_place, 0);
    double call = pcomp_in_place_mean(&in_place, calibrated * fixed, &spread) / fixed,
           stamps = 2.0 * SAMPLING_BURST / SAMPLING_GAP * (double)store_header->stamp / fixed;
    return call + stamps > off_call ? call + stamps - off_call : 0;
}

static void note_cost(double cost, enum pcomp_over cause)
{
    struct pcomp_header *h = store_header;
    pcomp_budget_add(&budget, sampling_clock(), cost, cause);
    h->cost_ticks += cost;
    h->cost_worst = budget.worst;
    h->over_ticks = budget.over.ticks;
    h->over_longest = budget.over.longest;
    h->over_count = budget.over.count;
    h->over_cause = budget.over.longest_cause;
}

struct counting {
    uint64_t threads, off_events, found_out;
};

static struct counting counting;

static void count_thread(struct hot *h, uint64_t unused)
{
    (void)unused;
    counting.threads++;
    counting.off_events += h->thread->off_events;
    counting.found_out += h->sampling.found_out;
}

/* What is not counted elsewhere: the time of this thread where it takes the program's, hooks that ran while they were
 * off. */
static void note_other_costs(void)
{
    struct timespec now = {0, 0};
    raw_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)(uintptr_t)&now, 0, 0);
    uint64_t helper = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    counting = (struct counting){0};
    threads_each(count_thread, 0);
    if (counting.threads >= processors)
        note_cost(ticks((double)(helper - helper_seen)), PCOMP_OVER_PROCESSOR);
    if (counting.off_events > off_seen)
        note_cost((double)(counting.off_events - off_seen) * ticks(IGNORED_NS), PCOMP_OVER_SITES);
    if (counting.found_out > found_out_seen)
        note_cost((double)(counting.found_out - found_out_seen), PCOMP_OVER_HELD);
    off_seen = counting.off_events;
    found_out_seen = counting.found_out;
    helper_seen = helper;
    store_header->helper_ns = helper;
}

static double held_rate(void)
{
    return config.budget > 0 ? config.budget * HELD_SHARE / HELD_NS * 1e9 : HELD_RATE;
}

/* --- every call counted ----------------------------------------------------------------------------------------------
 */

/* The first hooks of a session are under way when this thread starts. */
static bool wait_for_calls(void)
{
    bool more = wait_for(about(BURST_NS));
    while (more && __atomic_load_n(&store_header->node_count, __ATOMIC_ACQUIRE) <= NODES_OF_THREAD)
        more = wait_for(about(BURST_NS));
    return more;
}

/* Whether counting that has cost so much since `began` must end while there is something left for bursts: they are all
 * that tells of the rest of this second. */
static bool spends_too_fast(double spent, uint64_t began, uint64_t now)
{
    double half = EXACT_SPENDS * config.budget;
    return spent >= half * session_tick_hz && spent >= config.budget / EXACT_SPENDS * (double)(now - began);
}

/* Until that costs more than the budget allows; then true. */
static bool stay_exact(void)
{
    double wait = LOOK_LEAST, spent = 0;
    uint64_t began = sampling_clock(), looked = began;
    for (;;) {
        if (!wait_for(wait))
            return false;
        uint64_t now = sampling_clock();
        double cost = phases_cost_of_exact(call_cost()), rate = cost / (double)(now - looked + 1);
        note_cost(cost, PCOMP_OVER_EXACT);
        burst_rate = rate < 1 ? rate : 1;
        looked = now;
        spent += cost;
        if (!held_prepared && spent >= EXACT_READY * config.budget * session_tick_hz) {
            held_prepare();
            held_prepared = true;
            wait = LOOK_LEAST;
            continue;
        }
        double left = pcomp_budget_left(&budget, now);
        if (left <= rate * ticks(LOOK_LEAST) + EXACT_LEAVES * config.budget * session_tick_hz ||
            spends_too_fast(spent, began, now))
            return true;
        wait = left / (rate + 1e-9) / 2 * 1e9 / session_tick_hz;
        wait = wait < LOOK_LEAST ? LOOK_LEAST : wait > LOOK_NS ? LOOK_NS : wait;
    }
}

/* Returns when counting stopped. */
static uint64_t turn_off(void)
{
    uint64_t now = switching_halt();
    burst_weights_turned(false); /* before the sites change, which takes as long as half a burst */
    switching_turn(false);
    return now;
}

static void leave_exact(void)
{
    struct pcomp_header *h = store_header;
    double seconds = (double)(sampling_clock() - h->phase_tick) * (1 - burst_rate) / session_tick_hz;
    burst_weights_show_calls();
    if (!held_first)
        held_choose(seconds, held_rate(), true);
    held_first = true;
    turn_off();
    phases_end_exact();
    if (!samples_prepared) /* not before: most programs need none */
        pc_sampling_prepare(config.budget > 0 ? SAMPLES_SHARE * config.budget : SAMPLES_REST);
    samples_prepared = true;
    pc_sampling_begin();
    left_exact = sampling_clock();
}

/* --- bursts ----------------------------------------------------------------------------------------------------------
 */

/* Of the program's time, what bursts may cost: the budget; in the second after an exact phase what that left of it. */
static double share_of_bursts(uint64_t now)
{
    double rest = session_tick_hz - (double)(now - left_exact);
    double left = rest > 0 ? pcomp_budget_left(&budget, now) / rest : config.budget;
    double share = (left < config.budget ? left : config.budget) * (1 - HELD_SHARE) - pc_sampling_share();
    return share > SHARE_LEAST * config.budget ? share : SHARE_LEAST * config.budget;
}

static struct pcomp_burst_plan plan(void)
{
    if (config.budget > 0)
        return pcomp_budget_plan(share_of_bursts(sampling_clock()), session_tick_hz, turn_cost, burst_rate);
    return (struct pcomp_burst_plan){ticks(BURST_NS), ticks(GAP_NS)};
}

/* The samples since the last time, of hooks that were off or on. */
static void look_at_samples(bool off)
{
    double cost = pc_sampling_look(off);
    if (config.budget > 0 && cost > 0)
        note_cost(cost, PCOMP_OVER_BURSTS);
}

/* A gap; longer, and the burst behind it short, where the last second has spent the budget. *held: calls of held
 * functions in it. */
static bool wait_gap(struct pcomp_burst_plan *next, uint64_t begin, double *held)
{
    double length = about(next->gap), most = ticks(GAP_MOST), need = turn_cost + burst_rate * next->length * 1.5;
    uint64_t last = begin;
    held_begin_gap(begin);
    __atomic_store_n(&hurried, false, __ATOMIC_RELAXED);
    for (;;) {
        double passed = (double)(sampling_clock() - begin);
        if (passed >= length &&
            !(config.budget > 0 && passed < most && pcomp_budget_left(&budget, begin + (uint64_t)passed) < need))
            break;
        double left = length > passed ? length - passed : ticks(LOOK_NS);
        if (!wait_for((left < ticks(LOOK_NS) ? left : ticks(LOOK_NS)) * 1e9 / session_tick_hz))
            return false;
        threads_each(sampling_settle, 0);
        look_at_samples(true);
        uint64_t now = sampling_clock();
        double since = (double)(now - last);
        bool hurry = __atomic_exchange_n(&hurried, false, __ATOMIC_RELAXED); /* at each look: only the first wakes */
        if (since < ticks(WATCH_LEAST)) {                                    /* a few calls tell no rate */
            if (!hurry || held_calls() < 2 * held_rate() * WATCH_LEAST / 1e9)
                continue;
            since = ticks(WATCH_LEAST);
        }
        double calls = held_watch(since / session_tick_hz, 2 * held_rate(), now);
        last = now;
        if (config.budget > 0) {
            note_cost(calls * ticks(HELD_NS), PCOMP_OVER_HELD);
            note_other_costs();
        }
    }
    if (config.budget > 0 && pcomp_budget_left(&budget, last) < need && next->length > ticks(SHORT_NS))
        next->length = ticks(SHORT_NS);
    *held = held_end_gap(sampling_clock());
    return true;
}

static void add_held(const struct burst_sums *b, double off)
{
    struct pcomp_header *h = store_header;
    h->held_on += b->on;
    h->held_low += b->low;
    h->held_high += b->high;
    h->held_off += off;
    h->held_off_squares += off * off;
    h->held_products += off * b->high;
    h->held_high_squares += b->high * b->high;
}

static double slowness(void)
{
    const struct pcomp_header *h = store_header;
    struct pcomp_burst_held held = {h->held_on,          h->held_low,      h->held_high,        h->held_off,
                                    h->held_off_squares, h->held_products, h->held_high_squares};
    return pcomp_burst_slowness_of(&held).factor;
}

/* Just before a burst: calls a tick of one of the functions that are off. */
static double probe(void)
{
    if (!held_probe_begin(about(1) - 0.5))
        return 0;
    uint64_t begin = sampling_clock();
    wait_for(PROBE_NS);
    double lasted = (double)(sampling_clock() - begin), calls = held_probe_end(), cost = calls * ticks(HELD_NS);
    __atomic_store_n(&hurried, false, __ATOMIC_RELAXED);
    if (config.budget > 0)
        note_cost(cost, PCOMP_OVER_HELD);
    if (cost > PROBE_COSTS * lasted) {
        held_probe_spoilt();
        return 0;
    }
    return calls / (lasted - cost);
}

static void look_for_hooks(struct hot *h, uint64_t met)
{
    *(bool *)(uintptr_t)met |= !h->sampling.repair;
}

/* A burst. One in which no hook ran costs nothing and tells nothing, so it goes on until one did: that tells what the
 * program was in. False: it is time to stop. */
static bool wait_burst(double length)
{
    uint64_t begin = sampling_clock();
    bool more = wait_for(length * 1e9 / session_tick_hz);
    for (;;) {
        bool met = false;
        double passed = (double)(sampling_clock() - begin) * 1e9 / session_tick_hz, wait = passed / 8;
        threads_each(look_for_hooks, (uint64_t)(uintptr_t)&met);
        if (!met)
            look_at_samples(true); /* nothing was disturbed */
        if (met || !more || passed > SILENT_MOST)
            return more;
        more = wait_for(wait < SHORT_NS ? SHORT_NS : wait > SILENT_LOOK ? SILENT_LOOK : wait);
    }
}

/* One burst and the gap before it, which began when hooks went off at `begin`. Returns when they went off again. */
static uint64_t one_burst(uint64_t begin, struct pcomp_burst_plan *next, bool *more, bool *quiet)
{
    struct pcomp_header *h = store_header;
    double held;
    if (!wait_gap(next, begin, &held)) {
        *more = false;
        return begin;
    }
    double rate = probe();
    look_at_samples(true);
    uint64_t took = h->switch_ticks, on = switching_turn(true);
    burst_weights_turned(true);
    *more = wait_burst(about(next->length));
    uint64_t off = turn_off();
    look_at_samples(false);
    pc_sampling_begin();
    took = h->switch_ticks - took;
    double length = (double)(off - on);
    struct burst_sums burst = burst_weights_add((double)(on - begin), length, call_cost(), off_call, slowness());
    h->bursts++;
    h->burst_ticks += length;
    add_held(&burst, held + rate * (double)(on - begin));
    burst_rate += 0.3 * ((length > 0 ? burst.cost / length : 0) - burst_rate);
    turn_cost += 0.3 * ((double)took - turn_cost);
    if (config.budget > 0) {
        note_cost(burst.cost + (double)took, PCOMP_OVER_BURSTS);
        *quiet = pcomp_budget_returns(&returning, &budget, off, burst.cost, burst.progress);
    }
    double seen = (double)h->burst_ticks * (1 - burst_rate) / session_tick_hz;
    if (h->bursts % TEST_EVERY == 1 && held_choose(seen, held_rate(), false))
        switching_renew();
    return off;
}

/* What this thread opens for a moment is no descriptor of the program, and what the program closes is closed. Where the
 * kernel cannot do both at once (before Linux 5.9), they share. */
static void leave_descriptors(void)
{
#ifdef SYS_close_range
    raw_call(SYS_close_range, 0, ~0u, 1 << 1 /* CLOSE_RANGE_UNSHARE */, 0);
#endif
}

static int turn_on_and_off(void *unused)
{
    (void)unused;
    struct pcomp_header *h = store_header;
    leave_descriptors();
    bool more = wait_for_calls();
    while (more) {
        if (config.budget > 0)
            more = stay_exact();
        if (!more)
            break;
        leave_exact();
        uint64_t begin = sampling_clock();
        for (bool quiet = false; more && !quiet;) {
            struct pcomp_burst_plan next = plan();
            begin = one_burst(begin, &next, &more, &quiet);
        }
        pc_sampling_end();
        if (!more)
            break;
        phases_begin_exact();
        h->returns++;
        switching_turn(true);
        phases_cost_of_exact(call_cost()); /* what bursts cost has been noted */
    }
    __atomic_store_n(&state, ENDED, __ATOMIC_RELEASE);
    return 0;
}

/* --- start and end ---------------------------------------------------------------------------------------------------
 */

static void prepare(void)
{
    struct pcomp_header *h = store_header;
    double fixed = 1 << PCOMP_FIX_SHIFT;
    cpu_set_t set;
    random_state = sampling_clock() * 0x9e3779b97f4a7c15u | 1;
    off_call = (double)h->off_call / fixed;
    calibrated = ((double)session_delta[PCOMP_VARIANT_REPEAT].descendant +
                  (double)session_delta[PCOMP_VARIANT_BARE].descendant) /
                 fixed;
    turn_cost = ticks(100000);
    burst_rate = 0.5;
    helper_seen = off_seen = found_out_seen = 0;
    held_first = held_prepared = samples_prepared = false;
    returning = (struct pcomp_budget_return){0};
    processors = sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    h->phase = PCOMP_PHASE_EXACT;
    h->phase_tick = h->tick0;
    h->exact_phases = 1;
    h->hooks_on = 1;
    pcomp_budget_start(&budget, config.budget, sampling_clock(), session_tick_hz);
}

/* Where the program is of a real-time class the thread must come first, or it would wait for the program to wait. */
static void let_come_first(int thread)
{
    struct sched_param param = {0};
    int policy = sched_getscheduler(0);
    if ((policy == SCHED_FIFO || policy == SCHED_RR) && sched_getparam(0, &param) == 0) {
        param.sched_priority++;
        sched_setscheduler(thread, policy, &param); /* where that is not allowed it waits */
    }
}

const char *bursts_start(void)
{
    const char *wrong =
        sites_start((uint64_t)(uintptr_t)__cyg_profile_func_enter, (uint64_t)(uintptr_t)__cyg_profile_func_exit);
    if (!wrong) {
        sites_meet(getauxval(AT_ENTRY));
        wrong = sites_known().why;
    }
    if (wrong)
        return wrong;
    if (!stack)
        stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) {
        stack = NULL;
        return "no memory for a thread";
    }
    held_start(); /* without it nothing is held */
    prepare();
    state = RUNNING;
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    int thread = clone(turn_on_and_off, stack + STACK, flags, NULL);
    store_header->own_tid = thread < 0 ? 0 : thread;
    if (thread >= 0) {
        let_come_first(thread);
        return NULL;
    }
    state = NONE;
    return errno == EPERM ? "another thread is not allowed" : "another thread";
}

void bursts_stop(void)
{
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == NONE)
        return;
    __atomic_store_n(&state, STOPPING, __ATOMIC_RELEASE);
    raw_call(SYS_futex, (long)(uintptr_t)&state, FUTEX_WAKE_PRIVATE, 1, 0);
    for (int i = 0; i < STOP_TRIES && __atomic_load_n(&state, __ATOMIC_ACQUIRE) != ENDED; i++)
        nanosleep(&(struct timespec){0, 100000}, NULL); /* it may have the lower priority */
    switching_turn(true);
    state = NONE;
}

void bursts_hurry(void)
{
    if (!__atomic_exchange_n(&hurried, true, __ATOMIC_RELAXED))
        raw_call(SYS_futex, (long)(uintptr_t)&state, FUTEX_WAKE_PRIVATE, 1, 0);
}

void bursts_forget(void)
{
    held_forget();
    pc_sampling_forget();
    state = NONE;
}
