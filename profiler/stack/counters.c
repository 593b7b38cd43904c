#include "profiler/stack/counters.h"

#include "pcomp_config.h"
#include "profiler/base/config.h"
#include "profiler/base/private_memory.h"
#include "profiler/base/store.h"
#include "profiler/code/modules/modules.h"

#include <string.h>

#if HAVE_PAPI
#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>

struct counter_set {
    int events; /* PAPI event set */
};

static struct {
    int (*library_init)(int);
    int (*thread_init)(unsigned long (*)(void));
    int (*create_eventset)(int *);
    int (*add_named_event)(int, const char *);
    int (*start)(int);
    int (*stop)(int, long long *);
    int (*read)(int, long long *);
    int (*cleanup_eventset)(int);
    int (*destroy_eventset)(int *);
    int (*query_named_event)(const char *);
    int (*unregister_thread)(void);
} papi;

static bool load(void)
{
    static const struct {
        const char *name;
        void **to;
    } symbols[] = {
        {"PAPI_library_init", (void **)&papi.library_init},
        {"PAPI_thread_init", (void **)&papi.thread_init},
        {"PAPI_create_eventset", (void **)&papi.create_eventset},
        {"PAPI_add_named_event", (void **)&papi.add_named_event},
        {"PAPI_start", (void **)&papi.start},
        {"PAPI_stop", (void **)&papi.stop},
        {"PAPI_read", (void **)&papi.read},
        {"PAPI_cleanup_eventset", (void **)&papi.cleanup_eventset},
        {"PAPI_destroy_eventset", (void **)&papi.destroy_eventset},
        {"PAPI_query_named_event", (void **)&papi.query_named_event},
        {"PAPI_unregister_thread", (void **)&papi.unregister_thread},
    };
    char versioned[64]; /* that whose interface was compiled in */
    snprintf(versioned, sizeof(versioned), "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION));
    void *library = dlopen(versioned, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libpapi.so", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < sizeof(symbols) / sizeof(symbols[0]); i++)
        if (!(*symbols[i].to = dlsym(library, symbols[i].name)))
            return false;
    return library != NULL;
}

static unsigned long thread_number(void)
{
    return (unsigned long)pthread_self();
}

const char *counters_start(void)
{
    static bool loaded;
    if (!config.counters)
        return NULL;
    if (!loaded) {
        if (modules_program_is_static())
            return "a statically linked program cannot load libpapi";
        if (!load())
            return "libpapi cannot be loaded (apt-get install libpapi7.0)";
        if (papi.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || papi.thread_init(thread_number) != PAPI_OK)
            return "PAPI does not start";
        loaded = true;
    }
    store_header->counter_count = 0;
    for (const char *at = config.counters, *end; *at; at = *end ? end + 1 : end) {
        end = strchr(at, ',') ? strchr(at, ',') : at + strlen(at);
        struct pcomp_counter *c = &store_header->counters[store_header->counter_count];
        if (store_header->counter_count == PCOMP_COUNTERS_MAX || (size_t)(end - at) >= sizeof(c->name))
            return "at most 8 counters, with names of at most 63 characters";
        memcpy(c->name, at, (size_t)(end - at));
        c->name[end - at] = 0;
        if (papi.query_named_event(c->name) != PAPI_OK) {
            store_header->counter_count = 0;
            return "a counter is not available here (papi_native_avail and papi_avail list what is)";
        }
        store_header->counter_count++;
    }
    return NULL;
}

struct counter_set *counters_begin(void)
{
    struct counter_set *set = private_memory(sizeof(*set));
    if (!set)
        return NULL;
    set->events = PAPI_NULL;
    if (papi.create_eventset(&set->events) != PAPI_OK)
        return NULL;
    for (uint32_t i = 0; i < store_header->counter_count; i++)
        if (papi.add_named_event(set->events, store_header->counters[i].name) != PAPI_OK)
            return NULL;
    return papi.start(set->events) == PAPI_OK ? set : NULL;
}

void counters_end(struct counter_set *set)
{
    long long values[PCOMP_COUNTERS_MAX];
    if (!set)
        return;
    papi.stop(set->events, values);
    papi.cleanup_eventset(set->events);
    papi.destroy_eventset(&set->events);
    papi.unregister_thread();
}

void counters_read(struct counter_set *set, int64_t *values)
{
    long long read[PCOMP_COUNTERS_MAX];
    if (papi.read(set->events, read) == PAPI_OK)
        memcpy(values, read, store_header->counter_count * sizeof(*values));
    else
        memset(values, 0, store_header->counter_count * sizeof(*values));
}

#else

const char *counters_start(void)
{
    return config.counters ? "this pcomp was built without PAPI" : NULL;
}

struct counter_set *counters_begin(void)
{
    return NULL;
}

void counters_end(struct counter_set *set)
{
    (void)set;
}

void counters_read(struct counter_set *set, int64_t *values)
{
    (void)set;
    (void)values;
}

#endif
