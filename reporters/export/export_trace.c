#include "reporters/export/export_trace.h"

#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/base/text.h"
#include "reporters/trace/files/trace_links.h"
#include "reporters/trace/trace_activity.h"
#include "reporters/trace/trace_executions.h"
#include "reporters/trace/trace_functions.h"
#include "reporters/trace/trace_merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct open_slice {
    uint64_t begin; /* ns */
    uint32_t name;
    bool operation;
};

struct walk_location {
    struct trace_activity activity;
    struct open_slice *slices; /* as many as the activity's stack is deep, outermost first */
    size_t room, written;      /* the first so many have been told to the writer */
    uint64_t last;             /* ns of its last event so far */
};

struct walk_execution {
    struct trace_execution *execution;
    uint32_t process;  /* number of its first one in the functions */
    uint32_t location; /* number of its first one for the writer */
    uint64_t first;    /* tick of the beginning */
};

struct walk {
    const struct export_window *window;
    const struct export_trace_writer *writer;
    struct trace_functions *functions;
    const char **names; /* functions, operations, collectives */
    char **cleaned;     /* of functions */
    uint32_t function_count;
    uint64_t links;
    bool failed; /* out of memory */
    uint32_t count;
    struct walk_execution executions[TRACE_EXECUTIONS_MOST];
    double longest; /* ns, of all */
    /* the execution that is being written */
    const struct walk_execution *now;
    struct walk_location *locations;
};

#define COLLECTIVES 256u

/* --- Slices ------------------------------------------------------------------------------------------------------- */

static uint64_t ns_of(const struct walk *w, uint64_t tick)
{
    return (uint64_t)llround((double)(tick - w->now->first) * w->now->execution->traces.tick_ns);
}

static uint64_t inside(const struct walk *w, uint64_t ns)
{
    return (double)ns < w->window->from ? (uint64_t)w->window->from
           : (double)ns > w->window->to ? (uint64_t)w->window->to
                                        : ns;
}

/* Tells of slices that are known at `ns` to be long enough; those around them are longer. */
static void tell_begun(struct walk *w, uint32_t at, uint64_t ns)
{
    struct walk_location *l = &w->locations[at];
    if ((double)ns < w->window->from)
        return;
    for (; l->written < l->activity.stack.depth; l->written++) {
        const struct open_slice *slice = &l->slices[l->written];
        if ((double)(ns - slice->begin) < w->window->least)
            return;
        w->failed |= !w->writer->enter(w->writer->context, w->now->location + at, inside(w, slice->begin), slice->name,
                                       slice->operation ? EXPORT_OPERATION : EXPORT_FUNCTION);
    }
}

/* `depth` slices go on. */
static void tell_ended(struct walk *w, uint32_t at, size_t depth, uint64_t ns)
{
    struct walk_location *l = &w->locations[at];
    for (; l->written > depth; l->written--)
        w->failed |= !w->writer->leave(w->writer->context, w->now->location + at, inside(w, ns));
}

static uint32_t name_of(struct walk *w, uint32_t at, uint64_t value, const struct pcomp_event_long *event)
{
    if (!(value & TRACE_IS_OPERATION)) {
        uint32_t process = w->now->process + w->now->execution->traces.locations[at].process;
        uint32_t function = trace_functions_find(w->functions, process, value);
        w->failed |= function >= w->function_count;
        return w->failed ? 0 : function;
    }
    uint32_t operation = (uint32_t)(value & ~TRACE_IS_OPERATION);
    if (operation == TRACE_COLLECTIVE)
        return w->function_count + TRACE_OPERATIONS + (event->b >> 8 & 0xff);
    return w->function_count + (operation < TRACE_OPERATIONS ? operation : 0);
}

/* The event began what is on top of the stack now. */
static void push(struct walk *w, uint32_t at, const struct pcomp_event_long *event, uint64_t ns)
{
    struct walk_location *l = &w->locations[at];
    size_t depth = l->activity.stack.depth;
    if (depth > l->room) {
        size_t room = 2 * depth + 16;
        struct open_slice *grown = reallocarray(l->slices, room, sizeof *grown);
        w->failed |= !grown;
        if (!grown)
            return;
        l->slices = grown;
        l->room = room;
    }
    uint64_t value = l->activity.stack.functions[depth - 1];
    l->slices[depth - 1] = (struct open_slice){ns, name_of(w, at, value, event), (value & TRACE_IS_OPERATION) != 0};
}

