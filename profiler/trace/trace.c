#include "profiler/trace/trace.h"

#include "profiler/base/config.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/code/functions.h"
#include "profiler/record/frames.h"
#include "profiler/trace/trace_counted.h"
#include "profiler/trace/trace_counts.h"
#include "profiler/trace/trace_levels.h"
#include "profiler/trace/trace_processor.h"
#include "profiler/trace/trace_record.h"
#include "profiler/trace/trace_segments.h"
#include "profiler/trace/trace_suppressed.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOOKS_TO_REGISTER 64 /* that look for a library being loaded: the loader itself may call some before */
#define FILTER_SLOTS      512u

atomic_bool trace_on;
bool trace_records;

static __thread uint32_t muted __attribute__((tls_model("initial-exec")));
static __thread bool ended __attribute__((tls_model("initial-exec"))); /* what libraries tidy up then is no event */
static uint64_t tokens, forgotten;

/* --- recording -----------------------------------------------------------------------------------------------------
 */

/* A speculating processor executes instructions behind a lock before it owns the lock, and could read the clock ahead
 * of the release by the previous owner: clock_read_in_order keeps the read behind the acquisition. Events of messages
 * need no order, since the MPI waits for them in loops, and its work behind an event must not be delayed. */
static inline uint64_t read_clock(uint64_t what)
{
    return pcomp_event_is_message((uint32_t)(what >> 56)) ? clock_read(config.clock)
                                                          : clock_read_in_order(config.clock);
}

static inline bool is_call(uint64_t what)
{
    return what >> 56 == PCOMP_EVENT_ENTER || what >> 56 == PCOMP_EVENT_EXIT;
}

static void end_spans(struct thread_state *h, uint64_t now, uint64_t cursor)
{
    if (h->tracing.suppressed)
        trace_suppressed_span_update(h, now, cursor, true);
    if (!trace_counted_goes_on(h, now))
        trace_counted_span_update(h, now, cursor, true);
}

static void begin_spans(struct thread_state *h, uint64_t now, uint64_t cursor)
{
    if (h->tracing.suppressed)
        trace_suppressed_span_begin(h, now, cursor);
    if (!trace_counted_goes_on(h, now))
        trace_counted_span_begin(h, now, cursor);
}

/* False: no room in the segment. */
static bool put(struct thread_state *h, uint64_t what, uint64_t a, uint64_t b)
{
    uint64_t at, now, size = what >> 63 ? sizeof(struct pcomp_event_long) : sizeof(struct pcomp_event);
    do {
        at = *(volatile uint64_t *)&h->trace_cursor;
        if (at + size > *(volatile uint64_t *)&h->tracing.limit)
            return false;
        now = read_clock(what);
    } while (!trace_take(h, at, at + size));
    h->tracing.external_end = what >> 56 == PCOMP_EVENT_EXTERNAL_END ? at : 0;
    h->tracing.external_what = (uint8_t)what;
    bool spans = (h->tracing.suppressed || h->tracing.counted.own) && !is_call(what);
    if (spans)
        end_spans(h, now, at);
    volatile struct pcomp_event_long *e = (volatile struct pcomp_event_long *)(uintptr_t)at;
    e->time = now;
    e->what = what; /* before a and b, which are no record without it */
    if (what >> 63) {
        e->a = a;
        e->b = b;
        trace_count_long(h);
        if (what >> 56 == PCOMP_EVENT_PREEMPTED)
            trace_processor_recorded(h, at);
    }
    if (spans)
        begin_spans(h, now, at + size);
    return true;
}

static uint64_t depth_of(struct thread_state *h);

static bool next_segment(struct thread_state *h, uint64_t begin)
{
    uint64_t depth = h->tracing.known ? depth_of(h) : 0;
    bool made = trace_next_segment(h, begin);
    if (depth)
        h->tracing.known = depth << 32 | sizeof(struct pcomp_trace_segment);
    return made;
}

/* Room for one more record. */
struct place {
    struct thread_state *h;
    uint64_t size;
    bool goes_on; /* false: recording has ended */
};

static void make_place(void *any)
{
    struct place *p = any;
    struct thread_state *h = p->h;
    struct slow s;
    slow_begin(&s, h);
    p->goes_on = !slow_is_too_late(&s);
    if (p->goes_on && h->trace_cursor + p->size > h->tracing.limit) { /* else a handler was here before */
        p->goes_on = trace_look_again(h, s.begin, p->size) || next_segment(h, s.begin);
        trace_set_limits(h);
    }
    slow_end(&s);
}

