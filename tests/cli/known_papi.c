/* A library with PAPI's interface whose counters are known: each PAPI_read is the work of a measurement, and adds to
 *
 *   READS      3 before the value is taken and 2 after
 *   DISTURBED  the same, and 100,000 at every 3,000th of the first 50,000 reads: as interrupts of the calibration
 *   UNEVEN     3 before, and after 2, 3, 4 and 5 in turns of 600 reads: as a probe whose cost changes
 *   CLOCK      is the time stamp counter
 *
 * The program adds to the first three what it calls known_papi_work with. With KNOWN_PAPI_DISABLED in the environment
 * the component is disabled for that reason, and there are no events. */
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS_MAX 8
#define SETS_MAX   64

enum event { READS, DISTURBED, UNEVEN, CLOCK, EVENTS };
static const char *const names[EVENTS] = {"READS", "DISTURBED", "UNEVEN", "CLOCK"};
static struct {
    int count;
    enum event events[EVENTS_MAX];
} sets[SETS_MAX];
static int set_count;
static __thread long long sums[EVENTS], reads;

void known_papi_work(long long amount);

void known_papi_work(long long amount)
{
    for (int i = 0; i < CLOCK; i++)
        sums[i] += amount;
}

static long long ticks(void)
{
#if defined(__x86_64__)
    return (long long)__builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
#endif
}

static int event_of(const char *name)
{
    for (int i = 0; i < EVENTS && !getenv("KNOWN_PAPI_DISABLED"); i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

int PAPI_library_init(int version)
{
    return version;
}

int PAPI_thread_init(unsigned long (*id)(void))
{
    (void)id;
    return PAPI_OK;
}

int PAPI_unregister_thread(void)
{
    return PAPI_OK;
}

int PAPI_query_named_event(const char *name)
{
    return event_of(name) < 0 ? PAPI_ENOEVNT : PAPI_OK;
}

int PAPI_create_eventset(int *set)
{
    *set = __atomic_fetch_add(&set_count, 1, __ATOMIC_RELAXED) % SETS_MAX;
    sets[*set].count = 0;
    return PAPI_OK;
}

int PAPI_add_named_event(int set, const char *name)
{
    if (event_of(name) < 0 || sets[set].count == EVENTS_MAX)
        return PAPI_ENOEVNT;
    sets[set].events[sets[set].count++] = (enum event)event_of(name);
    return PAPI_OK;
}

int PAPI_start(int set)
{
    (void)set;
    return PAPI_OK;
}

int PAPI_read(int set, long long *values)
{
    known_papi_work(3);
    sums[DISTURBED] += ++reads % 3000 || reads > 50000 ? 0 : 100000;
    for (int i = 0; i < sets[set].count; i++)
        values[i] = sets[set].events[i] == CLOCK ? ticks() : sums[sets[set].events[i]];
    known_papi_work(2);
    sums[UNEVEN] += reads / 600 % 4;
    return PAPI_OK;
}

int PAPI_stop(int set, long long *values)
{
    return PAPI_read(set, values);
}

int PAPI_cleanup_eventset(int set)
{
    (void)set;
    return PAPI_OK;
}

int PAPI_destroy_eventset(int *set)
{
    *set = PAPI_NULL;
    return PAPI_OK;
}

int PAPI_num_components(void)
{
    return 1;
}

const PAPI_component_info_t *PAPI_get_component_info(int component)
{
    static PAPI_component_info_t info = {.name = "perf_event"};
    const char *reason = getenv("KNOWN_PAPI_DISABLED");
    info.disabled = reason ? PAPI_ENOSUPP : PAPI_OK;
    strncpy(info.disabled_reason, reason ? reason : "", sizeof info.disabled_reason - 1);
    return component == 0 ? &info : NULL;
}

int PAPI_enum_cmp_event(int *code, int modifier, int component)
{
    (void)component;
    if (getenv("KNOWN_PAPI_DISABLED") || !(*code & (int)PAPI_NATIVE_MASK))
        return PAPI_ENOEVNT;
    int next = modifier == PAPI_ENUM_FIRST ? 0 : (*code & 0xff) + 1;
    *code = (int)PAPI_NATIVE_MASK | next;
    return next < EVENTS ? PAPI_OK : PAPI_ENOEVNT;
}

int PAPI_event_code_to_name(int code, char *name)
{
    if ((code & 0xff) >= EVENTS)
        return PAPI_ENOEVNT;
    strcpy(name, names[code & 0xff]);
    return PAPI_OK;
}

char *PAPI_strerror(int error)
{
    return error == PAPI_OK ? "no error" : "error";
}
