#include "profiler/trace/trace_process.h"

#include "compensation/estimate/slot_price.h"
#include "compensation/numeric/hash.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/store.h"
#include "profiler/code/arch/x86_64/kept_vectors.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/count_samples.h"
#include "profiler/control/windows.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_calibrate.h"
#include "profiler/trace/trace_counted.h"
#include "profiler/trace/trace_counts.h"
#include "profiler/trace/trace_levels.h"
#include "profiler/trace/trace_processor.h"
#include "profiler/trace/trace_segments.h"
#include "profiler/trace/trace_spins.h"
#include "profiler/trace/trace_suppressed.h"

#include <errno.h>
#include <string.h>

static __thread struct { /* of a thread that has begun, until its file has; of token 0, nothing */
    uint64_t token, tick;
    bool region;
} beginning __attribute__((tls_model("initial-exec")));
static uint64_t recorded;

#define TRIP_CHAINS 16
#define TRIP_LENGTH 200u

/* The token last: a handler that begins the thread meanwhile takes the whole. */
static void set_beginning(uint64_t token, bool region)
{
    beginning.tick = clock_read(config.clock);
    beginning.region = region;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    beginning.token = token;
}

/* A handler may begin the thread at any instruction, and then takes what is said of its beginning, or none. */
static void begins(uint64_t token, bool region)
{
    if (!trace_on || !run_is_on())
        return;
    int saved_errno = errno;
    bool said = false;
    if (current_thread->self != current_thread) {
        set_beginning(token, region);
        run_attach(HOOK_SP());
        said = !beginning.token;
        beginning.token = 0;
    }
    if (!said && trace_recording_thread()) {
        if (!region)
            trace_recording_thread()->tracing.token = token;
        trace_event(PCOMP_EVENT_START, token);
    }
    errno = saved_errno;
}

void trace_thread_begins(uint64_t token)
{
    begins(token, false);
}

void trace_region_begins(uint64_t token)
{
    begins(token, true);
}

void trace_child_begins(uint64_t token)
{
    set_beginning(token, true); /* its END is not recorded: it may die in many ways */
}

void trace_thread_start(struct thread_state *h)
{
    h->recording = RECORDING_TRACE;
    h->budget = TRACE_NO_BUDGET;
    if (!trace_file_begin(h))
        return;
    h->tracing.token = beginning.region ? 0 : beginning.token;
    if (beginning.token) { /* making the file lies behind the start, which another thread's CREATE was before */
        struct pcomp_event *e = (struct pcomp_event *)(uintptr_t)h->trace_cursor;
        int64_t alpha = trace_header.alpha[PCOMP_EVENT_START] >> PCOMP_FIX_SHIFT;
        e[0] = (struct pcomp_event){beginning.tick, (uint64_t)PCOMP_EVENT_START << 56 | beginning.token};
        e[1] = (struct pcomp_event){beginning.tick + (uint64_t)alpha, (uint64_t)PCOMP_EVENT_FLUSH_BEGIN << 56};
        e[2] = (struct pcomp_event){clock_read(config.clock),
                                    (uint64_t)PCOMP_EVENT_FLUSH_END << 56 | (uint64_t)h->tracing.alpha};
        h->trace_cursor += 3 * sizeof(*e);
        beginning.token = 0;
    }
    if (config.trace_budget)
        trace_levels_thread_start(h);
    if (config.in_place) {
        h->budget = 0; /* hooks that no slot has counted come to C */
        trace_counts_thread_start(h);
    }
    trace_set_limits(h);
    if (trace_processor_thread_starts(h))
        trace_stretch_begins(h);
}

static void end(struct thread_state *h, bool own)
{
    uint64_t records = trace_file_end(h, own);
    __atomic_add_fetch(&recorded, records, __ATOMIC_RELAXED);
}

void trace_thread_end(struct thread_state *h)
{
    struct tracing *t = &h->tracing;
    bool ended = current_thread != h;
    trace_set_ended(ended);
    trace_mute();
    trace_processor_thread_ends();
    trace_processor_leaves(h, clock_read(config.clock));
    trace_levels_thread_end(h, true);
    if (t->segment) /* calls since the last event */
        trace_counted_span_update(h, clock_read(config.clock), h->trace_cursor, true);
    if (t->token && ended) /* not at the exit of the process, which is nobody's end */
        trace_keep_end(h, clock_read(config.clock));
    end(h, true);
    trace_counts_thread_end(h);
    trace_suppressed_end(h);
    trace_filter_end(h);
    trace_unmute();
}

void trace_thread_ended(struct thread_state *h)
{
    trace_write_end(h);
}

void trace_thread_close(struct thread_state *h)
{
    if (h->tracing.stopped && !h->tracing.header)
        return;
    trace_processor_thread_ends();
    trace_levels_thread_end(h, false);
    end(h, false);
}

