/* OpenMP, as told by the runtime library (OMPT; clang's libomp has it, gcc's libgomp has not): parallel regions as the
 * creation and the joining of their threads, and barriers.
 *
 *     primary      CREATE | BARRIER_ENTER BARRIER_EXIT | ... | JOIN_BEGIN JOIN_END
 *     pool thread   START | BARRIER_ENTER BARRIER_EXIT | ... | END
 *
 * The barrier that ends a region is its END and its JOIN: a pool thread does not leave it before its next region. What
 * the runtime library does while it waits or wakes others (its own locks, conditions and threads) is not recorded. */
#include "instrument/exported.h"
#include "instrument/sync/openmp_team.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_process.h"

#include <omp-tools.h>
#include <stddef.h>

/* A parallel region's data holds its token. The data of an implicit task holds the number of threads in its team, and
 * the code address that the barrier at the end of the region will report: that of the region for the primary, none for
 * pool threads. */
#define CODE_BITS 48
#define CODE_MASK (((uint64_t)1 << CODE_BITS) - 1)

static __thread uint64_t region_code __attribute__((tls_model("initial-exec"))); /* of the region just begun here */
static __thread uint64_t joined __attribute__((tls_model("initial-exec")));      /* token of the region ending here */
static __thread bool muted __attribute__((tls_model("initial-exec")));

static void runtime_works(bool works)
{
    if (works == muted)
        return;
    muted = works;
    if (works)
        trace_mute();
    else
        trace_unmute();
}

static void thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
    (void)thread;
    if (type != ompt_thread_worker)
        return;
    if (trace_is_muted())
        muted = true; /* as one that the runtime created; from now on it is for us to end that */
    else
        runtime_works(true);
}

static void thread_end(ompt_data_t *thread)
{
    (void)thread;
    runtime_works(false);
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested,
                           int flags, const void *code)
{
    (void)task, (void)frame, (void)requested;
    if (!(flags & ompt_parallel_team))
        return; /* of a league the teams are told */
    region_code = (uint64_t)(uintptr_t)code & CODE_MASK;
    region->value = trace_token();
    trace_event(PCOMP_EVENT_CREATE, region->value);
    runtime_works(true);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned threads,
                          unsigned index, int flags)
{
    if (endpoint != ompt_scope_begin)
        return; /* of a pool thread it is told when the next region begins */
    if (flags & ompt_task_initial) {
        task->value = (uint64_t)1 << CODE_BITS;
        return;
    }
    /* pool threads of a region that is serialised get no task; more threads than fit: not known */
    task->value = (uint64_t)(threads <= UINT16_MAX ? threads : 0) << CODE_BITS | (index == 0 ? region_code : 0);
    runtime_works(false);
    openmp_team = (struct openmp_team){threads > 1 ? region->value : 0, threads};
    if (index != 0)
        trace_region_begins(region->value);
}

static bool ends_region(ompt_sync_region_t kind, uint64_t region_code_of_task, const void *code)
{
    return kind == ompt_sync_region_barrier_implicit_parallel ||
           (kind == ompt_sync_region_barrier_implicit &&
            ((uint64_t)(uintptr_t)code & CODE_MASK) == region_code_of_task);
}

static bool is_barrier(ompt_sync_region_t kind)
{
    switch (kind) {
    case ompt_sync_region_barrier:
    case ompt_sync_region_barrier_implicit:
    case ompt_sync_region_barrier_explicit:
    case ompt_sync_region_barrier_implementation:
    case ompt_sync_region_barrier_implicit_workshare:
    case ompt_sync_region_barrier_implicit_parallel:
        return true;
    default:
        return false;
    }
}

static void arrive(ompt_sync_region_t kind, const ompt_data_t *region, uint64_t task, const void *code)
{
    if (!ends_region(kind, task & CODE_MASK, code))
        trace_event_long(PCOMP_EVENT_BARRIER_ENTER, (uint64_t)(uintptr_t)region, task >> CODE_BITS, 0);
    else if (task & CODE_MASK)
        trace_event(PCOMP_EVENT_JOIN_BEGIN, joined = region->value);
    else
        trace_event(PCOMP_EVENT_END, region->value);
    runtime_works(true);
}

static void leave(ompt_sync_region_t kind, const ompt_data_t *region, uint64_t task, const void *code)
{
    bool end = !region || ends_region(kind, task & CODE_MASK, code);
    if (end && !(task & CODE_MASK))
        return; /* a pool thread, when it is wanted again */
    runtime_works(false);
    if (!end)
        trace_event(PCOMP_EVENT_BARRIER_EXIT, (uint64_t)(uintptr_t)region);
    else if (joined)
        trace_event(PCOMP_EVENT_JOIN_END, joined);
    joined = 0;
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                        const void *code)
{
    if (!is_barrier(kind) || !task || task->value >> CODE_BITS == 1)
        return; /* a barrier of one thread is none */
    if (endpoint == ompt_scope_begin)
        arrive(kind, region, task->value, code);
    else
        leave(kind, region, task->value, code);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    (void)device, (void)tool;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    openmp_has_tool = true;
    set(ompt_callback_thread_begin, (ompt_callback_t)thread_begin);
    set(ompt_callback_thread_end, (ompt_callback_t)thread_end);
    set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
    set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
    set(ompt_callback_sync_region, (ompt_callback_t)sync_region);
    return 1;
}

static void finalize(ompt_data_t *tool)
{
    (void)tool;
}

/* The runtime library asks for a tool once, when it begins. */
EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return trace_on ? &result : NULL;
}
