/* make_trace DIR [KEY=VALUE...] < EVENTS: a data directory with traces of exact, known times, and profiles that name
 * the functions, for the tests of the command line.
 *
 * EVENTS has a line for each event: "TIME KIND VALUE [KEY=VALUE...]", TIME in ns (the clock ticks once a nanosecond),
 * KIND as in compensation/trace_event/event.h in small letters. VALUE is the name of a function (enter, exit), or a
 * number; a and b follow as a= b=, or as parts: peer, tag, request, communicator of messages; communicator, root,
 * participants, operation, class (a number) of collectives. "location NAME [pid=N] [rank=N] [world=N]" begins another
 * location: those of one pid are threads of one process, the first its main thread. "rate=R ahead=N error=N" gives it a
 * clock that ticks R times a nanosecond and is N ticks ahead, and offsets at its first and last event. "repeat N STEP"
 * ... "end" writes the events in between N times, each time STEP ns later. Keys: alpha (ns an event, default 10),
 * processors (not known), flags (more of the header's), command. */
#include "profiler/format/trace_format.h"
#include "tests/support/profile_writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOCATIONS_MAX = 4096, FUNCTIONS_MAX = 200, REPEATED_MAX = 200, LINE = 400 };

#define REGION (1ull << 55)

struct location {
    char name[64];
    int pid, rank, world;
    double rate; /* of its clock: ticks a nanosecond */
    double error;
    uint64_t ahead;
    unsigned char *records;
    size_t size, room;
    uint64_t count, first, last; /* ns */
};

static const struct {
    const char *name;
    uint32_t kind;
} kinds[] = {
    {"enter", PCOMP_EVENT_ENTER},
    {"exit", PCOMP_EVENT_EXIT},
    {"flush_begin", PCOMP_EVENT_FLUSH_BEGIN},
    {"flush_end", PCOMP_EVENT_FLUSH_END},
    {"lost", PCOMP_EVENT_LOST},
    {"pause", PCOMP_EVENT_PAUSE},
    {"resume", PCOMP_EVENT_RESUME},
    {"unwind", PCOMP_EVENT_UNWIND},
    {"external_begin", PCOMP_EVENT_EXTERNAL_BEGIN},
    {"external_end", PCOMP_EVENT_EXTERNAL_END},
    {"preempted", PCOMP_EVENT_PREEMPTED},
    {"create", PCOMP_EVENT_CREATE},
    {"start", PCOMP_EVENT_START},
    {"finish", PCOMP_EVENT_END},
    {"join_begin", PCOMP_EVENT_JOIN_BEGIN},
    {"join_end", PCOMP_EVENT_JOIN_END},
    {"barrier_enter", PCOMP_EVENT_BARRIER_ENTER},
    {"barrier_exit", PCOMP_EVENT_BARRIER_EXIT},
    {"sem_init", PCOMP_EVENT_SEM_INIT},
    {"sem_v", PCOMP_EVENT_SEM_V},
    {"sem_p_s", PCOMP_EVENT_SEM_REQUEST},
    {"sem_p_w", PCOMP_EVENT_SEM_WAIT},
    {"sem_p_p", PCOMP_EVENT_SEM_PASSED},
    {"sem_p_e", PCOMP_EVENT_SEM_TAKEN},
    {"sem_p_f", PCOMP_EVENT_SEM_FAILED},
    {"lock_request", PCOMP_EVENT_LOCK_REQUEST},
    {"lock_wait", PCOMP_EVENT_LOCK_WAIT},
    {"lock_acquired", PCOMP_EVENT_LOCK_ACQUIRED},
    {"lock_failed", PCOMP_EVENT_LOCK_FAILED},
    {"lock_release", PCOMP_EVENT_LOCK_RELEASE},
    {"cond_signal", PCOMP_EVENT_COND_SIGNAL},
    {"cond_broadcast", PCOMP_EVENT_COND_BROADCAST},
    {"cond_wait", PCOMP_EVENT_COND_WAIT},
    {"cond_woken", PCOMP_EVENT_COND_WOKEN},
    {"advance", PCOMP_EVENT_ADVANCE},
    {"await_begin", PCOMP_EVENT_AWAIT_BEGIN},
    {"await_end", PCOMP_EVENT_AWAIT_END},
    {"send_post", PCOMP_EVENT_SEND_POST},
    {"send_done", PCOMP_EVENT_SEND_DONE},
    {"recv_post", PCOMP_EVENT_RECV_POST},
    {"recv_done", PCOMP_EVENT_RECV_DONE},
    {"wait_enter", PCOMP_EVENT_WAIT_ENTER},
    {"wait_exit", PCOMP_EVENT_WAIT_EXIT},
    {"collective_enter", PCOMP_EVENT_COLLECTIVE_ENTER},
    {"collective_exit", PCOMP_EVENT_COLLECTIVE_EXIT},
};

