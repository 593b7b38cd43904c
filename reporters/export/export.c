#include "reporters/export/export.h"

#include "reporters/base/text.h"
#include "reporters/report/report_how.h"

#include <math.h>
#include <stdlib.h>

static uint64_t whole(double ns)
{
    return !(ns >= 0.5) ? 0 : ns < 0x1p63 ? (uint64_t)llround(ns) : INT64_MAX;
}

/* Waiting and computing never exceed what they are parts of. */
static struct export_times times_of(const struct export_request *request, const struct tree_times *times, double *time)
{
    *time = request->raw ? times->raw : times->compensated;
    struct export_times to = {.time = whole(*time), .waiting = whole(times->waiting), .raw = whole(times->raw)};
    uint64_t ready = whole(times->ready);
    to.waiting = to.waiting < to.time ? to.waiting : to.time;
    to.computing = to.time - to.waiting;
    to.computing -= ready < to.computing ? ready : to.computing;
    return to;
}

struct export_times export_times(const struct export_request *request, const struct tree_times *times,
                                 struct export_result *result)
{
    double time;
    struct export_times to = times_of(request, times, &time);
    if (time <= -0.5 && result) {
        result->clamped -= time;
        result->clamped_items++;
    }
    return to;
}

struct export_times export_call_times(const struct export_request *request, const struct tree_times *times,
                                      struct export_result *result)
{
    double time;
    struct export_times to = times_of(request, times, &time);
    result->clamped_calls += time <= -0.5;
    return to;
}

const char *export_clamp_text(const struct export_result *result, char *buffer, size_t size)
{
    char time[TEXT_NUMBER];
    if (!result->clamped_items && !result->clamped_calls)
        return NULL;
    int used = snprintf(buffer, size, "%llu exclusive time%s below zero, %s together, written as 0",
                        (unsigned long long)result->clamped_items, result->clamped_items == 1 ? "" : "s",
                        text_time(time, -result->clamped));
    if (result->clamped_calls && used > 0 && (size_t)used < size)
        snprintf(buffer + used, size - (size_t)used, "; inclusive times of calls below zero, too: %llu",
                 (unsigned long long)result->clamped_calls);
    return buffer;
}

const char *export_command(const struct export_request *request)
{
    const struct call_tree *tree = request->tree;
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main && tree->processes[i].command)
            return tree->processes[i].command;
    return request->dir;
}

char *export_comment(const struct export_request *request, const struct export_result *result)
{
    char how[REPORT_HOW], clamped[200], *text, *clean;
    if (asprintf(&text, "pcomp, %s times: %s%s%s", request->raw ? "raw" : "compensated", report_how(request->tree, how),
                 result->clamped_items ? "; " : "",
                 result->clamped_items ? export_clamp_text(result, clamped, sizeof clamped) : "") < 0)
        return NULL;
    clean = text_clean(text);
    free(text);
    return clean;
}