static void tell_link(void *context, const struct trace_link *link)
{
    struct walk *w = context;
    uint64_t from = ns_of(w, link->from_time), to = ns_of(w, link->to_time);
    if ((double)from < w->window->from || (double)to > w->window->to)
        return;
    w->failed |= !w->writer->link(w->writer->context, ++w->links, trace_link_name(link->kind),
                                  w->now->location + link->from, from, w->now->location + link->to, to);
}

/* --- Executions --------------------------------------------------------------------------------------------------- */

static void follow(struct walk *w, struct trace_links *links, uint32_t at, const struct pcomp_event_long *event,
                   uint64_t ns)
{
    struct walk_location *l = &w->locations[at];
    struct trace_change change;
    bool links_first = l->activity.open; /* the link's end lies in the operation that may end now */
    w->failed |= links_first && !trace_links_follow(links, at, event);
    tell_begun(w, at, ns);
    w->failed |= !trace_activity_follow(&l->activity, event, &change);
    if (w->failed)
        return;
    tell_ended(w, at, l->activity.stack.depth - change.entered, ns);
    if (change.entered)
        push(w, at, event, ns);
    tell_begun(w, at, ns);
    w->failed |= !links_first && !trace_links_follow(links, at, event);
    l->last = ns;
}

static bool walk_events(struct walk *w, const uint32_t *all, struct trace_links *links, char *error, size_t error_size)
{
    struct trace_directory *traces = &w->now->execution->traces;
    struct trace_feed feed = trace_feed_of(traces);
    struct trace_merge *merge = trace_merge_open(&feed, all, traces->count, error, error_size);
    enum trace_next next = merge ? TRACE_NEXT_END : TRACE_NEXT_FAILED;
    const struct pcomp_event_long *event;
    uint32_t at;
    bool behind = false; /* the window */
    while (merge && !w->failed && !behind && (next = trace_merge_next(merge, &at, &event)) == TRACE_NEXT_EVENT) {
        uint64_t ns = ns_of(w, event->time);
        behind = (double)ns > w->window->to;
        if (!behind)
            follow(w, links, at, event, ns);
    }
    for (at = 0; at < traces->count && !w->failed; at++) {
        uint64_t end = behind ? (uint64_t)w->window->to : w->locations[at].last;
        tell_begun(w, at, end);
        tell_ended(w, at, 0, end);
    }
    trace_merge_close(merge);
    return !w->failed && (behind || next == TRACE_NEXT_END);
}

/* Names of processes and threads. */
static void tell_locations(struct walk *w)
{
    const struct trace_directory *traces = &w->now->execution->traces;
    uint32_t named = UINT32_MAX;
    for (uint32_t i = 0; i < traces->count && !w->failed; i++) {
        const struct trace_location *location = &traces->locations[i];
        const struct pcomp_trace_header *header = &location->file->header;
        char process[200];
        snprintf(process, sizeof process, header->rank >= 0 ? "%s: rank %d" : "%s: pid %d", w->now->execution->title,
                 header->rank >= 0 ? header->rank : header->pid);
        char *process_name = text_clean(process), *name = text_clean(location->name);
        const struct export_location about = {.pid = w->now->process + location->process + 1,
                                              .tid = i + 1,
                                              .process_name = process_name,
                                              .name = name,
                                              .first = location->process != named};
        named = location->process;
        w->failed |= !process_name || !name || !w->writer->location(w->writer->context, w->now->location + i, &about);
        free(process_name);
        free(name);
    }
}

static bool walk_execution(struct walk *w, char *error, size_t error_size)
{
    const struct trace_directory *traces = &w->now->execution->traces;
    uint32_t *all = calloc(traces->count + (size_t)1, sizeof *all);
    struct trace_link_location *ends = calloc(traces->count + (size_t)1, sizeof *ends);
    w->locations = calloc(traces->count + (size_t)1, sizeof *w->locations);
    for (uint32_t i = 0; all && ends && i < traces->count; i++) {
        all[i] = i;
        ends[i] = (struct trace_link_location){traces->locations[i].process, traces->locations[i].file->header.rank};
    }
    struct trace_links *links = all && ends ? trace_links_open(ends, traces->count, tell_link, w) : NULL;
    w->failed |= !links || !w->locations;
    bool good = !w->failed;
    if (good) {
        tell_locations(w);
        good = walk_events(w, all, links, error, error_size);
    }
    for (uint32_t i = 0; w->locations && i < traces->count; i++) {
        trace_activity_free(&w->locations[i].activity);
        free(w->locations[i].slices);
    }
    trace_links_close(links);
    free(w->locations);
    free(all);
    free(ends);
    return good;
}

