#include "reporters/trace/trace_slices.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/trace/files/trace_links.h"
#include "reporters/trace/trace_activity.h"
#include "reporters/trace/trace_executions.h"
#include "reporters/trace/trace_functions.h"
#include "reporters/trace/trace_merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open_slice {
    uint64_t begin; /* ns */
    uint32_t name;
    enum trace_slice_kind kind;
};

struct slice_track {
    struct trace_activity activity;
    struct open_slice *slices; /* as many as the activity's stack is deep, outermost first */
    size_t room, written;      /* the first so many have been told to the writer */
    uint64_t last;             /* ns of its last event so far */
};

struct slice_execution {
    struct trace_execution *execution;
    uint32_t process;  /* number of its first one in the functions */
    uint32_t location; /* number of its first one for the writer */
    uint64_t first;    /* tick of the beginning */
    double span;       /* ns */
};

struct trace_slices {
    const struct trace_window *window;
    const struct trace_slice_sink *sink;
    struct trace_executions opened;
    struct trace_functions *functions;
    const char **names; /* functions, operations, collectives */
    char **cleaned;     /* of functions */
    uint32_t function_count;
    uint64_t links;
    bool failed; /* out of memory */
    uint32_t count;
    struct slice_execution executions[TRACE_EXECUTIONS_MAX];
    /* the execution that is being written */
    const struct slice_execution *now;
    struct slice_track *locations;
};

#define COLLECTIVES 256u

/* --- Slices ------------------------------------------------------------------------------------------------------- */

static uint64_t ns_of(const struct trace_slices *s, uint64_t tick)
{
    return (uint64_t)llround((double)(tick - s->now->first) * s->now->execution->traces.tick_ns);
}

static uint64_t inside(const struct trace_slices *s, uint64_t ns)
{
    return (double)ns < s->window->from ? (uint64_t)s->window->from
           : (double)ns > s->window->to ? (uint64_t)s->window->to
                                        : ns;
}

/* Tells of slices that are known at `ns` to be long enough; those around them are longer. */
static void report_begun(struct trace_slices *s, uint32_t at, uint64_t ns)
{
    struct slice_track *l = &s->locations[at];
    if ((double)ns < s->window->from)
        return;
    for (; l->written < l->activity.stack.depth; l->written++) {
        const struct open_slice *slice = &l->slices[l->written];
        if ((double)(ns - slice->begin) < s->window->min)
            return;
        s->failed |=
            !s->sink->enter(s->sink->context, s->now->location + at, inside(s, slice->begin), slice->name, slice->kind);
    }
}

/* `depth` slices go on. */
static void report_ended(struct trace_slices *s, uint32_t at, size_t depth, uint64_t ns)
{
    struct slice_track *l = &s->locations[at];
    for (; l->written > depth; l->written--)
        s->failed |= !s->sink->leave(s->sink->context, s->now->location + at, inside(s, ns));
}

static uint32_t name_of(struct trace_slices *s, uint32_t at, uint64_t value, const struct pcomp_event_long *event)
{
    if (!(value & TRACE_IS_OPERATION)) {
        uint32_t process = s->now->process + s->now->execution->traces.locations[at].process;
        uint32_t function = trace_functions_find(s->functions, process, value);
        s->failed |= function >= s->function_count;
        return s->failed ? 0 : function;
    }
    uint32_t operation = (uint32_t)(value & ~TRACE_IS_OPERATION);
    if (operation == TRACE_COLLECTIVE)
        return s->function_count + TRACE_OPERATIONS + (event->b >> 8 & 0xff);
    return s->function_count + (operation < TRACE_OPERATIONS ? operation : 0);
}

static enum trace_slice_kind kind_of(uint64_t value)
{
    uint64_t operation = value & ~TRACE_IS_OPERATION;
    if (!(value & TRACE_IS_OPERATION))
        return TRACE_SLICE_FUNCTION;
    return operation == TRACE_FLUSH || operation == TRACE_PAUSE ? TRACE_SLICE_RECORDER : TRACE_SLICE_OPERATION;
}

/* The event began what is on top of the stack now. */
static void push(struct trace_slices *s, uint32_t at, const struct pcomp_event_long *event, uint64_t ns)
{
    struct slice_track *l = &s->locations[at];
    size_t depth = l->activity.stack.depth;
    if (depth > l->room) {
        size_t room = 2 * depth + 16;
        struct open_slice *grown = reallocarray(l->slices, room, sizeof *grown);
        s->failed |= !grown;
        if (!grown)
            return;
        l->slices = grown;
        l->room = room;
    }
    uint64_t value = l->activity.stack.functions[depth - 1];
    l->slices[depth - 1] = (struct open_slice){ns, name_of(s, at, value, event), kind_of(value)};
}