/* Ticks of one round trip to the stack, at most: the least of some chains. */
static double measure_trip(void)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < TRIP_CHAINS; i++) {
        uint64_t begin = clock_read(config.clock);
        kept_vectors_trips(TRIP_LENGTH);
        uint64_t spent = clock_read(config.clock) - begin;
        shortest = spent < shortest ? spent : shortest;
    }
    return (double)shortest / TRIP_LENGTH;
}

/* What events cost more than in the loop. */
static void conclude_events(void)
{
    double fixed = run_tick_hz * (1 << PCOMP_FIX_SHIFT);
    struct pcomp_event_price p = count_samples_event((double)trace_calibrate_mean() / fixed, (double)recorded);
    trace_header.context = (int64_t)(p.more * fixed);
    trace_header.context_error = (int64_t)(p.error * fixed);
}

/* What a call counted in place cost in this program, as far as is known; the files have the guess until then. */
static void conclude_prices(void)
{
    struct count_samples known = count_samples_known();
    conclude_events();
    struct trace_counts_sum sum = trace_counts_sum();
    double fixed = run_tick_hz * (1 << PCOMP_FIX_SHIFT);
    struct pcomp_slot_price_sources from = {.kernel = (double)store_header->count_cost / fixed,
                                            .hits = known.hits,
                                            .seconds = known.seconds,
                                            .calls = sum.calls,
                                            .hooks = sites_known().enters + sites_known().exits > sites_known().sleds,
                                            .kept = sum.calls > 0 ? sum.kept / sum.calls : 0,
                                            .trip = sum.kept > 0 ? measure_trip() / run_tick_hz : 0,
                                            .windows = windows_price()};
    if (!(from.kernel > 0))
        return;
    struct pcomp_slot_price p = pcomp_slot_price(&from);
    trace_header.alpha[PCOMP_EVENT_COUNTED] = (int64_t)(p.price * fixed);
    trace_header.alpha[PCOMP_ALPHA_COUNTED_ERROR] = (int64_t)(p.error * p.price * fixed);
    trace_header.alpha[PCOMP_ALPHA_SAMPLING] = (int64_t)(known.share * PCOMP_ALPHA_SAMPLING_ONE);
}

/* Machines have a name and a boot of their own, and never a 0. */
static uint64_t node_of(const struct pcomp_header *p)
{
    uint64_t hash = pcomp_hash_text(pcomp_hash_bytes(PCOMP_HASH_START, p->boot_id, sizeof(p->boot_id)), p->host);
    return hash ? hash : 1;
}

void trace_process_start(void)
{
    struct pcomp_trace_header *t = &trace_header;
    const struct pcomp_header *p = store_header;
    memcpy(t->magic, PCOMP_TRACE_MAGIC, sizeof(t->magic));
    t->version = PCOMP_TRACE_VERSION;
    t->endian = PCOMP_ENDIAN;
    t->header_size = sizeof(*t);
    t->segment_header_size = sizeof(struct pcomp_trace_segment);
    t->pid = p->pid;
    t->rank = p->rank;
    memcpy(t->run_id, p->run_id, sizeof(t->run_id));
    t->tick0 = p->tick0;
    t->mono0_ns = p->mono0_ns;
    t->tick_hz = p->tick_hz;
    t->processors = trace_processor_process_start();
    t->node = node_of(p);
    recorded = 0;
    trace_segments_start();
    trace_in_place_start();
    if (config.trace_budget)
        trace_levels_process_start();
    if (config.in_place) {
        trace_counts_process_start();
        trace_spins_start();
        conclude_prices();
    }
    functions_register_modules();
    trace_records = true;
}

uint64_t trace_process_end(void)
{
    if (config.in_place)
        conclude_prices();
    functions_register_modules();
    trace_headers_renew();
    return recorded;
}

void trace_set_rank(int rank, int world)
{
    if (!trace_on || !run_is_on())
        return;
    trace_header.rank = store_header->rank = rank;
    trace_header.world = world;
    trace_headers_renew();
}

static void add_offset(const struct pcomp_trace_offset *measured)
{
    if (trace_header.offset_count == PCOMP_TRACE_OFFSETS) {
        trace_header.offset_count /= 2;
        for (uint32_t i = 0; i < trace_header.offset_count; i++)
            trace_header.offsets[i] = trace_header.offsets[2 * i + 1];
    }
    trace_header.offsets[trace_header.offset_count++] = *measured;
}

void trace_set_offset(int which, uint64_t tick, int64_t offset, uint64_t error)
{
    if (!trace_on || !run_is_on() || which < 0 || which > 2)
        return;
    if (which == 2) {
        add_offset(&(struct pcomp_trace_offset){tick, offset, error});
    } else {
        trace_header.offset_tick[which] = tick;
        trace_header.offset[which] = offset;
        trace_header.offset_error[which] = error;
    }
    trace_headers_renew();
}

void trace_set_protocols(uint64_t eager_max, uint64_t rendezvous_min)
{
    if (!trace_on || !run_is_on())
        return;
    trace_header.eager_max = eager_max;
    trace_header.rendezvous_min = rendezvous_min;
    trace_headers_renew();
}
