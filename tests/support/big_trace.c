/* Writes traces as they are recorded, of any size: big_trace DIR LOCATIONS MEGABYTES CALLS
 *
 * LOCATIONS threads of one process call functions on paths of depth 4 to 8; after every CALLS calls (0: never) they
 * meet at a barrier. All traces together have MEGABYTES (10^6 bytes). Prints "events N". */
#include "reporters/trace/files/trace_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 256 << 10, ALPHA = 20, LOOP = 1000 };

struct location {
    struct trace_writer writer;
    struct pcomp_trace_segment *segment;
    size_t size;
    uint64_t first, count, now, random, choices, turns;
    unsigned depth;
    uint64_t stack[8];
};

static struct location *locations;
static unsigned location_count;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t next_random(struct location *l)
{
    l->random = l->random * 6364136223846793005u + 1442695040888963407u;
    return l->random >> 33;
}

static void flush_records(struct location *l)
{
    if (!trace_writer_segment(&l->writer, l->segment, l->size, l->first))
        fail(l->writer.path);
    l->first = l->count;
    l->size = 0;
}

static void put(struct location *l, uint32_t kind, uint64_t value, uint64_t a)
{
    struct pcomp_event_long event = {l->now, (uint64_t)kind << 56 | value, a, 0};
    size_t size = pcomp_event_size((const struct pcomp_event *)&event);
    if (l->size + size > PART)
        flush_records(l);
    memcpy((char *)(l->segment + 1) + l->size, &event, size);
    l->size += size;
    l->count++;
    l->now += ALPHA + 5 + next_random(l) % 30;
}

/* Programs loop: the choices of a location come again after LOOP calls, only their times do not. */
static void call_functions(struct location *l, unsigned long calls)
{
    for (unsigned long i = 0; i < calls;) {
        if (l->turns++ % LOOP == 0)
            l->choices = 1;
        uint64_t choice = l->choices = l->choices * 6364136223846793005u + 1442695040888963407u;
        if (l->depth < 4 || (l->depth < 8 && choice >> 63)) {
            uint64_t function = 0x401000 + 16 * (l->depth * 8 + (choice >> 60 & 7 ? 0 : choice >> 57 & 7));
            l->stack[l->depth++] = function;
            put(l, PCOMP_EVENT_ENTER, function, 0);
            i++;
        } else {
            put(l, PCOMP_EVENT_EXIT, l->stack[--l->depth], 0);
        }
    }
}

static void meet(void)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < location_count; i++) {
        put(&locations[i], PCOMP_EVENT_BARRIER_ENTER, 64, location_count);
        last = locations[i].now > last ? locations[i].now : last;
    }
    for (unsigned i = 0; i < location_count; i++) {
        locations[i].now = last + 10 + i;
        put(&locations[i], PCOMP_EVENT_BARRIER_EXIT, 64, 0);
    }
}

static void begin(const char *dir)
{
    for (unsigned i = 0; i < location_count; i++) {
        struct location *l = &locations[i];
        struct pcomp_trace_header h = {.flags = PCOMP_TRACE_CLOSED | (i ? 0 : PCOMP_TRACE_MAIN),
                                       .location = i,
                                       .pid = 1000,
                                       .tid = 1000 + (int)i,
                                       .rank = -1,
                                       .tick_hz = 1e9,
                                       .tick1 = 1000000000,
                                       .mono1_ns = 1000000000};
        char path[4096], error[512];
        for (unsigned k = 0; k < PCOMP_EVENT_KINDS; k++)
            h.alpha[k] = ALPHA << 10;
        snprintf(path, sizeof path, "%s/1000-0.%u.trace", dir, i);
        l->segment = malloc(trace_segment_size(PART));
        l->random = i;
        l->now = 1000;
        if (!l->segment || !trace_writer_open(&l->writer, path, &h, error, sizeof error))
            fail(path);
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: big_trace DIR LOCATIONS MEGABYTES CALLS\n");
        return 2;
    }
    location_count = (unsigned)atoi(argv[2]);
    uint64_t wanted = strtoull(argv[3], NULL, 10) * 1000000 / 16 / location_count, events = 0;
    unsigned long calls = strtoul(argv[4], NULL, 10);
    locations = calloc(location_count, sizeof *locations);
    if (!locations)
        fail("memory");
    begin(argv[1]);
    while (locations[0].count < wanted) {
        for (unsigned i = 0; i < location_count; i++)
            call_functions(&locations[i], calls ? calls : 1000);
        if (calls)
            meet();
    }
    for (unsigned i = 0; i < location_count; i++) {
        struct location *l = &locations[i];
        while (l->depth)
            put(l, PCOMP_EVENT_EXIT, l->stack[--l->depth], 0);
        events += l->count;
        flush_records(l);
        if (!trace_writer_close(&l->writer))
            fail(argv[1]);
        free(l->segment);
    }
    free(locations);
    printf("events %llu\n", (unsigned long long)events);
    return 0;
}
