#include "reporters/liberal/liberal_remap.h"

#include "compensation/numeric/array.h"
#include "reporters/trace/event_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT64_MAX
#define NOWHERE UINT32_MAX

/* A phase that is under way. Of a barrier: all members stand before it. Of threads: those that have been created since
 * their creator last joined one. */
struct meeting {
    bool open;
    uint32_t process;
    uint64_t object;  /* of the barrier; threads: 0 */
    uint32_t creator; /* of the threads: a location; barrier: NOWHERE */
    uint32_t created; /* threads, or regions, whose END is still to come */
    bool joining;     /* there will be no more */
    uint64_t exit;    /* barrier: tick of the first exit; NOT_YET */
};

struct token { /* a thread that was created, by its name */
    uint32_t process, meeting;
    uint64_t name;
};

struct remap {
    const struct trace_directory *traces;
    const struct liberal_option *option;
    struct liberal_location *locations;
    struct liberal_output *outputs;
    uint32_t *at; /* by location: the meeting that it stands before; NOWHERE */
    bool *ended;
    struct meeting *meetings;
    uint32_t meeting_count;
    struct token *tokens;
    size_t token_count, token_room;
    struct liberal_member *members; /* for one meeting */
    size_t bytes;
    struct liberal_counts *counts;
    char *error;
    size_t error_size;
};

static bool fail(struct remap *r, const char *what)
{
    snprintf(r->error, r->error_size, "%s: %s", r->traces->path, what);
    return false;
}

static bool is_free(const struct remap *r, uint32_t location)
{
    return !r->ended[location] && r->at[location] == NOWHERE;
}

/* --- Moving on -----------------------------------------------------------------------------------------------------
 */

/* Reads the next segment of a location. What cannot be kept is written at once. */
static bool read_on(struct remap *r, uint32_t i)
{
    struct liberal_location *l = &r->locations[i];
    const struct liberal_member member = {l, &r->outputs[i]};
    enum liberal_step step;
    while ((step = liberal_location_read(l, r->error, r->error_size)) == LIBERAL_LONG) {
        if (!liberal_phase_copy(&member))
            return fail(r, strerror(errno));
        liberal_location_taken(l);
    }
    if (step == LIBERAL_FAILED || l->closed)
        return step != LIBERAL_FAILED;
    if (l->unit_count) {
        liberal_location_fail(l, l->unit_event,
                              "a unit of the loop after which no barrier, join or end of the thread comes (its phase "
                              "is not known)",
                              r->error, r->error_size);
        return false;
    }
    r->ended[i] = true;
    bool good = liberal_phase_copy(&member);
    liberal_location_taken(l);
    return good || fail(r, strerror(errno));
}

static bool pass(struct remap *r, uint32_t i)
{
    struct liberal_location *l = &r->locations[i];
    char text[200], buffer[16];
    const char *name = event_kind_name(pcomp_event_kind((const struct pcomp_event *)&l->close), buffer);
    if (l->in_unit)
        snprintf(text, sizeof text, "a %s in a unit of the loop: only events that depend on no other location move",
                 name);
    else
        snprintf(text, sizeof text, "a %s between units of the loop and the barrier or join that ends their phase",
                 name);
    if (l->unit_count) {
        liberal_location_fail(l, l->close_event, text, r->error, r->error_size);
        return false;
    }
    const struct liberal_member member = {l, &r->outputs[i]};
    if (!liberal_phase_copy(&member))
        return fail(r, strerror(errno));
    liberal_location_taken(l);
    return read_on(r, i);
}

/* All who take part stand before the meeting: re-maps the phase and lets them go on. */
static bool end_meeting(struct remap *r, uint32_t meeting)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->traces->count; i++)
        if (r->at[i] == meeting)
            r->members[count++] = (struct liberal_member){&r->locations[i], &r->outputs[i]};
    r->meetings[meeting].open = false;
    for (size_t t = 0; t < r->token_count;) /* threads whose end is not in the traces */
        if (r->tokens[t].meeting == meeting)
            r->tokens[t] = r->tokens[--r->token_count];
        else
            t++;
    if (!liberal_phase_write(&r->option->schedule, r->members, count, r->counts, r->error, r->error_size))
        return false;
    for (uint32_t i = 0; i < r->traces->count; i++) {
        if (r->at[i] != meeting)
            continue;
        r->at[i] = NOWHERE;
        liberal_location_taken(&r->locations[i]);
        if (!read_on(r, i))
            return false;
    }
    return true;
}

/* --- Who meets whom ------------------------------------------------------------------------------------------------
 */

