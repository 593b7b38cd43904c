/* Alpha: what recording one event costs, by kind, measured with the same functions that record the program's events. */
#include "compensation/calibration.h"
#include "profiler/clock.h"
#include "profiler/config.h"
#include "profiler/functions.h"
#include "profiler/session.h"
#include "profiler/spin.h"
#include "profiler/threads.h"
#include "profiler/trace.h"
#include "profiler/trace_process.h"
#include "profiler/trace_segments.h"

#include <sys/mman.h>

#define BATCHES 64u
#define EVENTS  256u /* of a batch */

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static char tag; /* no function of the program */

enum what { NOTHING, ENTER, EXIT, SHORT, LONG, MESSAGE, WHATS };

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

static void conclude(int64_t ticks[WHATS][BATCHES], struct pcomp_delta *delta)
{
    struct pcomp_estimate e[WHATS];
    for (int w = ENTER; w < WHATS; w++)
        e[w] = pcomp_estimate_mean((struct pcomp_batches){ticks[w], BATCHES},
                                   (struct pcomp_batches){ticks[NOTHING], BATCHES}, EVENTS);
    trace_alpha_spread = (uint64_t)e[ENTER].spread;
    for (uint32_t kind = 1; kind < PCOMP_EVENT_KINDS; kind++)
        if (kind != PCOMP_EVENT_FLUSH_BEGIN && kind != PCOMP_EVENT_LOST)
            set_alpha(kind, e[what_of(kind)].value);
    struct pcomp_estimate call = {e[ENTER].value + e[EXIT].value, e[ENTER].spread + e[EXIT].spread,
                                  e[EXIT].repetitions};
    *delta = pcomp_delta_from_estimates(e[ENTER], call, (struct pcomp_estimate){0, 0, 0}, EVENTS);
}

/* Makes the calling thread record into fresh memory, as a segment has it: a buffer written again and again would be in
 * the nearest cache. */
struct trial {
    struct hot *h, *before;
    char *memory;
    uint64_t size;
};

static bool trial_begin(struct trial *t, uint64_t size)
{
    *t = (struct trial){.before = hot_thread, .size = size};
    t->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    t->h = t->memory == MAP_FAILED ? NULL : hot_new();
    if (!t->h) {
        if (t->memory != MAP_FAILED)
            munmap(t->memory, size);
        return false;
    }
    t->h->park = PARK_TRACE;
    t->h->trace_cursor = (uint64_t)(uintptr_t)t->memory;
    t->h->tracing.stopped = true; /* when it is full, for what is recorded there unforeseen */
    trace_calibrating(t->h, t->h->trace_cursor + size);
    hot_thread = t->h;
    return true;
}

static void trial_end(struct trial *t)
{
    hot_thread = t->before;
    hot_free(t->h);
    munmap(t->memory, t->size);
}

bool trace_calibrate(struct pcomp_delta *delta)
{
    static int64_t ticks[WHATS][BATCHES]; /* not on the stack of a thread that may have little of it */
    static void (*const records[WHATS])(void *, void *) = {
        nothing, __cyg_profile_func_enter, __cyg_profile_func_exit, record_short, record_long, record_message};
    struct trial trial;
    if (!trial_begin(&trial, (WHATS + 2) * (BATCHES + 1) * EVENTS * sizeof(struct pcomp_event)))
        return false;
    trace_on = true;
    functions_calibrating(CALIBRATING_MEASURED);
    uint32_t muted = trace_set_muted(0); /* as the start of a session is */
    for (uint32_t i = 0; i <= BATCHES; i++)
        for (int w = 0; w < WHATS; w++) /* the first round is overwritten */
            ticks[w][i ? i - 1 : 0] = batch(records[w]);
    trace_set_muted(muted);
    functions_calibrating(CALIBRATING_OFF);
    trace_on = false;
    conclude(ticks, delta);
    trial_end(&trial);
    return true;
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
