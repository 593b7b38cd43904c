/* OpenMP of gcc (libgomp): regions and barriers, in the form of sync_openmp.c. libgomp tells no tool anything, so what
 * the compiler calls is interposed. A region's function is run by one of ours in each thread:
 *
 *     primary      CREATE | function | JOIN_BEGIN JOIN_END
 *     pool thread   START | function | END
 *
 * What libgomp does while it waits or starts threads is not recorded. Waits of which it is not known who ends them (for
 * tasks, for values of a copyprivate, barriers that can be cancelled) are external. The calls of compilers before gcc
 * 4.9 (GOMP_parallel_start) are left alone. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/external_wait.h"
#include "instrument/sync/openmp_team.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_process.h"

typedef void region_function(void *);

__thread struct openmp_team openmp_team __attribute__((tls_model("initial-exec")));
bool openmp_has_tool;

REAL(int, omp_get_thread_num, (void), ());
REAL(int, omp_get_num_threads, (void), ());

static bool is_recorded(void)
{
    return trace_on && !openmp_has_tool && !trace_is_muted();
}

/* --- Regions --------------------------------------------------------------------------------------------------------
 */

struct region { /* on the stack of the primary, which leaves the region last */
    region_function *function;
    void *data;
    uint64_t token;
    bool joins; /* there are others; by the primary */
};

static void run_region(void *argument)
{
    struct region *region = argument;
    bool primary = real_omp_get_thread_num() == 0;
    int threads = real_omp_get_num_threads();
    struct openmp_team before = openmp_team;
    uint32_t depth = trace_set_muted(0);
    openmp_team = (struct openmp_team){threads > 1 ? region->token : 0, (uint32_t)threads};
    if (!primary)
        trace_region_begins(region->token);
    region->function(region->data);
    if (primary)
        region->joins = threads > 1;
    if (!primary || threads > 1)
        trace_event(primary ? PCOMP_EVENT_JOIN_BEGIN : PCOMP_EVENT_END, region->token);
    openmp_team = before;
    trace_set_muted(depth);
}

static struct region region_begin(region_function *function, void *data)
{
    struct region region = {.function = function, .data = data, .token = trace_token()};
    trace_event(PCOMP_EVENT_CREATE, region.token);
    trace_mute();
    return region;
}

static void region_end(const struct region *region)
{
    trace_unmute();
    if (region->joins)
        trace_event(PCOMP_EVENT_JOIN_END, region->token);
}

typedef unsigned long long ull;
#define LOOP_TYPES    (region_function * f, void *d, unsigned n, long a, long b, long c, long chunk, unsigned flags)
#define RUNTIME_TYPES (region_function * f, void *d, unsigned n, long a, long b, long c, unsigned flags)