static uint32_t find_meeting(const struct remap *r, uint32_t process, uint64_t object, uint32_t creator)
{
    for (uint32_t m = 0; m < r->meeting_count; m++) {
        const struct meeting *is = &r->meetings[m];
        if (is->open && is->creator == creator && is->process == process && is->object == object && !is->joining)
            return m;
    }
    return NOWHERE;
}

static uint32_t make_meeting(struct remap *r, const struct meeting *made)
{
    uint32_t m = 0;
    while (m < r->meeting_count && r->meetings[m].open)
        m++;
    if (m == r->meeting_count) {
        struct meeting *meetings = reallocarray(r->meetings, r->meeting_count + 1, sizeof *meetings);
        if (!meetings) {
            fail(r, "out of memory");
            return NOWHERE;
        }
        r->meetings = meetings;
        r->meeting_count++;
    }
    r->meetings[m] = *made;
    return m;
}

static bool enter_barrier(struct remap *r, uint32_t i)
{
    struct liberal_location *l = &r->locations[i];
    uint64_t object = l->close.what & PCOMP_EVENT_VALUE, exit = liberal_location_exit(l, r->error, r->error_size);
    uint32_t process = r->traces->locations[i].process, m = find_meeting(r, process, object, NOWHERE);
    if (m == NOWHERE) {
        m = make_meeting(
            r, &(struct meeting){.open = true, .process = process, .object = object, .creator = NOWHERE, .exit = exit});
        if (m == NOWHERE)
            return false;
    }
    r->at[i] = m;
    if (exit < r->meetings[m].exit)
        r->meetings[m].exit = exit;
    return true;
}

static bool create(struct remap *r, uint32_t i)
{
    uint32_t process = r->traces->locations[i].process, m = find_meeting(r, process, 0, i);
    if (m == NOWHERE)
        m = make_meeting(r, &(struct meeting){.open = true, .process = process, .creator = i, .exit = NOT_YET});
    if (m == NOWHERE)
        return false;
    if (!ARRAY_ROOM(r->tokens, r->token_count, r->token_room))
        return fail(r, "out of memory");
    r->tokens[r->token_count++] = (struct token){process, m, r->locations[i].close.what & PCOMP_EVENT_VALUE};
    r->meetings[m].created++;
    return true;
}

/* The thread's last event. Its name may come again for another thread. */
static bool end(struct remap *r, uint32_t i)
{
    uint64_t name = r->locations[i].close.what & PCOMP_EVENT_VALUE;
    size_t t = 0;
    while (t < r->token_count && (r->tokens[t].process != r->traces->locations[i].process || r->tokens[t].name != name))
        t++;
    if (t == r->token_count)
        return pass(r, i); /* its creator is not known, or it is another thread of a region */
    uint32_t m = r->tokens[t].meeting;
    r->tokens[t] = r->tokens[--r->token_count];
    r->at[i] = m;
    return --r->meetings[m].created || !r->meetings[m].joining || end_meeting(r, m);
}

/* A thread that begins to join creates no more threads of the phase, and may have run units itself. */
static bool join(struct remap *r, uint32_t i)
{
    uint32_t m = find_meeting(r, r->traces->locations[i].process, 0, i);
    if (m == NOWHERE)
        return pass(r, i);
    r->meetings[m].joining = true;
    r->at[i] = m;
    return r->meetings[m].created || end_meeting(r, m);
}

/* Handles the event that ends the segment of a location: the earliest there is. */
static bool handle(struct remap *r, uint32_t i)
{
    uint32_t kind = pcomp_event_kind((const struct pcomp_event *)&r->locations[i].close);
    if (r->locations[i].in_unit)
        return pass(r, i);
    if (kind == PCOMP_EVENT_BARRIER_ENTER)
        return enter_barrier(r, i);
    if (kind == PCOMP_EVENT_END)
        return end(r, i);
    if (kind == PCOMP_EVENT_JOIN_BEGIN)
        return join(r, i);
    return (kind != PCOMP_EVENT_CREATE || create(r, i)) && pass(r, i);
}

/* The earliest meeting that is over when the segment of `next` ends; NOWHERE: of all, as no location can go on. */
static uint32_t due(const struct remap *r, uint32_t next)
{
    uint32_t first = NOWHERE;
    for (uint32_t m = 0; m < r->meeting_count; m++)
        if (r->meetings[m].open && (next == NOWHERE || r->meetings[m].exit < r->locations[next].close.time) &&
            (first == NOWHERE || r->meetings[m].exit < r->meetings[first].exit))
            first = m;
    return first;
}

