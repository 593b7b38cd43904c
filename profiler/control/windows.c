#include "profiler/control/windows.h"

#include "compensation/control/window_plan.h"
#include "compensation/numeric/extremes.h"
#include "profiler/base/counts.h"
#include "profiler/base/store.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define CHUNK_MIN    4096u
#define CHUNKS_MAX   24u
#define NEVER        1e18
#define WINDOW_PART  0.5    /* of its length that a window has, at least, when levels change */
#define SWITCH_GUESS 0.0003 /* seconds that turning the sites of a window on and off takes, before one was seen */

static struct pcomp_chunk *chunks[CHUNKS_MAX];
static uint32_t chunk_count, record_count;
static uint32_t *record_of; /* by function: number of its record; 0: none. COUNTS_MAX */
static uint64_t *before;    /* by function: its counter when the window opened. COUNTS_MAX */
static struct pcomp_window_plan plan;
static bool planned;
static bool open;                      /* and `sampled`: written with the lock, read without */
static uint32_t sampled;               /* functions that are, now */
static double *since;                  /* by function: progress() when the last window closed, or it fell. COUNTS_MAX */
static double opened;                  /* the window that is open: own time at its beginning; ... */
static double overhead;                /* ... overhead, ... */
static struct pcomp_window_cost taken; /* ... and what it is taken for; */
static double opened_progress;         /* progress() there */
static double next;                    /* own time of the next change */
static double switching, counting;     /* seconds, sums over the windows */
static struct {
    struct pcomp_window_reference sums;          /* of steps_of() */
    struct pcomp_window_progress before, window; /* the gap before the last window, and that window; 0: none */
    struct pcomp_window_cost cost;               /* its overhead */
    double since;                                /* progress() from which the present gap is known */
    uint64_t steps;                              /* steps_of() there; when the window opened */
} reference;
static double gap_share, share_max; /* of the gap before the present window; of the time, for windows */

static uint32_t capacity_of(uint32_t chunk)
{
    return (uint32_t)((((uint64_t)CHUNK_MIN << chunk) - sizeof(struct pcomp_chunk)) /
                      sizeof(struct pcomp_sampled_calls));
}

static struct pcomp_sampled_calls *record_at(uint32_t index)
{
    uint32_t chunk = 0;
    for (; index >= capacity_of(chunk); chunk++)
        index -= capacity_of(chunk);
    return (struct pcomp_sampled_calls *)(chunks[chunk] + 1) + index;
}

static struct pcomp_sampled_calls *record_for(uint32_t function)
{
    if (record_of[function])
        return record_at(record_of[function] - 1);
    uint32_t room = 0;
    for (uint32_t c = 0; c < chunk_count; c++)
        room += capacity_of(c);
    if (record_count == room) {
        struct pcomp_chunk *c = chunk_count < CHUNKS_MAX
                                    ? store_chunk(PCOMP_CHUNK_WINDOWS, (uint64_t)CHUNK_MIN << chunk_count, 0,
                                                  sizeof(struct pcomp_sampled_calls))
                                    : NULL;
        if (!c)
            return NULL;
        c->capacity = capacity_of(chunk_count);
        chunks[chunk_count++] = c;
    }
    struct pcomp_sampled_calls *r = record_at(record_count);
    r->function = function;
    record_of[function] = ++record_count;
    struct pcomp_chunk *last = chunks[chunk_count - 1];
    __atomic_store_n(&last->count, last->count + 1, __ATOMIC_RELEASE);
    return r;
}

