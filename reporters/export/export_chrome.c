#include "reporters/export/export_chrome.h"

#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/base/text.h"
#include "reporters/trace/trace_activity.h"
#include "reporters/trace/trace_executions.h"
#include "reporters/trace/trace_functions.h"
#include "reporters/trace/trace_links.h"
#include "reporters/trace/trace_merge.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

struct chrome_location {
    struct trace_activity activity;
    uint32_t pid, tid;
    uint64_t last; /* tick of its last event so far */
};

struct chrome_execution {
    struct trace_execution *execution;
    uint32_t process; /* number of its first one in the functions */
    uint64_t first;   /* tick of the beginning */
};

struct chrome_export {
    FILE *out;
    struct trace_functions *functions;
    char **names; /* by function, quoted for JSON */
    uint64_t flows;
    bool begun;     /* an event has been written */
    bool failed;    /* out of memory */
    uint32_t count; /* of executions */
    struct chrome_execution executions[TRACE_EXECUTIONS_MOST];
    /* the execution that is being written */
    const struct chrome_execution *now;
    struct chrome_location *locations;
};

/* A JSON string, quoted, malloc'ed; NULL: out of memory. */
static char *chrome_quoted(const char *text)
{
    char *clean = text_clean(text);
    json_t *json = clean ? json_string(clean) : NULL;
    char *quoted = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
    json_decref(json);
    free(clean);
    return quoted;
}

static void chrome_event(struct chrome_export *x, char type, uint32_t location, uint64_t tick)
{
    double ns = (double)(tick - x->now->first) * x->now->execution->traces.tick_ns;
    uint64_t whole = (uint64_t)llround(ns);
    fprintf(x->out, "%s\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ".%03u", x->begun ? "," : "", type,
            x->locations[location].pid, x->locations[location].tid, whole / 1000, (unsigned)(whole % 1000));
    x->begun = true;
}

static void chrome_ends(struct chrome_export *x, uint32_t location, uint32_t count, uint64_t tick)
{
    while (count--) {
        chrome_event(x, 'E', location, tick);
        putc('}', x->out);
    }
}

/* The event began what has this value on the stack. */
static void chrome_begins(struct chrome_export *x, uint32_t location, uint64_t value,
                          const struct pcomp_event_long *event)
{
    uint32_t process = x->now->process + x->now->execution->traces.locations[location].process;
    chrome_event(x, 'B', location, event->time);
    if (value & TRACE_IS_OPERATION) {
        enum trace_operation operation = (enum trace_operation)(value & ~TRACE_IS_OPERATION);
        fprintf(x->out, ",\"cat\":\"operation\",\"name\":\"%s\"}",
                operation == TRACE_COLLECTIVE ? trace_collective_name(event->b >> 8 & 0xff)
                                              : trace_operation_name(operation));
        return;
    }
    uint32_t function = trace_functions_find(x->functions, process, value);
    x->failed |= function == UINT32_MAX;
    fprintf(x->out, ",\"cat\":\"function\",\"name\":%s}", x->failed ? "\"\"" : x->names[function]);
}

/* The flow binds to the innermost slice that is open at its ends: it is written before the one at `to` ends. */
static void chrome_flow(void *context, const struct trace_link *link)
{
    struct chrome_export *x = context;
    const char *name = trace_link_name(link->kind);
    x->flows++;
    chrome_event(x, 's', link->from, link->from_time);
    fprintf(x->out, ",\"id\":%" PRIu64 ",\"cat\":\"%s\",\"name\":\"%s\"}", x->flows, name, name);
    chrome_event(x, 'f', link->to, link->to_time);
    fprintf(x->out, ",\"bp\":\"e\",\"id\":%" PRIu64 ",\"cat\":\"%s\",\"name\":\"%s\"}", x->flows, name, name);
}

static void chrome_metadata(struct chrome_export *x, const char *what, uint32_t pid, uint32_t tid, const char *name)
{
    char *quoted = chrome_quoted(name);
    x->failed |= !quoted;
    fprintf(x->out, "%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_name\",\"args\":{\"name\":%s}}",
            x->begun ? "," : "", pid, tid, what, quoted ? quoted : "\"\"");
    fprintf(x->out, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%u}}",
            pid, tid, what, tid ? tid : pid);
    x->begun = true;
    free(quoted);
}

/* Names of processes and threads; processes have numbers of their own, because the measured and the approximated one
 * must not be the same. */
static void chrome_names(struct chrome_export *x)
{
    const struct trace_directory *traces = &x->now->execution->traces;
    uint32_t named = UINT32_MAX;
    for (uint32_t i = 0; i < traces->count; i++) {
        const struct trace_location *location = &traces->locations[i];
        const struct pcomp_trace_header *header = &location->file->header;
        struct chrome_location *l = &x->locations[i];
        char name[120];
        l->pid = x->now->process + location->process + 1;
        l->tid = i + 1;
        if (location->process != named) {
            snprintf(name, sizeof name, header->rank >= 0 ? "%s: rank %d" : "%s: pid %d", x->now->execution->title,
                     header->rank >= 0 ? header->rank : header->pid);
            chrome_metadata(x, "process", l->pid, 0, name);
            named = location->process;
        }
        chrome_metadata(x, "thread", l->pid, l->tid, location->name);
    }
}