static bool run(struct remap *r)
{
    for (uint32_t i = 0; i < r->traces->count; i++)
        if (!read_on(r, i))
            return false;
    for (;;) {
        uint32_t next = NOWHERE;
        for (uint32_t i = 0; i < r->traces->count; i++)
            if (is_free(r, i) && (next == NOWHERE || r->locations[i].close.time < r->locations[next].close.time))
                next = i;
        uint32_t m = due(r, next);
        if (m != NOWHERE ? !end_meeting(r, m) : next != NOWHERE && !handle(r, next))
            return false;
        if (m == NOWHERE && next == NOWHERE)
            return true;
    }
}

/* --- Files ---------------------------------------------------------------------------------------------------------
 */

static bool open_location(struct remap *r, uint32_t i, struct trace_functions *functions, const char *conservative,
                          const char *to)
{
    struct liberal_location *l = &r->locations[i];
    char path[TRACE_WRITER_PATH];
    const struct trace_file *from = r->traces->locations[i].file;
    struct pcomp_trace_header header = from->header;
    *l = (struct liberal_location){
        .traces = r->traces, .functions = functions, .function = r->option->function, .index = i, .bytes = &r->bytes};
    r->at[i] = NOWHERE;
    if (!liberal_location_open(l))
        return fail(r, "out of memory");
    trace_writer_path(from->path, conservative, path);
    l->approximated = trace_file_open(path, false, r->error, r->error_size);
    if (!l->approximated)
        return false;
    header.flags |= PCOMP_TRACE_REMAPPED;
    trace_writer_path(from->path, to, path);
    return liberal_output_open(&r->outputs[i], path, &header, from->first_event, r->error, r->error_size);
}

static bool make(struct remap *r, struct trace_functions *functions, const char *conservative, const char *to)
{
    uint32_t count = r->traces->count;
    r->locations = calloc(count, sizeof *r->locations);
    r->outputs = calloc(count, sizeof *r->outputs);
    r->at = calloc(count, sizeof *r->at);
    r->ended = calloc(count, sizeof *r->ended);
    r->members = calloc(count, sizeof *r->members);
    bool good = r->locations && r->outputs && r->at && r->ended && r->members;
    if (!good)
        fail(r, "out of memory");
    for (uint32_t i = 0; good && i < count; i++)
        good = open_location(r, i, functions, conservative, to);
    good = good && run(r);
    for (uint32_t i = 0; r->outputs && i < count; i++)
        if (!liberal_output_close(&r->outputs[i]) && good)
            good = fail(r, strerror(errno));
    for (uint32_t i = 0; r->locations && i < count; i++)
        liberal_location_close(&r->locations[i]);
    free(r->locations);
    free(r->outputs);
    free(r->at);
    free(r->ended);
    free(r->members);
    free(r->meetings);
    free(r->tokens);
    return good;
}

static bool open_remapped(const struct trace_directory *measured, const char *to, struct trace_directory *remapped,
                          char *error, size_t error_size)
{
    remapped->locations = calloc(measured->count, sizeof *remapped->locations);
    if (!remapped->locations) {
        snprintf(error, error_size, "%s: out of memory", to);
        return false;
    }
    for (uint32_t i = 0; i < measured->count; i++) {
        char path[TRACE_WRITER_PATH];
        trace_writer_path(measured->locations[i].file->path, to, path);
        remapped->locations[i] = measured->locations[i];
        remapped->locations[i].clock = (struct trace_clock){.same = true};
        remapped->locations[i].file = trace_file_open(path, false, error, error_size);
        remapped->count = i + (remapped->locations[i].file != NULL);
        if (!remapped->locations[i].file)
            return false;
    }
    return true;
}

bool liberal_remap(const struct trace_directory *measured, struct trace_functions *functions, const char *conservative,
                   const struct liberal_option *option, const char *to, struct trace_directory *remapped,
                   struct liberal_counts *counts, char *error, size_t error_size)
{
    struct remap r = {.traces = measured, .option = option, .counts = counts, .error = error, .error_size = error_size};
    *remapped = *measured;
    remapped->locations = NULL;
    remapped->count = 0;
    *counts = (struct liberal_counts){0};
    if (!make(&r, functions, conservative, to))
        return false;
    if (!counts->units) {
        snprintf(error, error_size,
                 "%s: no activation of %s in the traces (name the function that is one unit of the "
                 "loop)",
                 measured->path, option->function);
        return false;
    }
    return open_remapped(measured, to, remapped, error, error_size);
}

void liberal_remap_close(struct trace_directory *remapped)
{
    for (uint32_t i = 0; i < remapped->count; i++)
        trace_file_close(remapped->locations[i].file);
    free(remapped->locations);
}