static void *reserve(uint64_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

static void set_open(bool now)
{
    __atomic_store_n(&open, now, __ATOMIC_RELAXED);
}

bool windows_leave_out(void)
{
    return __atomic_load_n(&sampled, __ATOMIC_RELAXED) && !__atomic_load_n(&open, __ATOMIC_RELAXED);
}

bool windows_start(double share)
{
    if (!record_of)
        record_of = reserve(COUNTS_MAX * sizeof(*record_of));
    else
        madvise(record_of, COUNTS_MAX * sizeof(*record_of), MADV_DONTNEED);
    if (!before)
        before = reserve(COUNTS_MAX * sizeof(*before));
    if (!since)
        since = reserve(COUNTS_MAX * sizeof(*since));
    chunk_count = record_count = 0;
    __atomic_store_n(&sampled, 0, __ATOMIC_RELAXED);
    planned = false;
    set_open(false);
    switching = counting = 0;
    memset(&reference, 0, sizeof(reference));
    share_max = share;
    return record_of && before && since;
}

/* --- the plan --------------------------------------------------------------------------------------------------------
 */

static void plan_window(const struct progress *now)
{
    double windows = (double)store_header->windows, seconds = store_header->window_seconds;
    const struct pcomp_window_costs costs = {.switching = windows > 0 ? switching / windows : SWITCH_GUESS,
                                             .counting = seconds > 0 ? pcomp_min(counting / seconds, 1) : 0.3,
                                             .share = share_max};
    next = now->seconds + pcomp_window_next_gap(&plan, &costs);
    gap_share = pcomp_window_gap_share(&plan);
}

static void begin_plan(const struct progress *now)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    pcomp_window_plan_init(&plan, (uint64_t)t.tv_nsec ^ (uint64_t)(uint32_t)store_header->pid << 32);
    planned = true;
    plan_window(now);
}

double windows_next(const struct progress *now)
{
    return sampled ? next - now->seconds : NEVER;
}

/* --- reference -------------------------------------------------------------------------------------------------------
 */

/* What is counted in windows and between them: calls of functions that are not sampled, and operations. */
static uint64_t steps_of(const struct progress *now)
{
    uint64_t steps = now->operations;
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < now->count; i++)
        if (!record_of[i] || !record_at(record_of[i] - 1)->sampled)
            steps += now->calls[i];
    return steps;
}

/* How far the program came: its time without what measuring took. */
static double progress(const struct progress *now)
{
    return now->seconds - now->overhead;
}

static void publish_overhead(const struct progress *now)
{
    struct pcomp_window_overhead o = pcomp_window_overhead_of(&reference.sums, now->expected);
    store_header->window_factor = o.factor;
    store_header->window_factor_error = o.error;
}

/* The gap ends that follows the last window. */
static void reference_opened(const struct progress *now)
{
    uint64_t steps = steps_of(now);
    struct pcomp_window_progress gap = {progress(now) - reference.since, (double)(steps - reference.steps)};
    pcomp_window_reference_add(&reference.sums, &reference.before, &reference.window, &reference.cost, &gap);
    reference.before = gap;
    reference.window = (struct pcomp_window_progress){0, 0};
    reference.steps = steps;
    publish_overhead(now);
}

static void reference_closed(const struct progress *now, double seconds)
{
    uint64_t steps = steps_of(now);
    reference.window = (struct pcomp_window_progress){seconds, (double)(steps - reference.steps)};
    reference.cost = (struct pcomp_window_cost){.all = now->taken.all - taken.all,
                                                .besides = now->taken.besides - taken.besides,
                                                .counted = now->taken.counted - taken.counted};
    reference.since = progress(now);
    reference.steps = steps;
}

/* What was counted before tells nothing of what comes. */
void windows_after_change(const struct progress *now)
{
    reference.before = reference.window = (struct pcomp_window_progress){0, 0};
    reference.since = progress(now);
    reference.steps = steps_of(now);
}

struct pcomp_price windows_price(void)
{
    return pcomp_window_price_of(&reference.sums);
}

/* --- functions -------------------------------------------------------------------------------------------------------
 */

static double gap_until(uint32_t function, double moment)
{
    return moment > since[function] ? moment - since[function] : 0;
}

bool windows_sample(uint32_t function, const struct progress *now, double rate)
{
    struct pcomp_sampled_calls *r = record_for(function);
    if (!r)
        return false;
    if (!planned)
        begin_plan(now);
    r->exact += now->calls[function]; /* modulo 2^64: less by those at its return */
    r->sampled = 1;
    publish_overhead(now);
    since[function] = progress(now);
    pcomp_window_calls_begin(&r->sums, rate);
    function_mark(function, PCOMP_FUNCTION_SAMPLED);
    __atomic_fetch_add(&sampled, 1, __ATOMIC_RELAXED);
    return true;
}