static struct location locations[LOCATIONS_MAX];
static unsigned location_count;
static char functions[FUNCTIONS_MAX][64];
static unsigned function_count;
static char repeated[REPEATED_MAX][LINE];

static void fail(const char *what)
{
    fprintf(stderr, "make_trace: %s\n", what);
    exit(1);
}

static const char *argument(int argc, char **argv, const char *key, const char *otherwise)
{
    size_t length = strlen(key);
    for (int i = 2; i < argc; i++)
        if (!strncmp(argv[i], key, length) && argv[i][length] == '=')
            return argv[i] + length + 1;
    return otherwise;
}

/* " key=NUMBER" in a line. */
static uint64_t number(const char *line, const char *key, uint64_t otherwise)
{
    char pattern[40];
    snprintf(pattern, sizeof pattern, " %s=", key);
    const char *found = strstr(line, pattern);
    return found ? strtoull(found + strlen(pattern), NULL, 0) : otherwise;
}

static double real(const char *line, const char *key, double otherwise)
{
    char pattern[40];
    snprintf(pattern, sizeof pattern, " %s=", key);
    const char *found = strstr(line, pattern);
    return found ? strtod(found + strlen(pattern), NULL) : otherwise;
}

static uint64_t address_of(unsigned function)
{
    return 0x1000 + 16 * (uint64_t)function;
}

static uint64_t function_value(const char *name)
{
    unsigned i = 0;
    while (i < function_count && strcmp(functions[i], name) != 0)
        i++;
    if (i == FUNCTIONS_MAX)
        fail("too many functions");
    if (i == function_count)
        snprintf(functions[function_count++], sizeof functions[0], "%s", name);
    return REGION | address_of(i);
}

static void put(struct location *l, const struct pcomp_event_long *event)
{
    size_t size = pcomp_event_size((const struct pcomp_event *)event);
    if (l->size + 32 > l->room) {
        l->room = l->room ? 2 * l->room : 4096;
        l->records = realloc(l->records, l->room);
        if (!l->records)
            fail("out of memory");
    }
    memcpy(l->records + l->size, event, size);
    l->size += size;
    l->first = l->count++ ? l->first : event->time;
    l->last = event->time;
}

static void read_event(const char *line, uint64_t later)
{
    char kind[40], value[64] = "0";
    unsigned long long time;
    if (sscanf(line, "%llu %39s %63s", &time, kind, value) < 2 || !location_count)
        fail(line);
    struct pcomp_event_long event = {.time = time + later};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kind, kinds[i].name))
            event.what = (uint64_t)kinds[i].kind << 56;
    uint32_t id = (uint32_t)(event.what >> 56);
    if (!id)
        fail(line);
    bool function = id == PCOMP_EVENT_ENTER || id == PCOMP_EVENT_EXIT;
    event.what |= (function ? function_value(value) : strtoull(value, NULL, 0)) & PCOMP_EVENT_VALUE;
    if (id >= PCOMP_EVENT_SEND_POST && id < PCOMP_EVENT_COLLECTIVE_ENTER) {
        event.a = number(line, "peer", 0) << 32 | number(line, "tag", 0);
        event.b = number(line, "request", 0) << 24 | number(line, "communicator", 0);
    } else if (id >= PCOMP_EVENT_COLLECTIVE_ENTER) {
        event.a = number(line, "communicator", 0) << 32 | number(line, "root", 0);
        event.b = number(line, "participants", 0) << 16 | number(line, "operation", 0) << 8 | number(line, "class", 0);
    }
    event.a = number(line, "a", event.a);
    event.b = number(line, "b", event.b);
    put(&locations[location_count - 1], &event);
}