static void report_link(void *context, const struct trace_link *link)
{
    struct trace_slices *s = context;
    uint64_t from = ns_of(s, link->from_time), to = ns_of(s, link->to_time);
    if ((double)from < s->window->from || (double)to > s->window->to)
        return;
    s->failed |= !s->sink->link(s->sink->context, ++s->links, trace_link_name(link->kind),
                                s->now->location + link->from, from, s->now->location + link->to, to);
}

/* --- Executions --------------------------------------------------------------------------------------------------- */

static void follow(struct trace_slices *s, struct trace_links *links, uint32_t at, const struct pcomp_event_long *event,
                   uint64_t ns)
{
    struct slice_track *l = &s->locations[at];
    struct trace_change change;
    bool links_first = l->activity.open; /* the link's end lies in the operation that may end now */
    s->failed |= links_first && !trace_links_follow(links, at, event);
    report_begun(s, at, ns);
    s->failed |= !trace_activity_follow(&l->activity, event, &change);
    if (s->failed)
        return;
    report_ended(s, at, l->activity.stack.depth - change.entered, ns);
    if (change.entered)
        push(s, at, event, ns);
    report_begun(s, at, ns);
    s->failed |= !links_first && !trace_links_follow(links, at, event);
    l->last = ns;
}

static bool report_events(struct trace_slices *s, const uint32_t *all, struct trace_links *links, char *error,
                          size_t error_size)
{
    struct trace_directory *traces = &s->now->execution->traces;
    struct trace_feed feed = trace_feed_of(traces);
    struct trace_merge *merge = trace_merge_open(&feed, all, traces->count, error, error_size);
    enum trace_next next = merge ? TRACE_NEXT_END : TRACE_NEXT_FAILED;
    const struct pcomp_event_long *event;
    uint32_t at;
    bool behind = false; /* the window */
    while (merge && !s->failed && !behind && (next = trace_merge_next(merge, &at, &event)) == TRACE_NEXT_EVENT) {
        uint64_t ns = ns_of(s, event->time);
        behind = (double)ns > s->window->to;
        if (!behind)
            follow(s, links, at, event, ns);
    }
    for (at = 0; at < traces->count && !s->failed; at++) {
        uint64_t end = behind ? (uint64_t)s->window->to : s->locations[at].last;
        report_begun(s, at, end);
        report_ended(s, at, 0, end);
    }
    trace_merge_close(merge);
    return !s->failed && (behind || next == TRACE_NEXT_END);
}

/* Names of processes and threads. */
static void report_locations(struct trace_slices *s)
{
    const struct trace_directory *traces = &s->now->execution->traces;
    uint32_t named = UINT32_MAX;
    for (uint32_t i = 0; i < traces->count && !s->failed; i++) {
        const struct trace_location *location = &traces->locations[i];
        const struct pcomp_trace_header *header = &location->file->header;
        char process[200];
        snprintf(process, sizeof process, header->rank >= 0 ? "%s: rank %d" : "%s: pid %d", s->now->execution->title,
                 header->rank >= 0 ? header->rank : header->pid);
        char *process_name = text_clean(process), *name = text_clean(location->name);
        const struct trace_slice_location about = {.execution = (uint32_t)(s->now - s->executions),
                                                   .title = s->now->execution->title,
                                                   .pid = s->now->process + location->process + 1,
                                                   .tid = i + 1,
                                                   .process_name = process_name,
                                                   .name = name,
                                                   .first = location->process != named};
        named = location->process;
        s->failed |= !process_name || !name || !s->sink->location(s->sink->context, s->now->location + i, &about);
        free(process_name);
        free(name);
    }
}