static __attribute__((noinline, cold)) bool put_slowly(struct thread_state *h, uint64_t what, uint64_t a, uint64_t b)
{
    while (!h->tracing.stopped) {
        struct place place = {.h = h,
                              .size = what >> 63 ? sizeof(struct pcomp_event_long) : sizeof(struct pcomp_event)};
        own_stack_run(make_place, &place);
        if (!place.goes_on)
            break;
        if (put(h, what, a, b))
            return true;
    }
    if (__atomic_load_n(&h->closing, __ATOMIC_SEQ_CST)) /* its file is, or will be, another thread's to end */
        run_count_lost();
    else
        trace_count_lost(h);
    return false;
}

static bool record(struct thread_state *h, uint64_t what, uint64_t a, uint64_t b)
{
    return put(h, what, a, b) || put_slowly(h, what, a, b);
}

struct thread_state *trace_recording_thread(void)
{
    struct thread_state *h = current_thread;
    return h->self == h && h->recording == RECORDING_TRACE ? h : NULL;
}

/* The thread's own, made if need be; NULL: nothing is to be recorded. Libraries that stand in front of mmap (UCX below
 * an MPI) take locks in it: those of the recorder's own calls are no events. */
static struct thread_state *location(void)
{
    struct thread_state *h = current_thread;
    if (!trace_records || muted || h->in_slow)
        return NULL;
    if (h->self != h && !ended && run_is_on())
        run_attach(HOOK_SP());
    return trace_recording_thread();
}

void trace_stretch_begins(struct thread_state *h)
{
    if (record(h, (uint64_t)PCOMP_EVENT_PREEMPTED << 56, 0, 0))
        trace_processor_begins(h);
}

static void stretch_ends(struct thread_state *h)
{
    if (h->tracing.stretch.record && record(h, (uint64_t)PCOMP_EVENT_PREEMPTED << 56, 0, 0))
        trace_processor_ends(h);
    h->tracing.stretch.record = 0;
}

/* Where threads share processors, stretches end in front of an event that begins a wait, and begin behind the next that
 * does not. */
static bool record_of_stretches(struct thread_state *h, enum pcomp_event_kind kind, uint64_t what, uint64_t a,
                                uint64_t b)
{
    bool waits = trace_processor_begins_wait(kind);
    if (waits)
        stretch_ends(h);
    bool kept = record(h, what, a, b);
    if (!waits && kept && !h->tracing.stretch.record && trace_processors_are_short())
        trace_stretch_begins(h);
    return kept;
}

bool trace_event_long(enum pcomp_event_kind kind, uint64_t value, uint64_t a, uint64_t b)
{
    struct thread_state *h = location();
    uint64_t what = (uint64_t)kind << 56 | (value & PCOMP_EVENT_VALUE);
    if (!h)
        return false;
    h->tracing.operations++; /* a handler's may be lost */
    if (trace_processors_are_short() || h->tracing.stretch.record)
        return record_of_stretches(h, kind, what, a, b);
    return record(h, what, a, b);
}

bool trace_event(enum pcomp_event_kind kind, uint64_t value)
{
    return trace_event_long(kind, value, 0, 0);
}

static bool is_span(const struct pcomp_event *e)
{
    return pcomp_event_kind(e) == PCOMP_EVENT_CALLS || pcomp_event_kind(e) == PCOMP_EVENT_UNRECORDED;
}

/* Behind its end are at most the records of two spans, of nothing yet, which begin with it. */
bool trace_external_goes_on(enum pcomp_external what)
{
    struct thread_state *h = location();
    if (!h)
        return false;
    uint64_t now = read_clock((uint64_t)PCOMP_EVENT_EXTERNAL_END << 56); /* before a handler could record */
    uint64_t cursor = *(volatile uint64_t *)&h->trace_cursor, end = h->tracing.external_end;
    struct pcomp_event *e = (struct pcomp_event *)(uintptr_t)end;
    if (!end || cursor <= end || cursor - end > sizeof *e + 2 * sizeof(struct pcomp_event_long) ||
        h->tracing.external_what != what || pcomp_event_kind(e) != PCOMP_EVENT_EXTERNAL_END)
        return false;
    for (uint64_t at = end + sizeof *e; at < cursor; at += sizeof(struct pcomp_event_long))
        if (!is_span((struct pcomp_event *)(uintptr_t)at))
            return false;
    e->time = now;
    for (uint64_t at = end + sizeof *e; at < cursor; at += sizeof(struct pcomp_event_long))
        ((struct pcomp_event *)(uintptr_t)at)->time = now;
    begin_spans(h, now, cursor);
    return true;
}

