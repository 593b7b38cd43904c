#include "reporters/live/live_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS         1e9
#define WHOLE_FROM 100 /* calls, from which on parts of one mean nothing */

const struct live_column_spec live_columns[LIVE_COLUMNS] = {
    [LIVE_COLUMN_TIME] = {"computing", "raw", NULL, 9, 0, LIVE_BY_COMPUTING},
    [LIVE_COLUMN_HALF] = {"±", "overhead", NULL, 8, 3, -1},
    [LIVE_COLUMN_OTHER] = {"inclusive", NULL, NULL, 9, 6, -1},
    [LIVE_COLUMN_WAITING] = {"waiting", NULL, NULL, 9, 2, LIVE_BY_WAITING},
    [LIVE_COLUMN_CALLS] = {"calls/s", NULL, "calls", 8, 1, LIVE_BY_CALLS},
    [LIVE_COLUMN_CALLS_HALF] = {"±", NULL, NULL, 7, 5, -1},
    [LIVE_COLUMN_LEVEL] = {"level", NULL, NULL, 7, 4, LIVE_BY_LEVEL},
    [LIVE_COLUMN_NAME] = {"function", NULL, NULL, 0, 0, LIVE_BY_NAME},
};

const char *live_column_title(enum live_column column, const struct live_rows *rows, const struct live_order *order)
{
    const struct live_column_spec *spec = &live_columns[column];
    if (column == LIVE_COLUMN_OTHER && order->inclusive)
        return "exclusive";
    if (order->raw && spec->title_raw)
        return spec->title_raw;
    return !(rows->seconds > 0) && spec->title_totals ? spec->title_totals : spec->title;
}

/* A share of one processor, or a time; "<±" where it is not above its own ±. */
static void show_time(char *buffer, double value, double half, bool rates)
{
    bool below = half > 0 && !(fabs(value) > half);
    char *at = buffer;
    if (below && !isnan(value))
        *at++ = '<';
    if (below)
        value = isnan(value) ? value : half;
    if (rates)
        text_percent(at, value / NS);
    else if (below)
        text_uncertainty(at, value);
    else
        text_time(at, value);
}

static void show_half(char *buffer, double value, double half, bool rates)
{
    *buffer = 0;
    if (isnan(value) || !(fabs(value) > half)) /* the value says it */
        return;
    if (!(half > 0))
        return;
    if (rates)
        text_percent(buffer, half / NS);
    else
        text_uncertainty(buffer, half);
}

/* "<calls + ±" where they are no more than their own ±. */
static void show_calls(char *buffer, double calls, double half)
{
    if (half > 0 && half >= calls) {
        *buffer++ = '<';
        calls += half;
    }
    if (isnan(calls))
        strcpy(buffer, "-");
    else
        text_count_short(buffer, calls < WHOLE_FROM ? calls : round(calls));
}

const char *live_cell(char *buffer, enum live_column column, const struct live_row *row, const struct live_rows *rows,
                      const struct live_order *order)
{
    const struct live_figures *f = order->inclusive ? &row->inclusive : &row->exclusive;
    bool rates = rows->seconds > 0;
    *buffer = 0;
    switch (column) {
    case LIVE_COLUMN_TIME:
        show_time(buffer, order->raw ? f->raw : f->computing, order->raw ? 0 : f->half, rates);
        break;
    case LIVE_COLUMN_HALF:
        if (!order->raw)
            show_half(buffer, f->computing, f->half, rates);
        else
            text_percent(buffer, f->raw > 0 ? (f->raw - f->compensated) / f->raw : NAN);
        break;
    case LIVE_COLUMN_OTHER:
        f = order->inclusive ? &row->exclusive : &row->inclusive;
        if (row->kind == LIVE_ROW_FUNCTION)
            show_time(buffer, order->raw ? f->raw : f->computing, order->raw ? 0 : f->half, rates);
        break;
    case LIVE_COLUMN_WAITING:
        show_time(buffer, f->waiting, 0, rates);
        break;
    case LIVE_COLUMN_CALLS:
        show_calls(buffer, f->calls, f->calls_half);
        break;
    case LIVE_COLUMN_CALLS_HALF:
        if (f->calls_half > 0 && f->calls_half < f->calls) /* else the calls say it */
            show_calls(buffer, f->calls_half, 0);
        break;
    default:
        snprintf(buffer, TEXT_NUMBER, "%s", column == LIVE_COLUMN_LEVEL && row->level ? row->level : "");
    }
    return buffer;
}

const char *live_state(const struct live_snapshot *now)
{
    return now->running ? "running" : now->killed ? "killed" : "ended";
}

/* What was recorded, in the words of the user. */
static const char *command_of(const struct call_tree *tree)
{
    const struct tree_process *p = tree->process_count ? &tree->processes[0] : NULL;
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main)
            p = &tree->processes[i];
    return !p ? "" : p->command && *p->command ? p->command : p->executable ? p->executable : "";
}

char *live_head_program(const struct live_snapshot *now)
{
    const struct call_tree *tree = now->tree;
    char clock[16] = "", lasted[TEXT_NUMBER], *text = NULL;
    time_t seconds = (time_t)now->real;
    struct tm local;
    double longest = 0;
    size_t live = 0;
    if (localtime_r(&seconds, &local))
        strftime(clock, sizeof clock, "%H:%M:%S", &local);
    for (size_t i = 0; i < tree->thread_count; i++) {
        longest = fmax(longest, tree->threads[i].wall);
        live += tree->threads[i].live;
    }
    char *clean = text_clean(command_of(tree)), *command = clean ? text_cut(clean, 40, "…") : NULL;
    size_t threads = now->running ? live : tree->thread_count;
    if (!command || asprintf(&text, "%s  %s  %s %s%s, %zu thread%s in %zu process%s", clock, command, live_state(now),
                             now->running ? "" : "after ", text_time(lasted, longest), threads, threads == 1 ? "" : "s",
                             now->running ? now->running : tree->process_count,
                             (now->running ? now->running : tree->process_count) == 1 ? "" : "es") < 0)
        text = NULL;
    free(command);
    free(clean);
    return text;
}

char *live_head_figures(const struct live_rows *rows, const struct live_snapshot *now)
{
    const struct live_figures *t = &rows->total;
    char computing[TEXT_NUMBER + 1], waiting[TEXT_NUMBER + 1], calls[TEXT_NUMBER], cost[TEXT_NUMBER],
        half[TEXT_NUMBER + 1], *text = NULL;
    bool rates = rows->seconds > 0;
    double overhead = t->raw - t->compensated, busy = t->computing + overhead;
    show_time(computing, t->computing, t->half, rates);
    show_half(half, t->computing, t->half, rates);
    show_time(waiting, t->waiting < 0 ? 0 : t->waiting, 0, rates); /* a rate is a difference of two estimates */
    show_calls(calls, t->calls, 0);
    text_percent(cost, busy > 0 && overhead >= 0 ? overhead / busy : NAN);
    if (asprintf(&text, "%s %s%s%s, waiting %s; %s%s; overhead %s", now->tree->knows_waiting ? "computing" : "time",
                 computing, *half ? " ± " : "", half, waiting, isnan(t->calls) ? "" : calls,
                 isnan(t->calls) ? "calls not known"
                 : rates         ? " calls/s"
                                 : " calls",
                 cost) < 0)
        return NULL;
    return text;
}
