/* Modules that lay at one place one after the other: whose a function's address in a trace is. */
#include "compensation/trace_event/event.h"
#include "reporters/profile/profile_file.h"
#include "reporters/trace/trace_modules.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <string.h>

#define PLACE 0x7f0000001000
#define EVENT(kind, value, time)                                                                                       \
    {                                                                                                                  \
        time, (uint64_t)(kind) << 56 | (value)                                                                         \
    }

static struct profile_writer writer;
static struct profile_file *file;
static struct trace_modules *modules;

static void finish(void)
{
    trace_modules_free(modules);
    profile_file_close(file);
    profile_writer_free(&writer);
}

TestSuite(trace_modules, .fini = finish);

struct stay {
    const char *path;
    uint64_t bias, size, gone;
};

/* The profile of a process to which these modules came one after the other, and went at these ticks; 0: not. */
static void make(size_t count, const struct stay *stays)
{
    char error[512] = "";
    profile_writer_init(&writer, PCOMP_FLAG_TRACE, 0);
    for (size_t i = 0; i < count; i++) {
        profile_writer_module(&writer, stays[i].path, stays[i].bias, stays[i].size);
        struct pcomp_module *m =
            (struct pcomp_module *)(writer.data + writer.module_chunk + sizeof(struct pcomp_chunk)) + i;
        m->gone_tick = stays[i].gone;
        m->unloaded = stays[i].gone != 0;
    }
    profile_writer_finish(&writer);
    file = profile_file_from_memory("test", writer.data, writer.size, false, error, sizeof error);
    cr_assert(file, "%s", error);
    cr_assert(trace_modules_new(file, &modules));
}

/* Path of the module that an ENTER of the address at that time is in. */
static const char *path_at(uint64_t address, uint64_t time)
{
    struct pcomp_event event = EVENT(PCOMP_EVENT_ENTER, address, time);
    trace_modules_mark(modules, &event, sizeof event);
    cr_expect_eq(trace_modules_address(pcomp_event_value(&event)), address);
    uint32_t module = trace_modules_find(file, pcomp_event_value(&event));
    return module == PROFILE_NONE ? "none" : profile_text(file, file->modules[module]->path_link);
}

Test(trace_modules, events_before_it_went_are_its_own)
{
    make(3, (const struct stay[]){
                {"first", PLACE, 0x1000, 100}, {"second", PLACE, 0x3000, 200}, {"third", PLACE, 0x2000, 0}});
    cr_assert(modules);
    cr_expect_str_eq(path_at(PLACE + 8, 99), "first");
    cr_expect_str_eq(path_at(PLACE + 8, 100), "second");
    cr_expect_str_eq(path_at(PLACE + 8, 200), "third");
    cr_expect_str_eq(path_at(PLACE + 0x2008, 300), "second", "none lies there any more");
    cr_expect_str_eq(path_at(PLACE - 8, 300), "none");
}

Test(trace_modules, one_that_comes_again_is_the_same)
{
    make(4, (const struct stay[]){{"a", PLACE, 0x1000, 100},
                                  {"b", PLACE, 0x1000, 200},
                                  {"a", PLACE, 0x1000, 300},
                                  {"b", PLACE, 0x1000, 400}});
    struct pcomp_event events[] = {EVENT(PCOMP_EVENT_ENTER, PLACE, 50),  EVENT(PCOMP_EVENT_EXIT, PLACE, 60),
                                   EVENT(PCOMP_EVENT_ENTER, PLACE, 150), EVENT(PCOMP_EVENT_COUNTED, PLACE, 160),
                                   EVENT(PCOMP_EVENT_ENTER, PLACE, 250), EVENT(PCOMP_EVENT_EXIT, PLACE, 399)};
    static const int same_as[] = {0, 0, 2, 2, 0, 2};
    trace_modules_mark(modules, events, sizeof events);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        cr_expect_eq(pcomp_event_value(&events[i]), pcomp_event_value(&events[same_as[i]]), "event %zu", i);
    cr_expect_neq(pcomp_event_value(&events[0]), pcomp_event_value(&events[2]));
    cr_expect_eq(trace_modules_value(file, &(struct pcomp_function){.address = PLACE, .module = 3}),
                 pcomp_event_value(&events[2]));
}

Test(trace_modules, other_values_stay_and_marks_are_not_made_twice)
{
    make(2, (const struct stay[]){{"a", PLACE, 0x1000, 100}, {"b", PLACE, 0x1000, 0}});
    struct pcomp_event events[] = {
        EVENT(PCOMP_EVENT_LOCK_WAIT, PLACE, 50), EVENT(PCOMP_EVENT_ENTER, PCOMP_EVENT_REGION | PLACE, 50),
        EVENT(PCOMP_EVENT_ENTER, PLACE + 0x1000, 50), EVENT(PCOMP_EVENT_ENTER, 1ull << 48 | PLACE, 150)};
    struct pcomp_event before[sizeof events / sizeof *events];
    memcpy(before, events, sizeof events);
    trace_modules_mark(modules, events, sizeof events);
    cr_expect_arr_eq(events, before, sizeof events);
}

Test(trace_modules, where_one_alone_lay_its_events_and_its_functions_agree)
{
    make(2, (const struct stay[]){{"long", PLACE, 0x3000, 100}, {"short", PLACE, 0x1000, 0}});
    for (uint64_t at = PLACE; at < PLACE + 0x3000; at += 0x1000) {
        struct pcomp_event event = EVENT(PCOMP_EVENT_ENTER, at, 50);
        trace_modules_mark(modules, &event, sizeof event);
        cr_expect_eq(trace_modules_value(file, &(struct pcomp_function){.address = at, .module = 0}),
                     pcomp_event_value(&event));
        cr_expect_str_eq(path_at(at, 50), "long");
    }
}

Test(trace_modules, no_place_of_several_no_marks)
{
    make(2, (const struct stay[]){{"a", PLACE, 0x1000, 100}, {"a", PLACE, 0x1000, 0}});
    cr_expect_null(modules);
    cr_expect_str_eq(path_at(PLACE, 50), "a");
}