/* --- Names, window ------------------------------------------------------------------------------------------------ */

static void warn_names(void *context, const char *text)
{
    (void)context;
    message_note("note: %s", text);
}

static bool make_names(struct walk *w)
{
    uint32_t count = w->function_count = trace_functions_count(w->functions);
    w->names = calloc(count + TRACE_OPERATIONS + COLLECTIVES, sizeof *w->names);
    w->cleaned = calloc(count + (size_t)1, sizeof *w->cleaned);
    for (uint32_t i = 0; w->names && w->cleaned && i < count; i++) {
        w->names[i] = w->cleaned[i] = text_clean(trace_functions_name(w->functions, i));
        if (!w->names[i])
            return false;
    }
    for (uint32_t i = 0; w->names && i < TRACE_OPERATIONS; i++)
        w->names[count + i] = trace_operation_name((enum trace_operation)i);
    for (uint32_t i = 0; w->names && i < COLLECTIVES; i++)
        w->names[count + TRACE_OPERATIONS + i] = trace_collective_name(i);
    return w->names && w->cleaned;
}

/* All that is to be known before the first event is written. */
static bool prepare(struct walk *w, struct trace_executions *executions, char *error, size_t error_size)
{
    uint32_t location = 0;
    w->functions = trace_functions_open();
    w->failed |= !w->functions;
    for (uint32_t i = 0; i < executions->count && !w->failed; i++) {
        uint64_t last;
        struct walk_execution *e = &w->executions[w->count++];
        e->execution = &executions->list[i];
        e->location = location;
        location += e->execution->traces.count;
        e->process = trace_functions_add(w->functions, &e->execution->traces);
        w->failed |= e->process == UINT32_MAX;
        if (!w->failed && !trace_functions_gather(w->functions, e->process, &e->execution->traces, &e->first, &last,
                                                  error, error_size))
            return false;
        w->longest = w->failed ? 0 : fmax(w->longest, (double)(last - e->first) * e->execution->traces.tick_ns);
    }
    w->failed = w->failed || !trace_functions_resolve(w->functions, warn_names, NULL) || !make_names(w);
    return !w->failed;
}

static bool check_window(const struct walk *w, char *error, size_t error_size)
{
    char all[TEXT_NUMBER];
    if (!w->window->asked || w->window->from < w->longest)
        return true;
    snprintf(error, error_size, "--from %s: is behind the end of the trace, which lasts %s", w->window->asked,
             text_time(all, w->longest));
    return false;
}

static bool walk_all(struct walk *w, FILE *out, const char *dir, char *error, size_t error_size)
{
    char *clean = text_clean(dir);
    w->failed |= !clean || !w->writer->begin(w->writer->context, out, clean, w->names,
                                             w->function_count + TRACE_OPERATIONS + COLLECTIVES);
    free(clean);
    bool good = !w->failed;
    for (uint32_t i = 0; i < w->count && good; i++) {
        w->now = &w->executions[i];
        good = walk_execution(w, error, error_size);
    }
    w->failed |= good && !w->writer->end(w->writer->context);
    w->writer->close(w->writer->context);
    return good && !w->failed;
}

int export_trace(const char *dir, bool salvage, const struct export_window *window, const char *path,
                 const struct export_trace_writer *writer)
{
    struct trace_executions executions;
    struct walk w = {.window = window, .writer = writer};
    struct output_file file;
    char error[1024] = "";
    if (!trace_executions_open(dir, salvage, &executions, error, sizeof error))
        return message_failure("export: %s", error);
    trace_executions_note(&executions, "export");
    bool opened = false, kept = false, good = prepare(&w, &executions, error, sizeof error);
    good = good && check_window(&w, error, sizeof error);
    if (good && (opened = output_file_open(&file, path))) {
        good = walk_all(&w, file.stream, dir, error, sizeof error);
        kept = output_file_close(&file, good);
    }
    for (uint32_t i = 0; w.cleaned && i < w.function_count; i++)
        free(w.cleaned[i]);
    free(w.cleaned);
    free(w.names);
    trace_functions_close(w.functions);
    trace_executions_close(&executions);
    if (w.failed)
        return message_no_memory("export");
    if (!good)
        return message_failure("export: %s", error);
    return opened && kept ? STATUS_DONE : STATUS_BAD;
}
