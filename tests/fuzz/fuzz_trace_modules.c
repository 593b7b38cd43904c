/* Marks of modules in traces: wherever modules came and went, an event keeps its address and leads to a module that
 * lies there, the same as a function of that module leads to. Entry of libFuzzer (target fuzz_trace_modules) and of
 * fuzz_trace_modules_regression.
 *
 * An input is the number of modules, 4 bytes each (where, how long, when gone, which file and how it went), then events
 * of 4 bytes: the kind; which place; when; a mark that it has already, or none. */
#include "compensation/trace_event/event.h"
#include "reporters/profile/profile_file.h"
#include "reporters/trace/trace_modules.h"
#include "tests/fuzz/fuzz_seeds.h"
#include "tests/support/profile_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE 0x7f0000001000u
#define STEP  0x100u

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_trace_modules: %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { EVENTS = 1000, MARK_SHIFT = 48 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* of functions, of others, and one that is longer */
static const uint8_t kinds[] = {PCOMP_EVENT_ENTER,      PCOMP_EVENT_EXIT,      PCOMP_EVENT_COUNTED,
                                PCOMP_EVENT_SUPPRESSED, PCOMP_EVENT_LOCK_WAIT, PCOMP_EVENT_SEND_POST};

static void add_module(struct profile_writer *w, const uint8_t *bytes)
{
    static const char *const paths[] = {"a", "b", "c", "d"};
    uint32_t id = profile_writer_module(w, paths[bytes[3] & 3], PLACE + bytes[0] * (uint64_t)STEP,
                                        (bytes[1] & 31) * (uint64_t)STEP);
    struct pcomp_module *m =
        (struct pcomp_module *)(w->data + w->module_chunk + sizeof(struct pcomp_chunk)) + id % w->table_capacity;
    m->gone_tick = bytes[2];
    m->unloaded = bytes[2] || bytes[3] & 4; /* unloaded without a tick: of a replay */
    if (bytes[3] & 8)
        m->end = m->start - 1 + (bytes[3] >> 4); /* a profile says what it likes */
}

static void check_event(const struct profile_file *file, const struct pcomp_event_long *before,
                        const struct pcomp_event_long *event)
{
    const struct pcomp_event *e = (const struct pcomp_event *)event;
    uint64_t value = pcomp_event_value(e), mark = (value & PCOMP_EVENT_MODULE) >> MARK_SHIFT;
    uint64_t address = trace_modules_address(value);
    REQUIRE(event->time == before->time && event->a == before->a && event->b == before->b);
    REQUIRE((event->what & ~PCOMP_EVENT_MODULE) == (before->what & ~PCOMP_EVENT_MODULE));
    bool given = before->what & PCOMP_EVENT_MODULE;
    REQUIRE(!given || event->what == before->what);
    uint32_t module = trace_modules_find(file, value);
    if (module == PROFILE_NONE)
        return;
    REQUIRE(module < file->module_count);
    REQUIRE(address >= file->modules[module]->start && address < file->modules[module]->end);
    struct pcomp_function function = {.address = address, .module = module};
    REQUIRE(!mark || given || mark == PCOMP_EVENT_MODULE >> MARK_SHIFT ||
            trace_modules_value(file, &function) == value);
}

static void mark_events(const struct profile_file *file, const struct trace_modules *modules, const uint8_t *data,
                        size_t size)
{
    static struct pcomp_event_long events[EVENTS], before[EVENTS];
    static uint64_t records[4 * EVENTS], again[4 * EVENTS];
    size_t used = 0, count = 0;
    for (; count < EVENTS && size >= 4; count++, data += 4, size -= 4) {
        uint64_t what = (uint64_t)kinds[data[0] % sizeof kinds] << 56, place = PLACE + data[1] * (uint64_t)STEP;
        before[count] =
            (struct pcomp_event_long){data[2], what | place | (uint64_t)(data[3] & 0xff) << MARK_SHIFT, 0, 0};
        size_t whole = pcomp_event_size((struct pcomp_event *)&before[count]);
        memcpy((char *)records + used, &before[count], whole);
        used += whole;
    }
    trace_modules_mark(modules, records, used);
    memcpy(again, records, used);
    trace_modules_mark(modules, again, used);
    REQUIRE(!memcmp(again, records, used));
    for (size_t i = 0, at = 0; i < count; i++) {
        size_t whole = pcomp_event_size((struct pcomp_event *)&before[i]);
        memset(&events[i], 0, sizeof events[i]);
        memcpy(&events[i], (char *)records + at, whole);
        at += whole;
        check_event(file, &before[i], &events[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile_writer w;
    struct trace_modules *modules = NULL;
    char error[512] = "";
    if (!size)
        return 0;
    size_t count = *data++;
    size--;
    profile_writer_init(&w, PCOMP_FLAG_TRACE, 0);
    for (; count && size >= 4; count--, data += 4, size -= 4)
        add_module(&w, data);
    profile_writer_finish(&w);
    struct profile_file *file = profile_file_from_memory("test", w.data, w.size, false, error, sizeof error);
    if (file) {
        REQUIRE(trace_modules_new(file, &modules));
        mark_events(file, modules, data, size);
        trace_modules_free(modules);
        profile_file_close(file);
    } else {
        REQUIRE(*error && !strchr(error, '\n'));
    }
    profile_writer_free(&w);
    return 0;
}

/* Seed i: i modules in turns at overlapping places, and events of all kinds before and after each went. */
uint8_t *fuzz_seed(unsigned i, size_t *size)
{
    unsigned modules = i == FUZZ_SEEDS - 1 ? 200 : i;
    *size = 1 + 4 * ((size_t)modules + 64);
    uint8_t *data = malloc(*size), *to = data;
    if (!data)
        return NULL;
    *to++ = (uint8_t)modules;
    for (unsigned k = 0; k < modules; k++, to += 4) {
        to[0] = (uint8_t)(k % 3 * 4);
        to[1] = (uint8_t)(8 + k % 5);
        to[2] = (uint8_t)(k + 1 < modules ? 10 * (k + 1) : 0);
        to[3] = (uint8_t)(k % 4);
    }
    for (unsigned k = 0; k < 64; k++, to += 4) {
        to[0] = (uint8_t)k;
        to[1] = (uint8_t)(k % 16);
        to[2] = (uint8_t)(4 * k);
        to[3] = (uint8_t)(k % 8 == 7 ? k / 8 : 0);
    }
    return data;
}
