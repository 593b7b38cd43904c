#include "profiler/control/levels.h"

#include "compensation/control/level_machine.h"
#include "compensation/control/window_plan.h"
#include "compensation/estimate/count_price.h"
#include "compensation/estimate/site_price.h"
#include "compensation/numeric/extremes.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"
#include "profiler/base/thread_list.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/windows.h"

#include <string.h>
#include <sys/mman.h>

#define SHARE        100.0 /* from one look to the next so many times as long as a look took, ... */
#define SHARE_SOON   20.0  /* ... or so many, in the first SOON_SECONDS of the program's own time ... */
#define SOON_SECONDS 0.02
#define SHARE_WALL   5.0 /* ... and so many on the wall: a debugger or a sandbox may make system calls slow; ... */
#define SHARE_MAX    0.1 /* seconds: ... but no longer than that */
#define KERNEL_PART  0.6 /* of the kernel's price that calls counted in place are taken for in windows */
#define OWN_SHARE    0.2 /* of the time that passes is the program's own, at least: prices of probes are rough */

bool levels_sampled;

static struct spin lock;
static uint64_t *calls, *estimates, *accounted; /* by function; COUNTS_MAX each */
static uint8_t *levels, *was;                   /* enum pcomp_level, now and before the look */
static uint8_t *distrusted;                     /* by function: it is not to be timed */
static bool distrusts;                          /* some are that still are timed */
static struct pcomp_level_function *functions;
static struct pcomp_level_machine machine;
static uint64_t next_poll;    /* tick */
static uint64_t next_windows; /* tick: windows are due, at a sample */
static uint64_t last;         /* tick of the last look */
static double own, own_wall;  /* seconds: the program's own time on processors, and on the wall if that is more */
static double overhead;       /* seconds: what measuring took, ... */
static struct pcomp_window_cost taken;        /* ... and with calls counted in place at the same price all along */
static struct pcomp_window_overhead expected; /* what the one is over the other, from all but windows */
static double pace = 1;                       /* processor time by wall time: of several threads; 1 at least */
static double spent, processor;               /* overhead and processor time at the last look, seconds */
static uint64_t decided;                      /* tick of the machine's last look */
static bool windows;                          /* functions may be sampled */
static const struct levels_recorder *recorder;
static bool reserved; /* the memory of the arrays; without it all functions stay timed */

