#include "reporters/record/record_one.h"

#include "reporters/base/message.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text.h"
#include "reporters/filter/filter_file.h"
#include "reporters/filter/module_sites.h"
#include "reporters/info/info_traces.h"
#include "reporters/launch/record_directory.h"
#include "reporters/profile/data_directory.h"
#include "reporters/tree/call_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Afterwards -------------------------------------------------------------------------------------------------- */

/* Number of profiles; fetches what ended processes left in memory. */
static size_t count_profiles(const char *dir)
{
    struct data_directory data;
    char error[1024] = "";
    if (!data_directory_open(dir, true, &data, error, sizeof error))
        return 0;
    size_t count = data.file_count;
    for (size_t i = 0; i < data.warning_count; i++)
        message_note("%s", data.warnings[i]);
    data_directory_close(&data);
    return count;
}

/* The line after a run. */
static void say_result(const char *dir, const struct run_result *run)
{
    struct call_tree_options options = {.rank = -1, .model = -1, .totals_alone = true};
    char error[1024] = "", calls[TEXT_CALLS], time[TEXT_NUMBER], overhead[TEXT_NUMBER], next[600] = "pcomp report";
    terminal_progress_begin("reading the profile");
    struct call_tree *tree = call_tree_load(dir, &options, error, sizeof error);
    terminal_progress_end();
    if (!tree) {
        message_note("%s", error);
        return;
    }
    const struct tree_totals *total = &tree->total_all_threads;
    if (strcmp(dir, RECORD_DEFAULT_DIR) != 0)
        snprintf(next, sizeof next, "pcomp report %.500s", dir);
    if (!total->calls && !total->lost_events)
        message_note("no call recorded in %s, %s (no function that is measured was called): pcomp info %s", dir,
                     text_time(time, run->seconds * 1e9), dir);
    else
        message_note("%s recorded in %s, %s (%s of the calls' time was measurement): %s",
                     text_calls(calls, (double)total->calls, total->calls_half), dir,
                     text_time(time, run->seconds * 1e9), text_percent(overhead, tree_totals_measuring(total)), next);
    call_tree_free(tree);
}

static void say_traced(const char *dir, const struct run_result *run)
{
    char events[TEXT_NUMBER], time[TEXT_NUMBER], lost[TEXT_NUMBER], suppressed[TEXT_NUMBER];
    struct trace_sums sums = info_traces_sum(dir);
    uint64_t missing = info_traces_lost(dir, &sums);
    message_note("%s events of %zu location%s recorded in %s, %s%s%s%s%s: pcomp replay %s -o DIR2",
                 text_count_short(events, (double)sums.events), sums.locations, sums.locations == 1 ? "" : "s", dir,
                 text_time(time, run->seconds * 1e9), sums.suppressed ? ", calls only counted: " : "",
                 sums.suppressed ? text_count_short(suppressed, (double)sums.suppressed) : "",
                 missing ? ", events lost: " : "", missing ? text_count(lost, missing) : "", dir);
}

static void say_nothing_recorded(const char *program, const char *name)
{
    if (module_sites_any(program))
        message_note("%s: no instrumented function ran, nothing was recorded (is it set-user-ID, or linked statically "
                     "without -lpcomp?)",
                     name);
    else
        message_note("%s: no instrumented function ran, nothing was recorded (build the program with the "
                     "arguments that pcomp flags prints, or with -finstrument-functions)",
                     name);
}

int record_one(const struct record_options *options, const struct operands *operands,
               const struct record_program *tools, const char *dir, struct recorded *result)
{
    struct record_directory directory;
    struct record_environment environment = {NULL, NULL, NULL, NULL};
    struct run_result run = {.exit_status = STATUS_BAD};
    const char *program = tools->path;
    *result = (struct recorded){.any = false};
    if (!record_directory_create(&directory, dir)) {
        record_directory_free(&directory);
        return STATUS_BAD;
    }
    operands->texts[operands->count] = NULL; /* argv has room: a NULL ends it */
    size_t measured = 1, all = 0;
    bool filtered = options->only.count || options->skip.count;
    bool good =
        record_environment_make(&environment, options, &directory, tools->library) &&
        (!filtered || directory.joined ||
         filter_file_write(directory.path, program, operands->texts, &options->only, &options->skip, &measured, &all));
    if (good && all && !measured)
        message_note("--only, --skip: no function of the program is left to measure");
    record_directory_ready(&directory);
    char *const set[] = {environment.data, environment.options, environment.run_id, environment.preload, NULL};
    if (good && !run_launch(program, operands->texts, set, NULL, &run)) {
        message_failure("%s: no process could be made: %s", operands->texts[0], strerror(errno));
        good = false;
    }
    if (good && run.exec_errno)
        message_failure("%s: cannot be started: %s", operands->texts[0], strerror(run.exec_errno));
    else if (good && run.signal)
        message_note("%s: was killed by signal %d (%s)", operands->texts[0], run.signal, strsignal(run.signal));
    if (directory.shared && directory.rank != 0) {
        ; /* the first one speaks for the job */
    } else if (good && count_profiles(directory.path)) {
        result->any = true;
        if (options->quiet || tools->silent)
            ;
        else if (options->trace)
            say_traced(dir, &run);
        else
            say_result(dir, &run);
    } else {
        if (good && !run.exec_errno)
            say_nothing_recorded(program, operands->texts[0]);
        if (options->require && !run.exit_status)
            run.exit_status = STATUS_BAD;
        record_directory_discard(&directory);
    }
    result->run = run;
    record_environment_free(&environment);
    record_directory_free(&directory);
    return run.exit_status;
}
