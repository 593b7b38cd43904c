#include "reporters/launch/record_counters.h"

#include "reporters/base/message.h"

#include "pcomp_config.h"
#include "profiler/format/profile_format.h"

#include <stddef.h>

#if HAVE_PAPI

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OFFER_MAX 24 /* names listed; software counters first, every machine has them */

static struct {
    void *library;
    int (*library_init)(int);
    int (*query_named_event)(const char *);
    int (*create_eventset)(int *);
    int (*add_named_event)(int, const char *);
    int (*start)(int);
    int (*stop)(int, long long *);
    int (*cleanup_eventset)(int);
    int (*destroy_eventset)(int *);
    int (*num_components)(void);
    int (*enum_cmp_event)(int *, int, int);
    int (*event_code_to_name)(int, char *);
    const PAPI_component_info_t *(*get_component_info)(int);
    char *(*strerror)(int);
} papi;

/* NULL, or why PAPI is not there. */
static const char *papi_load(void)
{
    static const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"PAPI_library_init", &papi.library_init},
        {"PAPI_query_named_event", &papi.query_named_event},
        {"PAPI_create_eventset", &papi.create_eventset},
        {"PAPI_add_named_event", &papi.add_named_event},
        {"PAPI_start", &papi.start},
        {"PAPI_stop", &papi.stop},
        {"PAPI_cleanup_eventset", &papi.cleanup_eventset},
        {"PAPI_destroy_eventset", &papi.destroy_eventset},
        {"PAPI_num_components", &papi.num_components},
        {"PAPI_enum_cmp_event", &papi.enum_cmp_event},
        {"PAPI_event_code_to_name", &papi.event_code_to_name},
        {"PAPI_get_component_info", &papi.get_component_info},
        {"PAPI_strerror", &papi.strerror},
    };
    char versioned[64];
    snprintf(versioned, sizeof versioned, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION));
    if (!papi.library)
        papi.library = dlopen(versioned, RTLD_NOW | RTLD_LOCAL);
    if (!papi.library)
        papi.library = dlopen("libpapi.so", RTLD_NOW | RTLD_LOCAL);
    if (!papi.library)
        return "libpapi cannot be loaded (apt-get install libpapi7.0)";
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(papi.library, symbols[i].name);
        if (!symbol)
            return "libpapi lacks functions that pcomp needs (install the version that pcomp was built with)";
        memcpy(symbols[i].to, &symbol, sizeof symbol); /* objects and functions have pointers of one size here */
    }
    return papi.library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? NULL : "libpapi does not start";
}

/* PAPI_OK when the events of the comma-separated list count together. */
static int papi_try(const char *list)
{
    int set = PAPI_NULL, status = papi.create_eventset(&set);
    char *names = strdup(list), *rest = names;
    long long values[PCOMP_COUNTERS_MAX];
    for (char *name; status == PAPI_OK && names && (name = strsep(&rest, ","));)
        status = papi.add_named_event(set, name);
    if (status == PAPI_OK && (status = papi.start(set)) == PAPI_OK)
        status = papi.stop(set, values);
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
    free(names);
    return status;
}

/* Adds up to `most` events of one component that really count. */
static int papi_offer_component(FILE *out, int component, int modifier, int max, int shown)
{
    int code = modifier == PAPI_PRESET_ENUM_AVAIL ? (int)PAPI_PRESET_MASK : (int)PAPI_NATIVE_MASK;
    char name[PAPI_2MAX_STR_LEN];
    int given = 0;
    if (papi.enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK)
        return 0;
    do {
        if (papi.event_code_to_name(code, name) == PAPI_OK && papi_try(name) == PAPI_OK)
            fprintf(out, "%s%s", shown + given++ ? ", " : "", name);
    } while (given < max && papi.enum_cmp_event(&code, modifier == PAPI_PRESET_ENUM_AVAIL ? modifier : PAPI_ENUM_EVENTS,
                                                component) == PAPI_OK);
    return given;
}