static void read_location(const char *line)
{
    if (location_count == LOCATIONS_MAX)
        fail("too many locations");
    struct location *l = &locations[location_count];
    if (sscanf(line, "location %63s", l->name) != 1)
        fail(line);
    l->pid = (int)number(line, "pid", location_count ? (uint64_t)locations[location_count - 1].pid : 1000);
    l->rank = (int)number(line, "rank", UINT64_MAX);
    l->world = (int)number(line, "world", 0);
    l->rate = real(line, "rate", 1);
    l->ahead = number(line, "ahead", 0);
    l->error = real(line, "error", 0);
    location_count++;
}

static void read_all(void)
{
    char line[LINE];
    unsigned lines = 0;
    unsigned long long times = 0, step = 0;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        const char *text = line + strspn(line, " ");
        if (!*text || *text == '#')
            continue;
        if (sscanf(text, "repeat %llu %llu", &times, &step) == 2) {
            lines = 0;
        } else if (!strcmp(text, "end")) {
            for (unsigned long long i = 0; i < times; i++)
                for (unsigned k = 0; k < lines; k++)
                    read_event(repeated[k], i * step);
            times = 0;
        } else if (times) {
            if (lines == REPEATED_MAX)
                fail("too many lines are repeated");
            snprintf(repeated[lines++], LINE, "%s", text);
        } else if (!strncmp(text, "location ", 9)) {
            read_location(text);
        } else {
            read_event(text, 0);
        }
    }
}

