#include "profiler/trace/trace_calibrate.h"

#include "compensation/cost/calibration.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/thread_list.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_segments.h"
#include "profiler/trace/trace_suppressed.h"

#include <sys/mman.h>

#define BATCHES 64u
#define EVENTS  256u /* of a batch */

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

/* As the program calls them. */
static void (*enter)(void *, void *) = __cyg_profile_func_enter, (*leave)(void *, void *) = __cyg_profile_func_exit;

static char tag, suppressed_tag; /* no functions of the program */

enum what { NOTHING, ENTER, EXIT, SHORT, LONG, MESSAGE, SUPPRESSED, WHATS };

static __attribute__((noinline)) void nothing(void *function, void *site)
{
    __asm__ volatile("" ::"r"(function), "r"(site) : "memory");
}

static void record_short(void *function, void *site)
{
    (void)site;
    trace_event(PCOMP_EVENT_SEM_V, (uint64_t)(uintptr_t)function);
}

static void record_long(void *function, void *site)
{
    trace_event_long(PCOMP_EVENT_ADVANCE, (uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, 0);
}

static void record_message(void *function, void *site)
{
    trace_event_long(PCOMP_EVENT_SEND_POST, (uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site, 0);
}

/* A call that is not recorded. */
static void call_suppressed(void *function, void *site)
{
    (void)function;
    __cyg_profile_func_enter(&suppressed_tag, site);
    __cyg_profile_func_exit(&suppressed_tag, site);
}

static int64_t batch(void (*record)(void *, void *))
{
    uint64_t begin = clock_read(config.clock);
    for (uint32_t i = 0; i < EVENTS; i++)
        record(&tag, &tag);
    return (int64_t)(clock_read(config.clock) - begin);
}

static int64_t beside[PCOMP_EVENT_KINDS]; /* what its wrapper takes besides: trace_calibrate_wrapper() */

/* Of a process that measures at its start and at its end, the mean of both. */
static void set_alpha(uint32_t kind, int64_t alpha)
{
    int64_t *known = &trace_header.alpha[kind];
    alpha += beside[kind];
    *known = *known ? (*known + alpha) / 2 : alpha;
}

static enum what what_of(uint32_t kind)
{
    if (kind == PCOMP_EVENT_ENTER)
        return ENTER;
    if (kind == PCOMP_EVENT_EXIT)
        return EXIT;
    return pcomp_event_is_message(kind) ? MESSAGE : kind >= PCOMP_EVENT_LONG ? LONG : SHORT;
}

static bool takes_time(uint32_t kind)
{
    return kind != PCOMP_EVENT_FLUSH_BEGIN && kind != PCOMP_EVENT_LOST && kind != PCOMP_EVENT_SUPPRESSED &&
           kind != PCOMP_EVENT_COUNTED && kind < PCOMP_ALPHA_COUNTED_ERROR &&
           (kind != PCOMP_EVENT_UNRECORDED || config.trace_budget);
}

static void conclude(int64_t ticks[WHATS][BATCHES], struct pcomp_delta *delta)
{
    struct pcomp_estimate e[WHATS];
    for (int w = ENTER; w < WHATS; w++)
        e[w] = pcomp_estimate_mean((struct pcomp_batches){ticks[w], BATCHES},
                                   (struct pcomp_batches){ticks[NOTHING], BATCHES}, EVENTS);
    trace_alpha_spread = (uint64_t)e[ENTER].spread;
    for (uint32_t kind = 1; kind < PCOMP_EVENT_KINDS; kind++)
        if (takes_time(kind))
            set_alpha(kind, kind == PCOMP_EVENT_UNRECORDED ? e[SUPPRESSED].value / 2 : e[what_of(kind)].value);
    struct pcomp_estimate call = {e[ENTER].value + e[EXIT].value, e[ENTER].spread + e[EXIT].spread,
                                  e[EXIT].repetitions};
    *delta = pcomp_delta_from_estimates(e[ENTER], call, (struct pcomp_estimate){0, 0, 0}, EVENTS);
}

/* Makes the calling thread record into fresh memory, as a segment has it: a buffer written again and again would be in
 * the nearest cache. */
struct trial {
    struct thread_state *h, *before;
    char *memory;
    uint64_t size;
};

static bool trial_begin(struct trial *t, uint64_t size)
{
    *t = (struct trial){.before = current_thread, .size = size};
    t->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    t->h = t->memory == MAP_FAILED ? NULL : thread_state_new();
    if (!t->h) {
        if (t->memory != MAP_FAILED)
            munmap(t->memory, size);
        return false;
    }
    t->h->recording = RECORDING_TRACE;
    t->h->trace_cursor = (uint64_t)(uintptr_t)t->memory;
    t->h->tracing.stopped = true; /* when it is full, for what is recorded there unforeseen */
    trace_calibrating(t->h, t->h->trace_cursor + size);
    if (config.trace_budget)
        trace_suppressed_begin(t->h);
    current_thread = t->h;
    return true;
}

static void trial_end(struct trial *t)
{
    current_thread = t->before;
    trace_suppressed_end(t->h);
    thread_state_free(t->h);
    munmap(t->memory, t->size);
}

#define PLACE_PAIRS   16u /* enters and exits of a batch */
#define PLACE_MIN     3u  /* batches ... */
#define PLACE_MAX     32u
#define PLACE_NS      20000u  /* ... and as many as take this */
#define PLACE_LOST_NS 200000u /* who was longer away was not delayed: the thread was off its processor */
#define PLACE_BATCH   (2 * PLACE_PAIRS * sizeof(struct pcomp_event))
#define PLACE_MEMORY  (8 * PLACE_MAX * PLACE_BATCH) /* gone round in: it does not lie in the nearest cache */
#define DISTURBED     4                             /* so many times the calibrated cost is no cost */

static struct { /* where alpha is measured while the program runs; what is recorded there is thrown away */
    struct thread_state *h;
    uint64_t begin, end;
    int64_t enough, lost_max; /* ticks; known beforehand: a hook does not calculate with fractions, which may trap */
    struct pcomp_loss loss;   /* since the process began */
    int64_t sum;              /* of what was measured here, fixed-point ticks ... */
    int64_t count;            /* ... so many times */
    struct spin lock;
} place;

/* What the calibration lost, too: in a process that has just begun there is nothing else to tell from. */
static void note_loss(int64_t ticks[WHATS][BATCHES])
{
    place.enough = (int64_t)(run_tick_hz * 1e-9 * PLACE_NS);
    place.lost_max = (int64_t)(run_tick_hz * 1e-9 * PLACE_LOST_NS);
    for (int w = ENTER; w < SUPPRESSED; w++)
        pcomp_batches_median((struct pcomp_batches){ticks[w], BATCHES}, place.lost_max, &place.loss);
}

bool trace_calibrate(struct pcomp_delta *delta)
{
    static int64_t ticks[WHATS][BATCHES]; /* not on the stack of a thread that may have little of it */
    const struct site_kernels *slots = config.in_place ? site_kernels(PROBES_TRACED) : NULL;
    if (slots) {
        enter = slots->hook_enter;
        leave = slots->hook_exit;
    }
    void (*const records[WHATS])(void *, void *) = {nothing,     enter,          leave,          record_short,
                                                    record_long, record_message, call_suppressed};
    struct trial trial;
    if (!trial_begin(&trial, (WHATS + 2) * (BATCHES + 1) * EVENTS * sizeof(struct pcomp_event)))
        return false;
    int whats = trial.h->tracing.suppressed && trace_suppressed_add(trial.h, (uint64_t)(uintptr_t)&suppressed_tag, 0)
                    ? WHATS
                    : SUPPRESSED;
    trace_records = true;
    functions_calibrating(true);
    uint32_t muted = trace_set_muted(0); /* as the start of a session is */
    for (uint32_t i = 0; i <= BATCHES; i++)
        for (int w = 0; w < whats; w++) /* the first round is overwritten */
            ticks[w][i ? i - 1 : 0] = batch(records[w]);
    trace_set_muted(muted);
    functions_calibrating(false);
    trace_records = false;
    conclude(ticks, delta);
    if (!place.h) /* at the exit, other threads may be measuring */
        note_loss(ticks);
    trial_end(&trial);
    return true;
}

/* --- in place ------------------------------------------------------------------------------------------------------
 */

void trace_in_place_start(void)
{
    place.lock.taken = 0;
    place.sum = place.count = 0;
    trace_alpha_now = trace_calibrate_in_place;
    if (place.h && place.h->self == place.h)
        return;
    struct trial trial;
    if (config.pattern_count || !trial_begin(&trial, PLACE_MEMORY))
        return; /* what a filter looks up is not the calibrated cost */
    current_thread = trial.before;
    place.h = trial.h;
    place.begin = trial.h->trace_cursor;
    place.end = place.begin + trial.size;
}

static int64_t pairs(void (*begin_call)(void *, void *), void (*end_call)(void *, void *))
{
    uint64_t begin = clock_read(config.clock);
    for (uint32_t i = 0; i < PLACE_PAIRS; i++) {
        begin_call(&tag, &tag);
        end_call(&tag, &tag);
    }
    return (int64_t)(clock_read(config.clock) - begin);
}

static int64_t recorded_pairs(void)
{
    if (place.h->trace_cursor + PLACE_BATCH > place.end)
        place.h->trace_cursor = place.begin;
    struct thread_state *own = current_thread;
    current_thread = place.h;
    int64_t ticks = pairs(enter, leave);
    current_thread = own;
    return ticks;
}

static int64_t measure_in_place(void)
{
    int64_t recorded[PLACE_MAX], plain[PLACE_MIN], spent = 0;
    uint32_t count = 0;
    recorded_pairs(); /* fetches code and memory that the program had driven out */
    pairs(nothing, nothing);
    for (uint32_t i = 0; i < PLACE_MIN; i++)
        plain[i] = pairs(nothing, nothing);
    while (count < PLACE_MIN || (count < PLACE_MAX && spent < place.enough))
        spent += recorded[count++] = recorded_pairs();
    int64_t typical = pcomp_batches_median((struct pcomp_batches){recorded, count}, place.lost_max, &place.loss) -
                      pcomp_batches_median((struct pcomp_batches){plain, PLACE_MIN}, 0, NULL);
    return pcomp_loss_added(typical * (1 << PCOMP_FIX_SHIFT) / (int64_t)(2 * PLACE_PAIRS), &place.loss);
}

static int64_t calibrated(void)
{
    return (trace_header.alpha[PCOMP_EVENT_ENTER] + trace_header.alpha[PCOMP_EVENT_EXIT]) / 2;
}

int64_t trace_calibrate_in_place(void)
{
    if (!place.h || place.h->self != place.h || !spin_try(&place.lock)) /* wiped in the child of a fork */
        return 0;
    int64_t alpha = measure_in_place(), usual = calibrated();
    bool good = alpha > 0 && alpha < DISTURBED * usual;
    __atomic_add_fetch(&place.sum, good ? alpha : 0, __ATOMIC_RELAXED); /* read without the lock */
    __atomic_add_fetch(&place.count, good, __ATOMIC_RELAXED);
    spin_unlock(&place.lock);
    return good ? alpha : 0;
}

int64_t trace_calibrate_mean(void)
{
    int64_t count = __atomic_load_n(&place.count, __ATOMIC_RELAXED),
            sum = __atomic_load_n(&place.sum, __ATOMIC_RELAXED);
    return count ? sum / count : calibrated();
}

/* --- what wrappers take --------------------------------------------------------------------------------------------
 */

/* Of the wrapper's cost, that of its events is known; the rest is shared among the charged ones. */
static void charge(const uint8_t kinds[], uint32_t events, uint32_t charged, int64_t cost)
{
    for (uint32_t i = 0; i < events; i++)
        cost -= trace_header.alpha[kinds[i]];
    for (uint32_t i = 0; i < charged && cost > 0; i++) {
        beside[kinds[i]] = cost / (int64_t)charged;
        trace_header.alpha[kinds[i]] += beside[kinds[i]];
    }
}

static int64_t batch_of(void (*run)(bool), bool recorded)
{
    uint64_t begin = clock_read(config.clock);
    run(recorded);
    return (int64_t)(clock_read(config.clock) - begin);
}

void trace_calibrate_wrapper(void (*run)(bool recorded), uint32_t calls, const uint8_t kinds[], uint32_t events,
                             uint32_t charged)
{
    static int64_t recorded[BATCHES], plain[BATCHES];
    struct trial trial;
    sigset_t saved;
    signals_block(&saved);
    if (trial_begin(&trial, (BATCHES + 1) * calls * events * sizeof(struct pcomp_event_long))) {
        uint32_t muted = trace_set_muted(0);
        for (uint32_t i = 0; i <= BATCHES; i++) { /* the first round is overwritten */
            recorded[i ? i - 1 : 0] = batch_of(run, true);
            trace_mute(); /* as what is called is in the wrapper */
            plain[i ? i - 1 : 0] = batch_of(run, false);
            trace_unmute();
        }
        trace_set_muted(muted);
        trial_end(&trial);
        charge(kinds, events, charged,
               pcomp_estimate_mean((struct pcomp_batches){recorded, BATCHES}, (struct pcomp_batches){plain, BATCHES},
                                   calls)
                   .value);
        trace_headers_renew();
    }
    signals_restore(&saved);
}