static void leave(void *any)
{
    struct thread_state *h = any;
    struct slow s;
    slow_begin(&s, h);
    if (!slow_is_too_late(&s) && !h->tracing.stopped) {
        end_spans(h, s.begin, h->trace_cursor);
        trace_write_marks(h, s.begin, NULL, 0); /* this is when it ended */
    }
    slow_end(&s);
}

void trace_process_leaves(void)
{
    struct thread_state *h = trace_recording_thread();
    if (h && trace_header.pid == getpid()) /* else the child of a vfork */
        own_stack_run(leave, h);
}

void trace_mute(void)
{
    muted++;
}

void trace_unmute(void)
{
    muted--;
}

uint32_t trace_set_muted(uint32_t depth)
{
    uint32_t was = muted;
    muted = depth;
    return was;
}

void trace_set_ended(bool now)
{
    ended = now;
}

bool trace_is_muted(void)
{
    return muted != 0;
}

uint64_t trace_token(void)
{
    return __atomic_add_fetch(&tokens, 1, __ATOMIC_RELAXED);
}

/* --- functions and regions -----------------------------------------------------------------------------------------
 */

/* What is not in the cache of decisions. */
struct filtered {
    struct thread_state *h;
    uint64_t address, generation;
    bool region, skipped;
};

static uint64_t slot_of(uint64_t address)
{
    return 1 + (address * 0x9e3779b97f4a7c15u >> 32) % (FILTER_SLOTS - 1);
}