/* A void function of libgomp that runs `f` with `d` in a team; arguments are its own, of ours. */
#define PARALLEL(name, types, own, ours)                                                                               \
    REAL(void, name, types, own);                                                                                      \
    EXPORT void name types;                                                                                            \
    void name types                                                                                                    \
    {                                                                                                                  \
        if (!is_recorded()) {                                                                                          \
            real_##name own;                                                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        struct region region = region_begin(f, d);                                                                     \
        real_##name ours;                                                                                              \
        region_end(&region);                                                                                           \
    }

PARALLEL(GOMP_parallel, (region_function * f, void *d, unsigned n, unsigned flags), (f, d, n, flags),
         (run_region, &region, n, flags))
PARALLEL(GOMP_parallel_sections, (region_function * f, void *d, unsigned n, unsigned count, unsigned flags),
         (f, d, n, count, flags), (run_region, &region, n, count, flags))

#define PARALLEL_LOOP(name)                                                                                            \
    PARALLEL(name, LOOP_TYPES, (f, d, n, a, b, c, chunk, flags), (run_region, &region, n, a, b, c, chunk, flags))
#define PARALLEL_RUNTIME_LOOP(name)                                                                                    \
    PARALLEL(name, RUNTIME_TYPES, (f, d, n, a, b, c, flags), (run_region, &region, n, a, b, c, flags))

PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

REAL(unsigned, GOMP_parallel_reductions, (region_function * f, void *d, unsigned n, unsigned flags), (f, d, n, flags));
EXPORT unsigned GOMP_parallel_reductions(region_function *f, void *d, unsigned n, unsigned flags);

unsigned GOMP_parallel_reductions(region_function *f, void *d, unsigned n, unsigned flags)
{
    /* it finds what it reduces in the data of the region, so these must be its own */
    return EXTERNAL_LIBRARY(PCOMP_EXTERNAL_TASKS, real_GOMP_parallel_reductions(f, d, n, flags));
}

/* --- Barriers -------------------------------------------------------------------------------------------------------
 */

#define BARRIER_NAME(token) ((uint64_t)1 << 54 | (token)) /* no address */

static void barrier(void (*real)(void))
{
    struct pcomp_thread *waiting = waiting_begin(PCOMP_WAITING_BARRIER, 0, __builtin_return_address(0));
    bool recorded = openmp_team.token && is_recorded();
    if (recorded) {
        trace_event_long(PCOMP_EVENT_BARRIER_ENTER, BARRIER_NAME(openmp_team.token), openmp_team.threads, 0);
        trace_mute();
    }
    real();
    if (recorded) {
        trace_unmute();
        trace_event(PCOMP_EVENT_BARRIER_EXIT, BARRIER_NAME(openmp_team.token));
    }
    waiting_end(waiting);
}

#define BARRIER(name)                                                                                                  \
    REAL(void, name, (void), ());                                                                                      \
    EXPORT void name(void);                                                                                            \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        barrier(real_##name);                                                                                          \
    }

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

/* --- Waits whose end nobody tells -----------------------------------------------------------------------------------
 */

#define OUTSIDE(result, name)                                                                                          \
    REAL(result, name, (void), ());                                                                                    \
    EXPORT result name(void);                                                                                          \
    result name(void)                                                                                                  \
    {                                                                                                                  \
        return openmp_has_tool ? real_##name() : EXTERNAL_LIBRARY(PCOMP_EXTERNAL_TASKS, real_##name());                \
    }
#define OUTSIDE_VOID(name)                                                                                             \
    REAL(void, name, (void), ());                                                                                      \
    EXPORT void name(void);                                                                                            \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        bool begun = !openmp_has_tool && external_library_begin(PCOMP_EXTERNAL_TASKS);                                 \
        real_##name();                                                                                                 \
        external_library_end(begun, PCOMP_EXTERNAL_TASKS);                                                             \
    }

OUTSIDE(bool, GOMP_barrier_cancel)
OUTSIDE(bool, GOMP_loop_end_cancel)
OUTSIDE(bool, GOMP_sections_end_cancel)
OUTSIDE(void *, GOMP_single_copy_start)
OUTSIDE_VOID(GOMP_taskwait)
OUTSIDE_VOID(GOMP_taskgroup_end)

REAL(void, GOMP_taskwait_depend, (void **dependences), (dependences));
EXPORT void GOMP_taskwait_depend(void **dependences);

void GOMP_taskwait_depend(void **dependences)
{
    bool begun = external_library_begin(PCOMP_EXTERNAL_TASKS);
    real_GOMP_taskwait_depend(dependences);
    external_library_end(begun, PCOMP_EXTERNAL_TASKS);
}

REAL(void, GOMP_single_copy_end, (void *data), (data));
EXPORT void GOMP_single_copy_end(void *data);

void GOMP_single_copy_end(void *data)
{
    bool begun = external_library_begin(PCOMP_EXTERNAL_TASKS);
    real_GOMP_single_copy_end(data);
    external_library_end(begun, PCOMP_EXTERNAL_TASKS);
}

/* clang's */
struct ident;
REAL(int32_t, __kmpc_omp_taskwait, (struct ident * place, int32_t thread), (place, thread));
REAL(void, __kmpc_end_taskgroup, (struct ident * place, int32_t thread), (place, thread));
EXPORT int32_t __kmpc_omp_taskwait(struct ident *place, int32_t thread);
EXPORT void __kmpc_end_taskgroup(struct ident *place, int32_t thread);

int32_t __kmpc_omp_taskwait(struct ident *place, int32_t thread)
{
    return EXTERNAL_LIBRARY(PCOMP_EXTERNAL_TASKS, real___kmpc_omp_taskwait(place, thread));
}

void __kmpc_end_taskgroup(struct ident *place, int32_t thread)
{
    bool begun = external_library_begin(PCOMP_EXTERNAL_TASKS);
    real___kmpc_end_taskgroup(place, thread);
    external_library_end(begun, PCOMP_EXTERNAL_TASKS);
}
