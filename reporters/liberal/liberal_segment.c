#include "reporters/liberal/liberal_segment.h"

#include "compensation/numeric/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void liberal_location_fail(const struct liberal_location *l, uint64_t event, const char *why, char *error,
                           size_t error_size)
{
    snprintf(error, error_size, "%s: %s, event %" PRIu64 ": %s (--liberal %s)", l->traces->path,
             l->traces->locations[l->index].name, event, why, l->function);
}

static bool no_memory(const struct liberal_location *l, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s: out of memory", l->traces->path);
    return false;
}

bool liberal_location_open(struct liberal_location *l)
{
    trace_file_rewind(l->traces->locations[l->index].file);
    l->asked = LIBERAL_NO_CALLER;
    l->blocks[0] = malloc(LIBERAL_BLOCK);
    l->blocks[1] = malloc(LIBERAL_BLOCK);
    l->event = l->traces->locations[l->index].file->first_event;
    return l->blocks[0] && l->blocks[1];
}

void liberal_location_close(struct liberal_location *l)
{
    trace_file_close(l->approximated);
    trace_stack_free(&l->stack);
    free(l->blocks[0]);
    free(l->blocks[1]);
    free(l->records);
    free(l->times);
    free(l->units);
}

/* --- Reading -------------------------------------------------------------------------------------------------------
 */

/* Reads more behind what there is. Returns bytes, 0 at the end, -1 after writing to error. */
static int64_t fill(struct liberal_location *l, char *error, size_t error_size)
{
    size_t left = l->size - l->at;
    for (int i = 0; i < 2; i++)
        memmove(l->blocks[i], l->blocks[i] + l->at, left);
    l->at = 0;
    l->size = left;
    int64_t size =
        trace_directory_read(l->traces, l->index, l->blocks[0] + left, LIBERAL_BLOCK - left, error, error_size);
    for (int64_t got = 0, more; got < size; got += more) {
        more = trace_file_read(l->approximated, l->blocks[1] + left + got, (size_t)(size - got), error, error_size);
        if (more < 0)
            return -1;
        if (!more) {
            snprintf(error, error_size, "%s: ends before the measured trace", l->approximated->path);
            return -1;
        }
    }
    l->size += size > 0 ? (size_t)size : 0;
    return size;
}

uint64_t liberal_location_exit(struct liberal_location *l, char *error, size_t error_size)
{
    if (l->size - l->at < LIBERAL_BLOCK / 2 && fill(l, error, error_size) < 0)
        return UINT64_MAX; /* found again by the next read */
    for (size_t at = l->at; at < l->size;) {
        const struct pcomp_event *e = (const struct pcomp_event *)(const void *)(l->blocks[0] + at);
        if (pcomp_event_kind(e) == PCOMP_EVENT_BARRIER_EXIT)
            return e->time;
        at += pcomp_event_size(e);
    }
    return UINT64_MAX;
}

/* --- Units ---------------------------------------------------------------------------------------------------------
 */

static bool is_named(const char *name, const char *function)
{
    size_t length = strlen(function); /* C++: with its parameters, or without */
    return !strncmp(name, function, length) && (!name[length] || name[length] == '(');
}

static bool is_function(struct liberal_location *l, uint64_t value)
{
    if (value != l->asked) {
        uint32_t number = trace_functions_find(l->functions, l->traces->locations[l->index].process, value);
        l->asked = value;
        l->is_function = number != UINT32_MAX && is_named(trace_functions_name(l->functions, number), l->function);
    }
    return l->is_function;
}

static uint64_t active(const struct liberal_location *l)
{
    return l->stack.depth ? l->stack.functions[l->stack.depth - 1] : LIBERAL_NO_CALLER;
}

static bool add_unit(struct liberal_location *l, char *error, size_t error_size)
{
    if (l->unit_count && (l->stack.depth != l->base || l->lowest < l->base)) {
        liberal_location_fail(l, l->event,
                              "a unit of the loop is called elsewhere than the one before it (a phase has one loop)",
                              error, error_size);
        return false;
    }
    if (!ARRAY_ROOM(l->units, l->unit_count, l->unit_room))
        return no_memory(l, error, error_size);
    if (!l->unit_count)
        l->caller = active(l);
    l->base = l->stack.depth;
    l->units[l->unit_count++] = (struct liberal_unit){.enter = l->used};
    l->unit_event = l->event;
    l->in_unit = true;
    return true;
}

