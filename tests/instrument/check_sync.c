/* check_sync EXPECTATIONS FILE...: holds the traces of one run to the laws of synchronisation (sync_laws.h) and to
 * the "expect" lines of EXPECTATIONS (the output of a test program, see programs/expect.h):
 *
 *   expect events KIND N          records of a kind, in all files
 *   expect least KIND N, expect most KIND N
 *   expect closed KIND N          records of a kind right behind a flush, which ends when they are made
 *   expect locations N
 *   expect unsignalled N          at most N waits for conditions ended without a signal
 * Other lines are ignored. Nothing may be lost. Prints each miss; exit status 1 if there is one. */
#include "tests/instrument/sync_laws.h"
#include "tests/support/trace_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct location {
    struct trace_events trace;
    size_t next;
} * locations;
static uint32_t count;
static uint64_t unsignalled = SYNC_UNKNOWN; /* as expected */
static uint64_t kinds[PCOMP_EVENT_KINDS], closed[PCOMP_EVENT_KINDS];

static uint32_t kind_of(const struct pcomp_event_long *e)
{
    return (uint32_t)(e->what >> 56);
}

/* The location whose next event is the next of all; `count` at the end. */
static uint32_t next_location(void)
{
    uint32_t best = count;
    const struct pcomp_event_long *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct location *l = &locations[i];
        const struct pcomp_event_long *e = l->next < l->trace.count ? &l->trace.events[l->next] : NULL;
        if (e && (!first || e->time < first->time ||
                  (e->time == first->time && sync_laws_goes_first(kind_of(e), kind_of(first))))) {
            best = i;
            first = e;
        }
    }
    return best;
}

static struct sync_laws *read_all(void)
{
    struct sync_laws *laws = sync_laws_new(count);
    for (uint32_t i; (i = next_location()) < count;) {
        struct location *l = &locations[i];
        const struct pcomp_event_long *e = &l->trace.events[l->next++];
        kinds[kind_of(e)]++;
        closed[kind_of(e)] += l->next > 1 && kind_of(e - 1) == PCOMP_EVENT_FLUSH_END && e->time == e[-1].time;
        sync_laws_event(laws, i, l->trace.header.pid, e);
    }
    return laws;
}

static uint64_t kinds_named(const uint64_t *counts, const char *name)
{
    for (uint32_t kind = 0; kind < PCOMP_EVENT_KINDS; kind++)
        if (sync_kind_name(kind) && !strcmp(sync_kind_name(kind), name))
            return counts[kind];
    printf("MISS there is no kind %s\n", name);
    exit(1);
}

static bool compare(const char *line, const char *how, const char *what, uint64_t wanted)
{
    uint64_t found = !strcmp(how, "locations") ? count : kinds_named(!strcmp(how, "closed") ? closed : kinds, what);
    if (!strcmp(how, "least") ? found >= wanted : !strcmp(how, "most") ? found <= wanted : found == wanted)
        return true;
    printf("MISS %s: found %" PRIu64 "\n", line, found);
    return false;
}

static uint64_t expectations(const char *path)
{
    char line[600], how[20], what[40];
    uint64_t misses = 0, n;
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "expect %19s %" SCNu64, how, &n) == 2 && !strcmp(how, "locations"))
            misses += !compare(line, how, "", n);
        else if (sscanf(line, "expect %19s %" SCNu64, how, &n) == 2 && !strcmp(how, "unsignalled"))
            unsignalled = n;
        else if (sscanf(line, "expect %19s %39s %" SCNu64, how, what, &n) == 3 &&
                 (!strcmp(how, "events") || !strcmp(how, "least") || !strcmp(how, "most") || !strcmp(how, "closed")))
            misses += !compare(line, how, what, n);
    }
    fclose(f);
    return misses;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    count = (uint32_t)argc - 2;
    locations = calloc(count, sizeof(*locations));
    if (!locations)
        return 2;
    for (uint32_t i = 0; i < count; i++) {
        const char *wrong = trace_events_read(argv[i + 2], &locations[i].trace);
        if (wrong) {
            printf("MISS %s: %s\n", argv[i + 2], wrong);
            return 1;
        }
    }
    struct sync_laws *laws = read_all();
    uint64_t misses = expectations(argv[1]);
    misses += sync_laws_misses(laws, unsignalled);
    sync_laws_free(laws);
    if (kinds[PCOMP_EVENT_LOST])
        misses += (uint64_t) !!printf("MISS events were lost\n");
    for (uint32_t i = 0; i < count; i++)
        free(locations[i].trace.events);
    free(locations);
    return misses ? 1 : 0;
}