static void *reserve(uint64_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

bool levels_start(bool may_sample, const struct levels_recorder *of)
{
    recorder = of;
    lock.taken = 0;
    next_poll = next_windows = 0;
    own = own_wall = overhead = spent = 0;
    taken = (struct pcomp_window_cost){0};
    processor = thread_list_processor_seconds();
    decided = 0;
    machine = (struct pcomp_level_machine){0};
    last = clock_read(config.clock);
    if (!reserved)
        reserved = (calls = reserve(COUNTS_MAX * sizeof(*calls))) &&
                   (estimates = reserve(COUNTS_MAX * sizeof(*estimates))) &&
                   (accounted = reserve(COUNTS_MAX * sizeof(*accounted))) &&
                   (levels = reserve(COUNTS_MAX * sizeof(*levels))) && (was = reserve(COUNTS_MAX * sizeof(*was))) &&
                   (distrusted = reserve(COUNTS_MAX * sizeof(*distrusted))) &&
                   (functions = reserve(COUNTS_MAX * sizeof(*functions)));
    else { /* child of a fork */
        madvise(accounted, COUNTS_MAX * sizeof(*accounted), MADV_DONTNEED);
        madvise(levels, COUNTS_MAX * sizeof(*levels), MADV_DONTNEED);
        madvise(functions, COUNTS_MAX * sizeof(*functions), MADV_DONTNEED);
        distrusts = true; /* as the parent did */
    }
    store_header->limit = config.budget > 0 ? config.budget : of->limit;
    windows = may_sample && reserved && windows_start(PCOMP_WINDOW_SHARE * store_header->limit);
    return reserved;
}

void levels_resolve(void)
{
    uint32_t known = functions_count();
    if (!config.in_place || counts_make_room(known))
        sites_resolve(config.in_place ? known : UINT32_MAX);
}

static bool may_leave_out(void)
{
    return config.counts || config.pattern_count;
}

bool levels_leave_out_id(uint32_t function)
{
    return may_leave_out() && sites_level(function) != SITE_TIMED;
}

bool levels_leave_out(uint64_t function)
{
    uint32_t id = may_leave_out() ? function_known_id(function) : PCOMP_FUNCTION_ROOT;
    return id && sites_level(id) != SITE_TIMED;
}

bool levels_leave_out_region(uint64_t name)
{
    return config.counts && function_is_known(name) &&
           (function_find(name).skipped || sites_level(function_find(name).id) != SITE_TIMED);
}

/* --- what measuring took ---------------------------------------------------------------------------------------------
 */

static double seconds_of(int64_t fixed)
{
    return (double)fixed / (1 << PCOMP_FIX_SHIFT) / run_tick_hz;
}

static double timed_price(void)
{
    double loop = seconds_of(run_delta[recorder->variant].descendant);
    return recorder->in_context ? recorder->in_context(loop) : loop;
}

/* Of a call counted in place, whatever the run tells: progress in dense windows is not next to 0 with it where the
 * kernel costs twice as much as calls of the program do. */
static double same_price(void)
{
    return KERNEL_PART * seconds_of(store_header->count_cost);
}

/* Of a call counted in place, from all that tells of it until now. Sets `expected`. */
static double counted_price(void)
{
    uint64_t slots = __atomic_load_n(&store_header->slot_samples, __ATOMIC_RELAXED);
    double samples = (double)(slots + __atomic_load_n(&store_header->probe_samples, __ATOMIC_RELAXED)), /* of a trace */
        periods = (double)(slots + __atomic_load_n(&store_header->probe_periods, __ATOMIC_RELAXED));
    struct pcomp_count_price_sources from = {.kernel = seconds_of(store_header->count_cost),
                                             .slot_seconds = periods * (double)store_header->sample_period_ns * 1e-9,
                                             .slot_samples = samples,
                                             .calls = taken.counted};
    struct pcomp_count_price usual = pcomp_count_price_expected(&from);
    double factor = same_price() > 0 ? usual.price / same_price() : 1;
    expected = (struct pcomp_window_overhead){factor, usual.error * factor};
    if (windows)
        from.windows = windows_price();
    struct pcomp_count_price p = pcomp_count_price(&from);
    store_header->count_price = p.price;
    store_header->count_price_error = p.error * p.price;
    return p.price;
}

/* What measuring took besides calls: samples, begins and ends of threads. */
static double seconds_besides_calls(void)
{
    double threads = (double)__atomic_load_n(&run_threads_ns, __ATOMIC_RELAXED) * 1e-9;
    uint64_t samples = __atomic_load_n(&store_header->samples, __ATOMIC_RELAXED);
    int64_t ticks = (int64_t)__atomic_load_n(&store_header->sample_ticks, __ATOMIC_RELAXED);
    return threads + (double)samples * seconds_of(store_header->sample_delivery) + (double)ticks / run_tick_hz;
}

/* Whatever is not of calls counted in place. */
static void spend(double seconds)
{
    overhead += seconds;
    taken.all += seconds;
    taken.besides += seconds;
}

/* Reads the counters; calls since the last time cost what they cost at the function's level. */
static uint32_t account(struct progress *now)
{
    uint32_t count = functions_count() < COUNTS_MAX ? functions_count() : COUNTS_MAX;
    double timed = timed_price(), counted = counted_price(), same = same_price();
    memset(calls, 0, count * sizeof(*calls));
    counts_sum(calls, count);
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < count; i++) {
        double more = (double)(calls[i] - accounted[i]);
        if (levels[i] == PCOMP_LEVEL_TIMED) {
            spend(more * timed);
        } else {
            overhead += more * counted;
            taken.all += more * same;
            taken.counted += more;
        }
        accounted[i] = calls[i];
    }
    now->seconds = thread_list_processor_seconds();
    double rest = seconds_besides_calls();
    now->overhead = overhead + rest;
    now->taken = (struct pcomp_window_cost){taken.all + rest, taken.besides + rest, taken.counted};
    now->expected = expected;
    now->calls = calls;
    now->operations = recorder->operations ? recorder->operations() : 0;
    now->count = count;
    return count;
}

