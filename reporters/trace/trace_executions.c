#include "reporters/trace/trace_executions.h"

#include "reporters/base/message.h"
#include "reporters/profile/replay_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_execution(struct trace_executions *executions, const char *path, const struct replay_info *info,
                          bool salvage, char *error, size_t error_size)
{
    struct trace_execution *e = &executions->list[executions->count];
    e->approximated = info;
    if (!info)
        snprintf(e->title, sizeof e->title, "measured");
    else if (!strcmp(info->bound, "lower") || !strcmp(info->bound, "upper"))
        snprintf(e->title, sizeof e->title, "approximated, %s bound", info->bound);
    else if (!strcmp(info->bound, "model"))
        snprintf(e->title, sizeof e->title, "approximated, modelled messages");
    else
        snprintf(e->title, sizeof e->title, "approximated, %s-based", *info->model ? info->model : "unknown");
    size_t used = strlen(e->title);
    if (info && *info->liberal)
        snprintf(e->title + used, sizeof e->title - used, ", LIBERAL: %s", info->liberal);
    if (!trace_directory_open(path, salvage, &e->traces, error, error_size))
        return false;
    executions->count++;
    return true;
}

/* Those below a directory that holds a bound each. False after writing to error. */
static bool add_bounds(struct trace_executions *executions, const char *path, bool salvage, char *error,
                       size_t error_size)
{
    static const char *const bounds[] = {"lower", "model", "upper"};
    uint32_t before = executions->count;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        char name[4300];
        struct replay_info info;
        snprintf(name, sizeof name, "%.4200s/%s", path, bounds[i]);
        if (replay_info_read(name, &info) && !add_execution(executions, name, &info, salvage, error, error_size))
            return false;
    }
    if (executions->count == before)
        snprintf(error, error_size, "%s: lower, model and upper are missing (replay it again)", path);
    return executions->count > before;
}

bool trace_executions_open(const char *path, bool salvage, struct trace_executions *executions, char *error,
                           size_t error_size)
{
    struct replay_info info;
    char why[400];
    bool good;
    *executions = (struct trace_executions){.count = 0};
    if (!replay_info_read(path, &info)) {
        snprintf(executions->missing, sizeof executions->missing,
                 "%.300s: has not been replayed: the measured execution is shown alone (pcomp replay adds the "
                 "approximated one)",
                 path);
        return add_execution(executions, path, NULL, salvage, error, error_size);
    }
    if (!add_execution(executions, info.measured, NULL, salvage, why, sizeof why))
        snprintf(executions->missing, sizeof executions->missing, "the measured execution is left out: %s", why);
    if (!strcmp(info.bound, "all"))
        good = add_bounds(executions, path, salvage, error, error_size);
    else
        good = add_execution(executions, path, &info, salvage, error, error_size);
    if (!good)
        trace_executions_close(executions);
    return good;
}

void trace_executions_note(const struct trace_executions *executions, const char *command)
{
    if (*executions->missing)
        message_note("%s: %s", command, executions->missing);
    for (uint32_t i = 0; i < executions->count; i++)
        for (uint32_t k = 0; k < executions->list[i].traces.warning_count; k++)
            message_note("note: %s", executions->list[i].traces.warnings[k]);
}

void trace_executions_close(struct trace_executions *executions)
{
    for (uint32_t i = 0; i < executions->count; i++)
        trace_directory_close(&executions->list[i].traces);
    executions->count = 0;
}
