#include "reporters/timeline/timeline_rows.h"

#include "reporters/trace/trace_activity.h"
#include "reporters/trace/trace_merge.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHARES = 16, LINES_SEEN = 1 << 14 };

struct share { /* of the column that is being filled */
    uint32_t cell;
    uint64_t ticks;
};

struct row_state {
    struct trace_activity activity;
    struct share shares[SHARES]; /* of more, the smallest gives way */
    uint32_t share_count;
    uint32_t column; /* being filled */
    uint32_t cell;   /* what the location does now */
    uint64_t since;
    uint64_t column_end; /* tick */
    bool flushed;        /* in this column */
};

struct condensing {
    struct timeline_rows *out;
    struct trace_functions *functions;
    uint64_t from, to; /* ticks of the view */
    double column_ticks;
    struct row_state *states;
    uint64_t lines_found;
    uint64_t *seen; /* lines drawn lately: hash of where they lie */
    bool failed;    /* out of memory */
};

static uint64_t column_end(const struct condensing *c, uint32_t column)
{
    return column + 1 >= c->out->columns ? c->to : c->from + (uint64_t)((double)(column + 1) * c->column_ticks);
}

static void share_add(struct row_state *state, uint32_t cell, uint64_t ticks)
{
    uint32_t i = 0, min = 0;
    for (; i < state->share_count; i++) {
        if (state->shares[i].cell == cell) {
            state->shares[i].ticks += ticks;
            return;
        }
        min = state->shares[i].ticks < state->shares[min].ticks ? i : min;
    }
    i = i < SHARES ? state->share_count++ : min;
    state->shares[i] = (struct share){cell, ticks};
}

/* The column is full, or the location has ended in it. */
static void close_column(struct condensing *c, uint32_t row)
{
    struct row_state *state = &c->states[row];
    uint32_t max = 0;
    for (uint32_t i = 1; i < state->share_count; i++)
        max = state->shares[i].ticks > state->shares[max].ticks ? i : max;
    uint32_t cell = state->share_count ? state->shares[max].cell : TIMELINE_NOTHING;
    c->out->cells[(size_t)row * c->out->columns + state->column] = cell | (state->flushed ? TIMELINE_FLUSHED : 0);
    state->share_count = 0;
    state->flushed = false;
    state->column++;
    state->column_end = column_end(c, state->column);
}

/* Until this tick, the location did what it does now. */
static void spend(struct condensing *c, uint32_t row, uint64_t until)
{
    struct row_state *state = &c->states[row];
    uint64_t at = state->since > c->from ? state->since : c->from, end = until < c->to ? until : c->to;
    state->since = until;
    if (at >= end)
        return;
    state->flushed |= state->cell == TIMELINE_FLUSH;
    if (state->cell >= TIMELINE_FUNCTION)
        c->out->times[state->cell - TIMELINE_FUNCTION] += (double)(end - at);
    while (at < end && state->column < c->out->columns) {
        uint64_t stop = end < state->column_end ? end : state->column_end;
        if (stop > at && state->cell != TIMELINE_NOTHING)
            share_add(state, state->cell, stop - at);
        at = stop > at ? stop : at;
        if (at >= state->column_end)
            close_column(c, row);
    }
}

/* What the location does now, from the top of its stack. */
static uint32_t current_cell(struct condensing *c, const struct trace_activity *activity, uint32_t process)
{
    if (!activity->stack.depth)
        return activity->ended ? TIMELINE_NOTHING : TIMELINE_OUTSIDE;
    uint64_t top = activity->stack.functions[activity->stack.depth - 1];
    if (top == (TRACE_IS_OPERATION | TRACE_FLUSH))
        return TIMELINE_FLUSH;
    if (top == (TRACE_IS_OPERATION | TRACE_PAUSE))
        return TIMELINE_OUTSIDE;
    if (top & TRACE_IS_OPERATION)
        return TIMELINE_WAITING;
    uint32_t function = trace_functions_find(c->functions, process, top);
    return function < c->out->time_count ? TIMELINE_FUNCTION + function : TIMELINE_OUTSIDE;
}

static void follow_row(struct condensing *c, uint32_t row, const struct pcomp_event_long *event, uint32_t process)
{
    struct row_state *state = &c->states[row];
    struct trace_change change;
    uint32_t kind = pcomp_event_kind((const struct pcomp_event *)event);
    spend(c, row, event->time);
    c->failed |= !trace_activity_follow(&state->activity, event, &change);
    if (change.left || change.entered || state->cell == TIMELINE_NOTHING || kind == PCOMP_EVENT_END)
        state->cell = current_cell(c, &state->activity, process);
}

/* Every second line goes, when there are too many. */
static void thin_lines(struct condensing *c)
{
    struct timeline_rows *out = c->out;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->line_count; i += 2)
        out->lines[kept++] = out->lines[i];
    out->line_count = kept;
    out->line_step *= 2;
}