static const uint8_t run_id[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                   0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

static bool has_own_clock(const struct location *l)
{
    return l->ahead || l->rate < 1 || l->rate > 1;
}

static uint64_t own_ticks(const struct location *l, uint64_t ns)
{
    return (uint64_t)((double)ns * l->rate + 0.5) + l->ahead;
}

static void set_clock(struct location *l, struct pcomp_trace_header *header)
{
    if (!has_own_clock(l))
        return;
    const uint64_t measured[2] = {l->first, l->last};
    header->tick_hz = 1e9 * l->rate;
    header->tick0 = l->ahead;
    header->tick1 = own_ticks(l, header->mono1_ns);
    for (int i = 0; i < 2; i++) {
        header->offset_tick[i] = own_ticks(l, measured[i]);
        header->offset[i] = (int64_t)(measured[i] - header->offset_tick[i]);
        header->offset_error[i] = (uint64_t)l->error;
    }
    for (unsigned char *at = l->records; at < l->records + l->size;) {
        struct pcomp_event_long *event = (struct pcomp_event_long *)(void *)at;
        at += pcomp_event_size((const struct pcomp_event *)event);
        event->time = own_ticks(l, event->time);
        if (event->what >> 56 == PCOMP_EVENT_PREEMPTED) { /* lengths */
            event->what += own_ticks(l, event->what & PCOMP_EVENT_VALUE) - l->ahead - (event->what & PCOMP_EVENT_VALUE);
            event->a = own_ticks(l, event->a) - l->ahead;
            event->b = own_ticks(l, event->b) - l->ahead;
        }
    }
}

static void write_trace(const char *dir, unsigned index, unsigned location, int argc, char **argv)
{
    struct location *l = &locations[index];
    double alpha = atof(argument(argc, argv, "alpha", "10"));
    uint32_t flags = (uint32_t)atoi(argument(argc, argv, "flags", "0"));
    struct pcomp_trace_header header = {.version = PCOMP_TRACE_VERSION,
                                        .endian = PCOMP_ENDIAN,
                                        .header_size = sizeof header,
                                        .segment_header_size = sizeof(struct pcomp_trace_segment),
                                        .flags = flags | PCOMP_TRACE_CLOSED | (location ? 0 : PCOMP_TRACE_MAIN),
                                        .location = location,
                                        .pid = l->pid,
                                        .tid = l->pid + (int)location,
                                        .rank = l->rank,
                                        .world = l->world,
                                        .segments = 1,
                                        .tick_hz = 1e9,
                                        .tick1 = 1000000000,
                                        .mono1_ns = 1000000000,
                                        .processors = (uint32_t)atoi(argument(argc, argv, "processors", "0"))};
    size_t used = sizeof(struct pcomp_trace_segment) + l->size, whole = (used + 32 + 4095) & ~(size_t)4095;
    struct pcomp_trace_segment segment = {
        .magic = PCOMP_TRACE_SEGMENT_MAGIC, .size = whole, .sequence = 1, .used = l->size};
    char path[4096];
    memcpy(header.magic, PCOMP_TRACE_MAGIC, sizeof header.magic);
    memcpy(header.run_id, run_id, sizeof run_id);
    memcpy(header.name, l->name, sizeof l->name);
    header.size = sizeof header + whole;
    for (unsigned i = 0; i < PCOMP_EVENT_KINDS; i++)
        header.alpha[i] = (int64_t)(alpha * l->rate * (1 << PCOMP_FIX_SHIFT));
    set_clock(l, &header);
    snprintf(path, sizeof path, "%s/%d-0.%u.trace", dir, l->pid, location);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(&header, sizeof header, 1, file) != 1 || fwrite(&segment, sizeof segment, 1, file) != 1 ||
        (l->size && fwrite(l->records, l->size, 1, file) != 1))
        fail("cannot write a trace");
    for (size_t i = used; i < whole; i++)
        putc(0, file);
    if (fclose(file) != 0)
        fail("cannot write a trace");
}

static void write_profile(const char *dir, const struct location *first, const char *command)
{
    struct profile_writer w;
    char path[4096], text[256] = ""; /* arguments with one NUL between and two at the end */
    profile_writer_init(&w, PCOMP_FLAG_TRACE, 0);
    for (unsigned i = 0; i < function_count; i++)
        profile_writer_function(&w, UINT32_MAX, address_of(i), functions[i]);
    snprintf(text, sizeof text - 1, "%s", command);
    size_t size = strlen(text) + 2;
    for (char *p = text; (p = strchr(p, ' '));)
        *p++ = 0;
    uint64_t link = profile_writer_text(&w, text, size);
    struct pcomp_header *header = profile_writer_header(&w);
    header->command_link = link;
    header->pid = first->pid;
    header->rank = first->rank;
    memcpy(header->run_id, run_id, sizeof run_id);
    snprintf(path, sizeof path, "%s/%d-0.pcomp", dir, first->pid);
    if (!profile_writer_save(&w, path))
        fail("cannot write a profile");
    profile_writer_free(&w);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2)
        fail("usage: make_trace DIR [KEY=VALUE...] < EVENTS");
    read_all();
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST)
        fail(strerror(errno));
    snprintf(path, sizeof path, "%s/run", argv[1]);
    FILE *run = fopen(path, "w");
    if (!run || fprintf(run, "pcomp-run 1\nid 0123456789abcdef0123456789abcdef\n") < 0 || fclose(run) != 0)
        fail("cannot write the file run");
    for (unsigned i = 0; i < location_count; i++) {
        unsigned location = 0;
        for (unsigned k = 0; k < i; k++)
            location += locations[k].pid == locations[i].pid;
        write_trace(argv[1], i, location, argc, argv);
        if (!location)
            write_profile(argv[1], &locations[i], argument(argc, argv, "command", "./program"));
    }
    for (unsigned i = 0; i < location_count; i++)
        free(locations[i].records);
    return 0;
}