static bool chrome_events(struct chrome_export *x, const uint32_t *all, struct trace_links *links, char *error,
                          size_t error_size)
{
    struct trace_directory *traces = &x->now->execution->traces;
    struct trace_feed feed = trace_feed_of(traces);
    struct trace_merge *merge = trace_merge_open(&feed, all, traces->count, error, error_size);
    enum trace_next next = merge ? TRACE_NEXT_END : TRACE_NEXT_FAILED;
    const struct pcomp_event_long *event;
    uint32_t at;
    while (merge && !x->failed && (next = trace_merge_next(merge, &at, &event)) == TRACE_NEXT_EVENT) {
        struct chrome_location *l = &x->locations[at];
        struct trace_change change;
        bool flows_first = l->activity.open; /* the flow's end lies in the operation that may end now */
        x->failed |= flows_first && !trace_links_follow(links, at, event);
        x->failed |= !trace_activity_follow(&l->activity, event, &change);
        chrome_ends(x, at, change.left, event->time);
        if (change.entered && !x->failed)
            chrome_begins(x, at, l->activity.stack.functions[l->activity.stack.depth - 1], event);
        x->failed |= !flows_first && !trace_links_follow(links, at, event);
        l->last = event->time;
    }
    for (at = 0; at < traces->count && !x->failed; at++)
        chrome_ends(x, at, x->locations[at].activity.stack.depth, x->locations[at].last);
    trace_merge_close(merge);
    return !x->failed && next == TRACE_NEXT_END;
}

static bool chrome_execution(struct chrome_export *x, char *error, size_t error_size)
{
    const struct trace_directory *traces = &x->now->execution->traces;
    uint32_t *all = calloc(traces->count + (size_t)1, sizeof *all);
    struct trace_link_location *ends = calloc(traces->count + (size_t)1, sizeof *ends);
    x->locations = calloc(traces->count + (size_t)1, sizeof *x->locations);
    for (uint32_t i = 0; all && ends && i < traces->count; i++) {
        all[i] = i;
        ends[i] = (struct trace_link_location){traces->locations[i].process, traces->locations[i].file->header.rank};
    }
    struct trace_links *links = all && ends ? trace_links_open(ends, traces->count, chrome_flow, x) : NULL;
    bool good = links && x->locations;
    if (good) {
        chrome_names(x);
        good = chrome_events(x, all, links, error, error_size);
    }
    x->failed |= !links || !x->locations;
    for (uint32_t i = 0; x->locations && i < traces->count; i++)
        trace_activity_free(&x->locations[i].activity);
    trace_links_close(links);
    free(x->locations);
    free(all);
    free(ends);
    return good;
}

static void warn_names(void *context, const char *text)
{
    (void)context;
    message_note("note: %s", text);
}

/* All that is to be known before the first event is written. */
static bool chrome_prepare(struct chrome_export *x, struct trace_executions *executions, char *error, size_t error_size)
{
    x->functions = trace_functions_open();
    x->failed |= !x->functions;
    for (uint32_t i = 0; i < executions->count && !x->failed; i++) {
        uint64_t last;
        struct chrome_execution *e = &x->executions[x->count++];
        e->execution = &executions->list[i];
        e->process = trace_functions_add(x->functions, &e->execution->traces);
        x->failed |= e->process == UINT32_MAX;
        if (!x->failed && !trace_functions_gather(x->functions, e->process, &e->execution->traces, &e->first, &last,
                                                  error, error_size))
            return false;
    }
    x->failed = x->failed || !trace_functions_resolve(x->functions, warn_names, NULL);
    uint32_t count = x->failed ? 0 : trace_functions_count(x->functions);
    x->names = calloc(count + (size_t)1, sizeof *x->names);
    x->failed |= !x->names;
    for (uint32_t i = 0; i < count && !x->failed; i++) {
        x->names[i] = chrome_quoted(trace_functions_name(x->functions, i));
        x->failed |= !x->names[i];
    }
    return !x->failed;
}

static bool chrome_write(struct chrome_export *x, const char *dir, char *error, size_t error_size)
{
    char *quoted = chrome_quoted(dir);
    bool good = quoted;
    x->failed |= !quoted;
    fprintf(x->out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"pcomp\",\"directory\":%s},\"traceEvents\":[",
            quoted ? quoted : "\"\"");
    free(quoted);
    for (uint32_t i = 0; i < x->count && good; i++) {
        x->now = &x->executions[i];
        good = chrome_execution(x, error, error_size);
    }
    fputs("\n]}\n", x->out);
    return good;
}

int export_chrome(const char *dir, bool salvage, const char *path)
{
    struct trace_executions executions;
    struct chrome_export x = {.count = 0};
    struct output_file file;
    char error[1024] = "";
    if (!trace_executions_open(dir, salvage, &executions, error, sizeof error))
        return message_failure("export: %s", error);
    trace_executions_note(&executions, "export");
    bool opened = false, kept = false, good = chrome_prepare(&x, &executions, error, sizeof error);
    if (good && (opened = output_file_open(&file, path))) {
        x.out = file.stream;
        good = chrome_write(&x, dir, error, sizeof error);
        kept = output_file_close(&file, good);
    }
    for (uint32_t i = 0; x.names && i < trace_functions_count(x.functions); i++)
        free(x.names[i]);
    free(x.names);
    trace_functions_close(x.functions);
    trace_executions_close(&executions);
    if (x.failed)
        return message_no_memory("export");
    if (!good)
        return message_failure("export: %s", error);
    return opened && kept ? STATUS_DONE : STATUS_BAD;
}