void windows_count(uint32_t function, const struct progress *now)
{
    struct pcomp_sampled_calls *r = record_for(function);
    if (!r || !r->sampled)
        return;
    pcomp_window_calls_end(&r->sums, gap_until(function, progress(now)));
    r->exact -= now->calls[function];
    r->sampled = 0;
    __atomic_fetch_sub(&sampled, 1, __ATOMIC_RELAXED);
}

static struct pcomp_window_overhead overhead_in_windows(void)
{
    double factor = store_header->window_factor;
    return (struct pcomp_window_overhead){factor > 0 ? factor : 1, 0};
}

uint64_t windows_calls(uint32_t function, const struct progress *now)
{
    const struct pcomp_sampled_calls *r = record_of[function] ? record_at(record_of[function] - 1) : NULL;
    if (!r)
        return now->calls[function];
    double gap = r->sampled ? gap_until(function, open ? opened_progress : progress(now)) : 0;
    double calls = pcomp_window_calls_estimate(&r->sums, gap, overhead_in_windows()).calls;
    return (r->sampled ? r->exact : r->exact + now->calls[function]) + (uint64_t)(calls > 0 ? calls : 0);
}

/* --- windows ---------------------------------------------------------------------------------------------------------
 */

static void turn_all(enum site_level level)
{
    for (uint32_t i = 0; i < record_count; i++)
        if (record_at(i)->sampled)
            sites_set_level(record_at(i)->function, level);
}

static void begin_window(const struct progress *now)
{
    for (uint32_t i = 0; i < record_count; i++)
        before[record_at(i)->function] = now->calls[record_at(i)->function];
    opened = now->seconds;
    overhead = now->overhead;
    taken = now->taken;
    opened_progress = progress(now);
}

static void open_window(const struct progress *now)
{
    set_open(true);
    reference_opened(now);
    turn_all(SITE_COUNTED);
    begin_window(now);
    next = now->seconds + pcomp_window_next_length(&plan);
}

static void close_window(const struct progress *now)
{
    double seconds = now->seconds - opened;
    reference_closed(now, seconds);
    for (uint32_t i = 0; i < record_count; i++) {
        struct pcomp_sampled_calls *r = record_at(i);
        if (!r->sampled)
            continue;
        uint64_t calls = now->calls[r->function] - before[r->function];
        pcomp_window_calls_add(&r->sums, (double)calls, seconds, reference.cost.all,
                               gap_until(r->function, opened_progress), gap_share);
        since[r->function] = progress(now);
    }
    set_open(false);
    turn_all(SITE_OFF);
    store_header->windows++;
    store_header->window_seconds += seconds;
    counting += now->overhead - overhead;
    plan_window(now);
}

bool windows_poll(const struct progress *now)
{
    if (!planned || (!sampled && !open))
        return false;
    if (open && now->seconds >= next) {
        close_window(now);
        return true;
    }
    if (open || now->seconds < next)
        return false;
    open_window(now);
    return true;
}

/* One that has just begun would stand for a gap with next to nothing seen. */
static void abandon_window(const struct progress *now)
{
    set_open(false);
    windows_after_change(now);
    turn_all(SITE_OFF);
    counting += now->overhead - overhead;
    plan_window(now);
}

void windows_before_change(const struct progress *now, bool sampled_ones)
{
    if (open && now->seconds - opened < WINDOW_PART * pcomp_window_next_length(&plan))
        abandon_window(now);
    if (open)
        close_window(now);
    if (sampled_ones)
        reference_opened(now);
}

/* An open window begins anew: other threads have counted, and come further, while its sites were turned. */
void windows_switched(const struct progress *now, double took)
{
    switching += took;
    store_header->window_switching += took;
    if (open) {
        begin_window(now);
        reference.steps = steps_of(now);
    }
}

double windows_cost(const struct progress *now)
{
    double spent = switching + counting - PCOMP_WINDOW_START, max = planned && sampled ? share_max : 0;
    double share = now->seconds > 0 && planned ? spent / now->seconds : 0;
    return share > max ? share : max;
}

void windows_end(const struct progress *now)
{
    windows_before_change(now, sampled > 0);
    for (uint32_t i = 0; i < record_count; i++) {
        struct pcomp_sampled_calls *r = record_at(i);
        if (!r->sampled)
            continue;
        pcomp_window_calls_end(&r->sums, gap_until(r->function, progress(now)));
        since[r->function] = progress(now);
    }
}