static bool report_execution(struct trace_slices *s, char *error, size_t error_size)
{
    const struct trace_directory *traces = &s->now->execution->traces;
    uint32_t *all = calloc(traces->count + (size_t)1, sizeof *all);
    struct trace_link_location *ends = calloc(traces->count + (size_t)1, sizeof *ends);
    s->locations = calloc(traces->count + (size_t)1, sizeof *s->locations);
    for (uint32_t i = 0; all && ends && i < traces->count; i++) {
        all[i] = i;
        ends[i] = (struct trace_link_location){traces->locations[i].process, traces->locations[i].file->header.rank};
    }
    struct trace_links *links = all && ends ? trace_links_open(ends, traces->count, report_link, s) : NULL;
    s->failed |= !links || !s->locations;
    bool good = !s->failed;
    if (good) {
        report_locations(s);
        good = report_events(s, all, links, error, error_size);
    }
    for (uint32_t i = 0; s->locations && i < traces->count; i++) {
        trace_activity_free(&s->locations[i].activity);
        free(s->locations[i].slices);
    }
    trace_links_close(links);
    free(s->locations);
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

static bool make_names(struct trace_slices *s)
{
    uint32_t count = s->function_count = trace_functions_count(s->functions);
    s->names = calloc(count + TRACE_OPERATIONS + COLLECTIVES, sizeof *s->names);
    s->cleaned = calloc(count + (size_t)1, sizeof *s->cleaned);
    for (uint32_t i = 0; s->names && s->cleaned && i < count; i++) {
        s->names[i] = s->cleaned[i] = text_clean(trace_functions_name(s->functions, i));
        if (!s->names[i])
            return false;
    }
    for (uint32_t i = 0; s->names && i < TRACE_OPERATIONS; i++)
        s->names[count + i] = trace_operation_name((enum trace_operation)i);
    for (uint32_t i = 0; s->names && i < COLLECTIVES; i++)
        s->names[count + TRACE_OPERATIONS + i] = trace_collective_name(i);
    return s->names && s->cleaned;
}

/* All that is to be known before the first event is written. */
static bool prepare(struct trace_slices *s, struct trace_executions *executions, char *error, size_t error_size)
{
    uint32_t location = 0;
    s->functions = trace_functions_open();
    s->failed |= !s->functions;
    for (uint32_t i = 0; i < executions->count && !s->failed; i++) {
        uint64_t last;
        struct slice_execution *e = &s->executions[s->count++];
        e->execution = &executions->list[i];
        e->location = location;
        location += e->execution->traces.count;
        e->process = trace_functions_add(s->functions, &e->execution->traces);
        s->failed |= e->process == UINT32_MAX;
        if (!s->failed && !trace_functions_gather(s->functions, e->process, &e->execution->traces, &e->first, &last,
                                                  error, error_size))
            return false;
        e->span = s->failed ? 0 : (double)(last - e->first) * e->execution->traces.tick_ns;
    }
    s->failed = s->failed || !trace_functions_resolve(s->functions, warn_names, NULL) || !make_names(s);
    return !s->failed;
}

static bool no_memory(char *error, size_t error_size)
{
    snprintf(error, error_size, "out of memory");
    return false;
}

struct trace_slices *trace_slices_open(const char *dir, bool salvage, const char *command, char *error,
                                       size_t error_size)
{
    struct trace_slices *s = calloc(1, sizeof *s);
    if (!s) {
        no_memory(error, error_size);
        return NULL;
    }
    if (!trace_executions_open(dir, salvage, &s->opened, error, error_size)) {
        free(s);
        return NULL;
    }
    trace_executions_note(&s->opened, command);
    if (prepare(s, &s->opened, error, error_size))
        return s;
    if (s->failed)
        no_memory(error, error_size);
    trace_slices_close(s);
    return NULL;
}

void trace_slices_close(struct trace_slices *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->cleaned && i < s->function_count; i++)
        free(s->cleaned[i]);
    free(s->cleaned);
    free(s->names);
    trace_functions_close(s->functions);
    trace_executions_close(&s->opened);
    free(s);
}

double trace_slices_longest(const struct trace_slices *s)
{
    double longest = 0;
    for (uint32_t i = 0; i < s->count; i++)
        longest = fmax(longest, s->executions[i].span);
    return longest;
}

const char *const *trace_slices_names(const struct trace_slices *s, uint32_t *count)
{
    *count = s->function_count + TRACE_OPERATIONS + COLLECTIVES;
    return s->names;
}

bool trace_slices_report(struct trace_slices *s, const struct trace_window *window, const struct trace_slice_sink *sink,
                         char *error, size_t error_size)
{
    bool good = true;
    s->window = window;
    s->sink = sink;
    for (uint32_t i = 0; i < s->count && good; i++) {
        s->now = &s->executions[i];
        good = report_execution(s, error, error_size);
    }
    return s->failed ? no_memory(error, error_size) : good;
}