static void find_filtered(void *any)
{
    struct filtered *f = any;
    struct tracing *t = &f->h->tracing;
    struct slow s;
    slow_begin(&s, f->h);
    if (!t->filter) {
        void *page =
            mmap(NULL, FILTER_SLOTS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        t->filter = page == MAP_FAILED ? NULL : page;
    }
    f->skipped =
        (f->region ? function_find_region((const char *)(uintptr_t)f->address) : function_find(f->address)).skipped;
    if (t->filter && t->filter[0] != f->generation)
        memset(t->filter, 0, FILTER_SLOTS * sizeof(uint64_t));
    if (t->filter) {
        t->filter[0] = f->generation;
        t->filter[slot_of(f->address)] = f->address << 1 | f->skipped;
    }
    slow_end(&s);
}

/* Registers a region; tells whether a function or region is filtered out. slot 0 is the generation. */
static bool is_skipped(struct thread_state *h, uint64_t address, bool region)
{
    struct tracing *t = &h->tracing;
    uint64_t generation = __atomic_load_n(&forgotten, __ATOMIC_RELAXED);
    uint64_t found = t->filter && t->filter[0] == generation ? t->filter[slot_of(address)] : 0;
    if (found >> 1 == address)
        return found & 1;
    struct filtered f = {.h = h, .address = address, .generation = generation, .region = region};
    own_stack_run(find_filtered, &f);
    return f.skipped;
}

void trace_filter_end(struct thread_state *h)
{
    if (h->tracing.filter)
        munmap(h->tracing.filter, FILTER_SLOTS * sizeof(uint64_t));
    h->tracing.filter = NULL;
}

static void register_modules(void *any)
{
    struct thread_state *h = any;
    struct slow s;
    slow_begin(&s, h);
    if (functions_register_modules())
        h->tracing.hooks_to_register = 1;
    if (h->tracing.hooks_to_register && --h->tracing.hooks_to_register == 0 && !slow_is_too_late(&s))
        trace_set_limits(h);
    slow_end(&s);
}

static void hook(uint64_t function, uint64_t sp, enum pcomp_event_kind kind)
{
    struct thread_state *h = trace_recording_thread();
    if (!h)
        return;
    if (h->tracing.counted.own && !(config.pattern_count && is_skipped(h, function, false)) &&
        trace_counts_hook(h, function))
        return;
    if (!h->paused && h->tracing.suppressed && trace_levels_hook(h, function, sp, kind == PCOMP_EVENT_EXIT))
        return;
    if (h->tracing.hooks_to_register)
        own_stack_run(register_modules, h);
    if (!h->paused && (!config.pattern_count || !is_skipped(h, function, false)))
        record(h, (uint64_t)kind << 56 | function, 0, 0);
    else
        trace_suppressed_uncount(h);
}

void trace_hook_enter(uint64_t function, uint64_t sp)
{
    hook(function, sp, PCOMP_EVENT_ENTER);
}

void trace_hook_exit(uint64_t function, uint64_t sp)
{
    hook(function, sp, PCOMP_EVENT_EXIT);
}

void trace_region(const char *name, enum pcomp_event_kind kind)
{
    uint64_t address = (uint64_t)(uintptr_t)name;
    struct thread_state *h = trace_recording_thread();
    if (!h || h->paused || is_skipped(h, address, true))
        return;
    trace_suppressed_count(h);
    record(h, (uint64_t)kind << 56 | PCOMP_EVENT_REGION | address, 0, 0);
}

void trace_forget_functions(void)
{
    __atomic_add_fetch(&forgotten, 1, __ATOMIC_RELAXED);
}

void trace_loads_library(void)
{
    struct thread_state *h = trace_on ? trace_recording_thread() : NULL;
    if (!h || h->tracing.stopped)
        return;
    h->tracing.hooks_to_register = HOOKS_TO_REGISTER;
    h->trace_limit = 0;
}

/* --- pauses and jumps ----------------------------------------------------------------------------------------------
 */

void trace_pause(void)
{
    struct thread_state *h = trace_recording_thread();
    if (!h || h->paused++)
        return;
    record(h, (uint64_t)PCOMP_EVENT_PAUSE << 56, 0, 0);
    h->trace_limit = 0;
    trace_suppressed_pause(h);
}

void trace_resume(void)
{
    struct thread_state *h = trace_recording_thread();
    if (!h || !h->paused)
        return;
    if (h->paused == 1) {
        record(h, (uint64_t)PCOMP_EVENT_RESUME << 56, 0, 0);
        trace_suppressed_resume(h);
    }
    struct slow s;
    slow_begin(&s, h);
    if (--h->paused == 0 && !slow_is_too_late(&s))
        trace_set_limits(h);
    slow_end(&s);
}

#define DEPTH_ORIGIN (1u << 30)

/* Counts on from where it was known; the place and the depth there are one word, which a handler finds whole. */
static uint64_t depth_of(struct thread_state *h)
{
    struct tracing *t = &h->tracing;
    uint64_t known = t->known, cursor = h->trace_cursor, begin = (uint64_t)(uintptr_t)t->segment;
    int64_t depth = (int64_t)(known >> 32);
    for (uint64_t at = begin + (uint32_t)known; at < cursor;) {
        const struct pcomp_event *e = (const struct pcomp_event *)(uintptr_t)at;
        uint32_t kind = pcomp_event_kind(e);
        depth += kind == PCOMP_EVENT_ENTER ? 1 : kind == PCOMP_EVENT_EXIT ? -1 : 0;
        depth -= kind == PCOMP_EVENT_UNWIND ? (int64_t)pcomp_event_value(e) : 0;
        at += pcomp_event_size(e);
    }
    if (depth < 1)
        depth = 1;
    t->known = (uint64_t)depth << 32 | (cursor - begin);
    return (uint64_t)depth;
}

uint64_t trace_depth(void)
{
    struct thread_state *h = trace_recording_thread();
    if (!h || !h->tracing.segment)
        return 0;
    if (!h->tracing.known)
        h->tracing.known = (uint64_t)DEPTH_ORIGIN << 32 | (h->trace_cursor - (uint64_t)(uintptr_t)h->tracing.segment);
    return depth_of(h);
}

void trace_jumped(void)
{
    struct thread_state *h = trace_recording_thread();
    if (h)
        trace_suppressed_interrupt(h);
}

void trace_restore(uint64_t depth)
{
    uint64_t now = trace_depth();
    trace_jumped();
    if (now > depth && now - depth < TRACE_DEPTH_EPOCH / 2)
        record(trace_recording_thread(), (uint64_t)PCOMP_EVENT_UNWIND << 56 | (now - depth), 0, 0);
}