/* Names of events that can be counted here, "none" when there are none. malloc'ed. */
static char *papi_offer(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int shown = 0;
    if (!out)
        return NULL;
    shown += papi_offer_component(out, 0, PAPI_PRESET_ENUM_AVAIL, OFFER_MAX / 2, shown);
    for (int i = 0; i < papi.num_components() && shown < OFFER_MAX; i++) {
        const PAPI_component_info_t *info = papi.get_component_info(i);
        if (info && !info->disabled && strcmp(info->name, "perf_event_uncore") != 0)
            shown += papi_offer_component(out, i, PAPI_ENUM_EVENTS, OFFER_MAX - shown, shown);
    }
    fputs(shown ? "" : "none", out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

/* Counters of the kernel's own, and what `perf stat` calls them. PAPI has them as "perf::PAGE-FAULTS" and the like. */
static const struct {
    const char *name;
    unsigned config; /* enum perf_sw_ids */
} kernel_counters[] = {
    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
    {"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
};

/* What `perf stat` calls the counter, if the kernel counts it for this user; else NULL. */
static const char *kernel_counts(const char *name)
{
    const char *part = strrchr(name, ':');
    for (size_t i = 0; i < sizeof kernel_counters / sizeof *kernel_counters; i++) {
        if (strcasecmp(part ? part + 1 : name, kernel_counters[i].name) != 0)
            continue;
        struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                        .size = sizeof event,
                                        .config = kernel_counters[i].config,
                                        .disabled = 1,
                                        .exclude_kernel = 1};
        int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
        return fd >= 0 && close(fd) == 0 ? kernel_counters[i].name : NULL;
    }
    return NULL;
}

/* Why PAPI lacks the events of the kernel; NULL: it does not, or says nothing. */
static const char *papi_lacks_perf(void)
{
    for (int i = 0; i < papi.num_components(); i++) {
        const PAPI_component_info_t *info = papi.get_component_info(i);
        if (info && info->disabled && strcmp(info->name, "perf_event") == 0)
            return *info->disabled_reason ? info->disabled_reason : "it does not say why";
    }
    return NULL;
}

static int counters_refuse(const char *name, const char *why)
{
    const char *disabled = papi_lacks_perf(), *known = kernel_counts(name);
    char *offer = papi_offer();
    char kernel[160] = "";
    if (known)
        snprintf(kernel, sizeof kernel, "; the kernel counts %s, of the whole program: perf stat -e %s", known, known);
    int status = message_failure("--counters %s: %s%s%s (this machine offers: %s%s; papi_native_avail lists all)", name,
                                 why, disabled ? ", since PAPI's component perf_event is disabled: " : "",
                                 disabled ? disabled : "", offer ? offer : "?", kernel);
    free(offer);
    return status;
}

int record_counters_check(const char *list)
{
    const char *missing = papi_load();
    if (missing)
        return message_failure("--counters: %s", missing);
    char *names = strdup(list), *rest = names;
    if (!names)
        return message_no_memory("--counters");
    int status = 0, count = 0, error;
    for (char *name; status == 0 && (name = strsep(&rest, ",")); count++) {
        if (!*name)
            status = message_misuse("--counters %s: a name is empty (names with commas between them)", list);
        else if (count == PCOMP_COUNTERS_MAX || strlen(name) > 63)
            status = message_misuse("--counters %s: too much (at most %d names of at most 63 letters)", list,
                                    PCOMP_COUNTERS_MAX);
        else if ((error = papi_try(name)) != PAPI_OK)
            status = counters_refuse(name, papi.query_named_event(name) == PAPI_OK ? papi.strerror(error)
                                                                                   : "no such counter on this machine");
    }
    if (status == 0 && papi_try(list) != PAPI_OK)
        status = counters_refuse(list, "each can be counted, but not all together");
    free(names);
    return status;
}

const char *record_counters_papi(char *buffer, unsigned long size)
{
    if (papi_load())
        return NULL;
    snprintf(buffer, size, "%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
    return buffer;
}

#else

int record_counters_check(const char *list)
{
    return message_failure("--counters %s: this pcomp was built without PAPI (install libpapi-dev and build it again)",
                           list);
}

const char *record_counters_papi(char *buffer, unsigned long size)
{
    (void)buffer;
    (void)size;
    return NULL;
}

#endif
