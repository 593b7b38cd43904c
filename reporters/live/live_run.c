#include "reporters/live/live_run.h"

#include "reporters/base/message.h"
#include "reporters/live/live_print.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define STARTING_TRIES 20 /* of 0.1 s: until a program that is just starting has a profile */
#define BROKEN_MAX     5  /* readings in a row that may fail: files come and go while a program ends */

static void wait_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

static struct live_snapshot *first_snapshot(const struct live_source *source, char *error, size_t error_size)
{
    struct live_snapshot *s = live_snapshot_take(source, error, error_size);
    for (int i = 0; !s && i < STARTING_TRIES; i++) {
        char again[1024];
        wait_for(0.1);
        s = live_snapshot_take(source, again, sizeof again);
    }
    return s;
}

/* Keeps *before and *now: the two latest ones. False: it could not be read. */
static bool next_snapshot(const struct live_source *source, struct live_snapshot **before, struct live_snapshot **now,
                          char *error, size_t error_size)
{
    struct live_snapshot *s = live_snapshot_take(source, error, error_size);
    if (!s)
        return false;
    live_snapshot_free(*before);
    *before = *now;
    *now = s;
    return true;
}

static int print_rows(const struct live_options *o, const struct live_snapshot *before, const struct live_snapshot *now)
{
    struct live_rows rows = {0};
    if (!live_rows_functions(&rows, now->running && !o->totals ? before : NULL, now)) {
        live_rows_free(&rows);
        return message_no_memory(o->command);
    }
    live_rows_sort(&rows, &o->order);
    int status = o->json ? live_print_json(stdout, &rows, now, (size_t)o->limit)
                         : live_print_text(stdout, &rows, now, &o->order, (size_t)o->limit);
    live_rows_free(&rows);
    return status;
}

int live_run_print(const struct live_options *o)
{
    char error[1024] = "";
    struct live_snapshot *before = NULL, *now = first_snapshot(&o->source, error, sizeof error);
    if (!now)
        return message_failure("%s", error);
    int status = STATUS_DONE, broken = 0;
    bool running = now->running;
    if (!running || o->totals)
        status = print_rows(o, NULL, now);
    for (uint64_t printed = o->totals; !status && running && (!o->count || printed < o->count);) {
        wait_for(o->interval);
        if (!next_snapshot(&o->source, &before, &now, error, sizeof error)) {
            if (++broken > BROKEN_MAX)
                status = message_failure("%s", error);
            continue;
        }
        broken = 0;
        running = now->running;
        status = print_rows(o, before, now);
        printed++;
    }
    live_snapshot_free(before);
    live_snapshot_free(now);
    return status;
}
