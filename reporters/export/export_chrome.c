/* Chrome's Trace Event Format (JSON), which Perfetto opens, too: locations are threads, slices B and E events, links
 * flows. Times are microseconds, with nanoseconds behind the point. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/export/export_json.h"
#include "reporters/export/export_trace.h"

#include <stdlib.h>

#define CHROME_LARGE (50u << 20) /* bytes: browsers take long from here on */

struct chrome {
    struct export_json json;
    json_t **names;
    uint32_t name_count;
    struct chrome_thread {
        uint32_t pid, tid;
    } * threads; /* by location */
    uint32_t thread_room;
    /* The events that are written, again and again; their values are shared. */
    json_t *enter, *leave, *pid, *tid, *ts, *categories[2];
};

static bool chrome_begin(void *context, FILE *out, const char *directory, const char *const *names, uint32_t count)
{
    struct chrome *c = context;
    c->names = calloc(count + (size_t)1, sizeof *c->names);
    for (; c->names && c->name_count < count; c->name_count++)
        if (!(c->names[c->name_count] = json_string(names[c->name_count])))
            return false;
    c->pid = json_integer(0);
    c->tid = json_integer(0);
    c->ts = json_real(0);
    c->categories[0] = json_string("function");
    c->categories[1] = json_string("operation");
    c->enter = json_pack("{s:s,s:O,s:O,s:O}", "ph", "B", "pid", c->pid, "tid", c->tid, "ts", c->ts);
    c->leave = json_pack("{s:s,s:O,s:O,s:O}", "ph", "E", "pid", c->pid, "tid", c->tid, "ts", c->ts);
    if (!c->names || !c->enter || !c->leave || !c->categories[0] || !c->categories[1])
        return false;
    export_json_begin(&c->json, out, '{');
    export_json_text(&c->json, "displayTimeUnit", "ns");
    export_json_add(&c->json, "otherData", json_pack("{s:s,s:s}", "exporter", "pcomp", "directory", directory));
    export_json_open(&c->json, "traceEvents", '[', true);
    return !c->json.failed;
}

static void chrome_metadata(struct chrome *c, const char *what, const char *sort, const struct chrome_thread *thread,
                            bool process, const char *name)
{
    json_int_t pid = thread->pid, tid = process ? 0 : thread->tid;
    export_json_add(
        &c->json, NULL,
        json_pack("{s:s,s:I,s:I,s:s,s:{s:s}}", "ph", "M", "pid", pid, "tid", tid, "name", what, "args", "name", name));
    export_json_add(&c->json, NULL,
                    json_pack("{s:s,s:I,s:I,s:s,s:{s:I}}", "ph", "M", "pid", pid, "tid", tid, "name", sort, "args",
                              "sort_index", tid ? tid : pid));
}

static bool chrome_location(void *context, uint32_t location, const struct trace_slice_location *about)
{
    struct chrome *c = context;
    if (location >= c->thread_room) {
        uint32_t room = 2 * location + 16;
        struct chrome_thread *grown = reallocarray(c->threads, room, sizeof *grown);
        if (!grown)
            return false;
        c->threads = grown;
        c->thread_room = room;
    }
    c->threads[location] = (struct chrome_thread){about->pid, about->tid};
    if (about->first)
        chrome_metadata(c, "process_name", "process_sort_index", &c->threads[location], true, about->process_name);
    chrome_metadata(c, "thread_name", "thread_sort_index", &c->threads[location], false, about->name);
    return !c->json.failed;
}

static void chrome_place(struct chrome *c, uint32_t location, uint64_t ns)
{
    json_integer_set(c->pid, c->threads[location].pid);
    json_integer_set(c->tid, c->threads[location].tid);
    json_real_set(c->ts, (double)ns / 1000);
}

static bool chrome_enter(void *context, uint32_t location, uint64_t time, uint32_t name, enum trace_slice_kind kind)
{
    struct chrome *c = context;
    chrome_place(c, location, time);
    json_object_set(c->enter, "cat", c->categories[kind != TRACE_SLICE_FUNCTION]);
    json_object_set(c->enter, "name", c->names[name]);
    export_json_kept(&c->json, NULL, c->enter);
    return !c->json.failed;
}

static bool chrome_leave(void *context, uint32_t location, uint64_t time)
{
    struct chrome *c = context;
    chrome_place(c, location, time);
    export_json_kept(&c->json, NULL, c->leave);
    return !c->json.failed;
}

/* A flow binds to the innermost slice that is open at its end: it is told of before that slice ends. */
static bool chrome_link(void *context, uint64_t number, const char *kind, uint32_t from, uint64_t from_time,
                        uint32_t to, uint64_t to_time)
{
    struct chrome *c = context;
    for (int end = 0; end < 2; end++) {
        chrome_place(c, end ? to : from, end ? to_time : from_time);
        export_json_add(&c->json, NULL,
                        json_pack("{s:s,s:O,s:O,s:O,s:s*,s:I,s:s,s:s}", "ph", end ? "f" : "s", "pid", c->pid, "tid",
                                  c->tid, "ts", c->ts, "bp", end ? "e" : NULL, "id", (json_int_t)number, "cat", kind,
                                  "name", kind));
    }
    return !c->json.failed;
}

static bool chrome_end(void *context)
{
    struct chrome *c = context;
    return export_json_end(&c->json);
}

static void chrome_close(void *context)
{
    struct chrome *c = context;
    for (uint32_t i = 0; i < c->name_count; i++)
        json_decref(c->names[i]);
    free(c->names);
    free(c->threads);
    json_decref(c->enter);
    json_decref(c->leave);
    json_decref(c->pid);
    json_decref(c->tid);
    json_decref(c->ts);
    json_decref(c->categories[0]);
    json_decref(c->categories[1]);
    export_json_free(&c->json);
}

int export_chrome(const char *dir, bool salvage, const struct export_window *window, const char *path)
{
    struct chrome c = {.thread_room = 0};
    const struct export_trace_writer writer = {.sink = {&c, chrome_location, chrome_enter, chrome_leave, chrome_link},
                                               .begin = chrome_begin,
                                               .end = chrome_end,
                                               .close = chrome_close};
    int status = export_trace(dir, salvage, window, path, &writer);
    char size[TEXT_NUMBER];
    if (status == STATUS_DONE && c.json.bytes > CHROME_LARGE)
        message_note(
            "export: %s: has %s, which browsers hardly open (--format perfetto takes a fifth of it; --from, --to "
            "and --min-duration write less)",
            path, text_bytes(size, c.json.bytes));
    return status;
}