static double without(double passed, double measuring)
{
    double net = passed - measuring;
    return net > OWN_SHARE * passed ? net : OWN_SHARE * passed;
}

/* The own time goes on without what measuring took. */
static void go_on(uint64_t tick, const struct progress *now)
{
    double wall = tick > last ? (double)(tick - last) / run_tick_hz : 0, busy = now->seconds - processor;
    double measuring = now->overhead - spent;
    own += without(busy, measuring);
    store_header->own_seconds = own;
    own_wall += without(wall > busy ? wall : busy, measuring);
    pace = wall > 0 && busy > wall ? busy / wall : 1;
    last = tick;
    spent = now->overhead;
    processor = now->seconds;
}

/* --- levels ----------------------------------------------------------------------------------------------------- */

static void change(uint32_t function, uint8_t before, const struct progress *now)
{
    static const enum site_level sites[] = {SITE_TIMED, SITE_COUNTED, SITE_OFF};
    float recent = functions[function].rate, last_rate = functions[function].last;
    if (levels[function] == PCOMP_LEVEL_SAMPLED &&
        !windows_sample(function, now, (double)(last_rate > recent ? last_rate : recent)))
        levels[function] = PCOMP_LEVEL_COUNTED;
    if (before == PCOMP_LEVEL_SAMPLED)
        windows_count(function, now);
    if (before == PCOMP_LEVEL_TIMED) {
        function_mark(function, PCOMP_FUNCTION_COUNTED);
        recorder->falls(function);
    }
    sites_set_level(function, sites[levels[function]]);
}

/* Whether functions will be sampled that were not, or the reverse. */
static bool samples_others(uint32_t count)
{
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < count; i++)
        if ((levels[i] == PCOMP_LEVEL_SAMPLED) != (was[i] == PCOMP_LEVEL_SAMPLED))
            return true;
    return false;
}

/* Hook calls that are off may cost more than the limit, and no other level of a function makes them cheaper. */
static double sites_share(uint32_t count, double counted)
{
    double all = 0, unit = pcomp_site_unit(counted, seconds_of(store_header->count_cost));
    if (!run_header->site_sleds || own <= 0)
        return 0;
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < count; i++)
        all += (double)estimates[i];
    return all * 1e-9 * pcomp_site_price(true, all, own * 1e9, unit * 1e9).price / own;
}

void levels_distrust(uint32_t function)
{
    if (!reserved || function >= COUNTS_MAX)
        return;
    __atomic_store_n(&distrusted[function], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&distrusts, true, __ATOMIC_RELEASE);
}

static uint32_t let_distrusted_fall(uint32_t count)
{
    uint32_t fell = 0;
    if (!__atomic_exchange_n(&distrusts, false, __ATOMIC_ACQUIRE))
        return 0;
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_TIMED && distrusted[i]) {
            levels[i] = PCOMP_LEVEL_COUNTED;
            fell++;
        }
    return fell;
}

/* Returns how many functions are no longer timed. */
static uint32_t decide(const struct progress *now, uint32_t count)
{
    uint32_t fell = 0;
    double counted = counted_price();
    for (uint32_t i = 0; i < count; i++) /* one that is filtered out is no matter of the machine */
        estimates[i] = sites_level(i) == SITE_OFF && levels[i] == PCOMP_LEVEL_TIMED ? 0
                       : windows                                                    ? windows_calls(i, now)
                                                                                    : calls[i];
    const struct pcomp_level_poll look = {.seconds = own,
                                          .wall = own_wall,
                                          .timed_price = timed_price(),
                                          .counted_price = counted,
                                          .sampling = own > 0 ? seconds_besides_calls() / own : 0,
                                          .windows = windows ? windows_cost(now) : 0,
                                          .sites = sites_share(count, counted),
                                          .limit = store_header->limit,
                                          .burst = recorder->burst,
                                          .rate = recorder->rate,
                                          .keeps_fallen = recorder->keeps_fallen,
                                          .exact = !windows};
    memcpy(was, levels, count);
    uint32_t changed = pcomp_levels_poll(&machine, functions, levels, estimates, count, &look);
    changed += let_distrusted_fall(count);
    if (!changed)
        return 0;
    bool sampled_ones = windows && samples_others(count);
    if (windows)
        windows_before_change(now, sampled_ones);
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < count; i++) {
        if (levels[i] != was[i])
            change(i, was[i], now);
        fell += levels[i] != was[i] && was[i] == PCOMP_LEVEL_TIMED;
    }
    if (sampled_ones)
        windows_after_change(now);
    return fell;
}