static void line_found(void *context, const struct trace_link *link)
{
    struct condensing *c = context;
    struct timeline_rows *out = c->out;
    if (link->from == link->to || (link->from_time < c->from && link->to_time < c->from) ||
        (link->from_time > c->to && link->to_time > c->to))
        return;
    struct timeline_line line = {.from_row = link->from,
                                 .to_row = link->to,
                                 .from_x = ((double)link->from_time - (double)c->from) / c->column_ticks,
                                 .to_x = ((double)link->to_time - (double)c->from) / c->column_ticks,
                                 .kind = link->kind};
    /* Where one lies already, another adds nothing to see. */
    uint64_t place =
        (((uint64_t)link->from * out->rows + link->to) * out->columns + (uint64_t)(int64_t)line.from_x) * out->columns +
        (uint64_t)(int64_t)line.to_x;
    uint64_t hash = (place + 1) * 0x9e3779b97f4a7c15u;
    if (c->seen[hash % LINES_SEEN] == hash)
        return;
    c->seen[hash % LINES_SEEN] = hash;
    if (c->lines_found++ % out->line_step)
        return;
    if (out->line_count == TIMELINE_LINES_MAX)
        thin_lines(c);
    out->lines[out->line_count++] = line;
}

static bool condense_events(struct condensing *c, struct trace_directory *traces, struct trace_links *links,
                            uint32_t process, char *error, size_t error_size)
{
    struct trace_feed feed = trace_feed_of(traces);
    struct trace_merge *merge = trace_merge_open(&feed, c->out->locations, c->out->rows, error, error_size);
    enum trace_next next = merge ? TRACE_NEXT_END : TRACE_NEXT_FAILED;
    const struct pcomp_event_long *event;
    uint32_t row;
    while (merge && !c->failed && (next = trace_merge_next(merge, &row, &event)) == TRACE_NEXT_EVENT) {
        follow_row(c, row, event, process + traces->locations[c->out->locations[row]].process);
        c->failed |= !trace_links_follow(links, row, event);
    }
    for (row = 0; row < c->out->rows; row++)
        if (c->states[row].column < c->out->columns && c->states[row].share_count)
            close_column(c, row);
    trace_merge_close(merge);
    if (c->failed)
        snprintf(error, error_size, "out of memory");
    return !c->failed && next == TRACE_NEXT_END;
}

static struct trace_links *open_links(struct condensing *c, const struct trace_directory *traces)
{
    struct trace_link_location *ends = calloc(c->out->rows + (size_t)1, sizeof *ends);
    for (uint32_t row = 0; ends && row < c->out->rows; row++) {
        const struct trace_location *location = &traces->locations[c->out->locations[row]];
        ends[row] = (struct trace_link_location){location->process, location->file->header.rank};
    }
    struct trace_links *links = ends ? trace_links_open(ends, c->out->rows, line_found, c) : NULL;
    free(ends);
    return links;
}

bool timeline_condense(struct trace_directory *traces, struct trace_functions *functions, uint32_t process,
                       uint64_t first, const struct timeline_view *view, struct timeline_rows *rows, char *error,
                       size_t error_size)
{
    uint32_t count = traces->count < view->rows_max ? traces->count : view->rows_max;
    *rows = (struct timeline_rows){
        .rows = count, .columns = view->columns, .line_step = 1, .time_count = trace_functions_count(functions)};
    struct condensing c = {.out = rows,
                           .functions = functions,
                           .from = first + (uint64_t)(view->from / traces->tick_ns),
                           .to = first + (uint64_t)(view->to / traces->tick_ns) + 1,
                           .states = calloc(count + (size_t)1, sizeof *c.states),
                           .seen = calloc(LINES_SEEN, sizeof *c.seen)};
    c.column_ticks = (double)(c.to - c.from) / view->columns;
    rows->locations = calloc(count + (size_t)1, sizeof *rows->locations);
    rows->cells = calloc((size_t)count * view->columns + 1, sizeof *rows->cells);
    rows->lines = calloc(TIMELINE_LINES_MAX, sizeof *rows->lines);
    rows->times = calloc(rows->time_count + (size_t)1, sizeof *rows->times);
    bool good = c.states && c.seen && rows->locations && rows->cells && rows->lines && rows->times;
    for (uint32_t row = 0; good && row < count; row++) {
        rows->locations[row] = (uint32_t)((uint64_t)row * traces->count / count);
        c.states[row].column_end = column_end(&c, 0);
    }
    struct trace_links *links = good ? open_links(&c, traces) : NULL;
    if (links)
        good = condense_events(&c, traces, links, process, error, error_size);
    else
        snprintf(error, error_size, "out of memory");
    good = good && links;
    trace_links_close(links);
    for (uint32_t row = 0; c.states && row < count; row++)
        trace_activity_free(&c.states[row].activity);
    free(c.states);
    free(c.seen);
    if (!good) {
        timeline_rows_free(rows);
        return false;
    }
    for (uint32_t i = 0; i < rows->time_count; i++)
        rows->times[i] *= traces->tick_ns;
    return true;
}

void timeline_rows_free(struct timeline_rows *rows)
{
    free(rows->locations);
    free(rows->cells);
    free(rows->lines);
    free(rows->times);
    *rows = (struct timeline_rows){0};
}