/* Follows an independent record, which is about to be put at l->used. */
static bool follow(struct liberal_location *l, const struct pcomp_event *e, char *error, size_t error_size)
{
    uint32_t kind = pcomp_event_kind(e);
    if (kind == PCOMP_EVENT_ENTER) {
        if (!l->in_unit && is_function(l, pcomp_event_value(e)) && !add_unit(l, error, error_size))
            return false;
        return trace_stack_enter(&l->stack, pcomp_event_value(e)) || no_memory(l, error, error_size);
    }
    if (kind == PCOMP_EVENT_EXIT)
        trace_stack_exit(&l->stack, pcomp_event_value(e));
    else if (kind == PCOMP_EVENT_COUNTED)
        trace_stack_count(&l->stack, pcomp_event_value(e));
    else if (kind == PCOMP_EVENT_UNWIND)
        trace_stack_unwind(&l->stack, pcomp_event_value(e));
    if (l->in_unit && l->stack.depth < l->base) {
        liberal_location_fail(l, l->event, "ends a unit of the loop that has no exit of its own", error, error_size);
        return false;
    }
    if (l->in_unit && l->stack.depth == l->base) {
        l->units[l->unit_count - 1].last = l->used;
        l->units[l->unit_count - 1].end = l->used + pcomp_event_size(e);
        l->in_unit = false;
        l->lowest = l->stack.depth;
    }
    l->lowest = l->stack.depth < l->lowest ? l->stack.depth : l->lowest;
    return true;
}

/* --- Segments ------------------------------------------------------------------------------------------------------
 */

static bool grow(struct liberal_location *l)
{
    size_t room = l->room ? l->room * 2 : 4096;
    unsigned char *records = realloc(l->records, room);
    if (!records)
        return false;
    l->records = records;
    uint64_t *times = realloc(l->times, room / sizeof(struct pcomp_event) * sizeof *times);
    if (!times)
        return false;
    l->times = times;
    l->room = room;
    return true;
}

static bool put(struct liberal_location *l, const struct pcomp_event *e, uint64_t approximated, char *error,
                size_t error_size)
{
    size_t size = pcomp_event_size(e);
    if (l->room - l->used < size && !grow(l))
        return no_memory(l, error, error_size);
    memcpy(l->records + l->used, e, size);
    l->times[l->used / sizeof *e] = approximated;
    l->used += size;
    *l->bytes += size;
    if (*l->bytes <= LIBERAL_MAX)
        return true;
    liberal_location_fail(l, l->event,
                          "the phase of the loop has more than 256 MiB of events, which is all that is kept", error,
                          error_size);
    return false;
}

void liberal_location_taken(struct liberal_location *l)
{
    if (l->closed) {
        l->before = (struct pcomp_event){l->close.time, l->close.what};
        l->before_approximated = l->close_approximated;
        l->incomplete = false;
    }
    *l->bytes -= l->used;
    l->used = l->unit_count = 0;
    l->closed = false;
}

enum liberal_step liberal_location_read(struct liberal_location *l, char *error, size_t error_size)
{
    if (!l->incomplete)
        l->caller = active(l);
    for (;;) {
        if (l->at == l->size) {
            int64_t size = fill(l, error, error_size);
            if (size < 0)
                return LIBERAL_FAILED;
            if (!size)
                return LIBERAL_SEGMENT;
        }
        const struct pcomp_event *e = (const struct pcomp_event *)(void *)(l->blocks[0] + l->at);
        uint64_t approximated = ((const struct pcomp_event *)(void *)(l->blocks[1] + l->at))->time;
        uint32_t size = pcomp_event_size(e);
        if (!pcomp_event_is_independent(pcomp_event_kind(e))) {
            l->closed = true;
            l->close = (struct pcomp_event_long){.time = 0};
            memcpy(&l->close, e, size);
            l->close_approximated = approximated;
            l->close_event = l->event++;
            l->at += size;
            return LIBERAL_SEGMENT;
        }
        if (!l->unit_count && l->used >= LIBERAL_WITHOUT_UNITS) {
            l->incomplete = true;
            return LIBERAL_LONG;
        }
        if (!follow(l, e, error, error_size) || !put(l, e, approximated, error, error_size))
            return LIBERAL_FAILED;
        l->at += size;
        l->event++;
    }
}