/* What a look took is overhead: that of a sample as part of it. A window begins behind it, where other threads have
 * counted on while the sites were switched. */
static void looked(bool at_sample, bool switched, double took)
{
    if (at_sample)
        __atomic_fetch_add(&store_header->sample_ticks, (uint64_t)(took * run_tick_hz), __ATOMIC_RELAXED);
    else
        spend(took);
    if (switched) {
        struct progress now;
        account(&now);
        windows_switched(&now, took);
    }
}

/* `took`: processor time of the look that began at `tick`, seconds. */
static void plan_next_poll(uint64_t tick, const struct progress *now, double took)
{
    double pause = pcomp_max((own < SOON_SECONDS ? SHARE_SOON : SHARE) * took, machine.next),
           until = windows ? windows_next(now) : 1, lasted = (double)(clock_read(config.clock) - tick) / run_tick_hz;
    if (!levels_sampled && until < pause)
        pause = until;
    pause = pcomp_max(pause, SHARE_WALL * lasted);
    pause = lasted + (pause < SHARE_MAX ? pause : SHARE_MAX);
    __atomic_store_n(&next_poll, tick + (uint64_t)(pause * run_tick_hz), __ATOMIC_RELEASE);
    until = until > 1 ? 1 : until > 0 ? until / pace : 0;
    __atomic_store_n(&next_windows, tick + (uint64_t)(until * run_tick_hz), __ATOMIC_RELEASE);
}

/* at_sample: a sample looks, so that windows may open and close. at_once: many probes were timed, so that what turned
 * hot must not wait. may_fall: levels may change now. */
static void look(uint64_t tick, bool at_sample, bool at_once, bool may_fall)
{
    struct progress now;
    if (!reserved) {
        levels_resolve();
        counts_publish();
        __atomic_store_n(&next_poll, UINT64_MAX, __ATOMIC_RELEASE);
        return;
    }
    uint64_t begin = processor_time_ns(0);
    uint32_t count = account(&now), fell = 0;
    go_on(tick, &now);
    bool switched = windows && at_sample && windows_poll(&now);
    if (may_fall && !switched &&
        (at_once || (double)(tick - decided) >= machine.next * run_tick_hz)) { /* own time may stand still */
        fell = decide(&now, count);
        decided = tick;
    }
    levels_resolve();
    counts_publish();
    if (fell) {
        store_header->level_falls += fell;
        recorder->fell();
    }
    double took = (double)(processor_time_ns(0) - begin) * 1e-9;
    plan_next_poll(tick, &now, took);
    looked(at_sample, switched, took);
}

void levels_end(void)
{
    struct progress now;
    spin_lock(&lock);
    if (reserved) {
        account(&now);
        go_on(clock_read(config.clock), &now);
    }
    if (windows)
        windows_end(&now);
    windows = false;
    spin_unlock(&lock);
}

bool levels_are_due_at_sample(struct thread_state *h, uint64_t now)
{
    return now >= __atomic_load_n(&next_windows, __ATOMIC_ACQUIRE) || levels_are_due(h, now);
}

static bool is_due(uint64_t now, bool at_sample)
{
    return now >= __atomic_load_n(&next_poll, __ATOMIC_ACQUIRE) ||
           (at_sample && now >= __atomic_load_n(&next_windows, __ATOMIC_ACQUIRE));
}

bool levels_look(uint64_t now, bool at_sample, bool at_once, bool may_fall)
{
    if ((!at_once && !is_due(now, at_sample)) || !spin_try(&lock))
        return false;
    sanitizer_ignores();
    bool due = at_once || is_due(now, at_sample);
    if (due)
        look(now, at_sample, at_once, may_fall);
    sanitizer_watches();
    spin_unlock(&lock);
    return due;
}

uint64_t levels_next_look(void)
{
    return __atomic_load_n(&next_poll, __ATOMIC_RELAXED);
}
