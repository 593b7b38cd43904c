/* pcomp record: runs a program with measurement set up, and says in one line what came of it. */
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text.h"
#include "reporters/cmd/command.h"
#include "reporters/filter/filter_file.h"
#include "reporters/filter/filter_functions.h"
#include "reporters/filter/module_sites.h"
#include "reporters/info/info_traces.h"
#include "reporters/launch/record_counters.h"
#include "reporters/launch/record_directory.h"
#include "reporters/launch/record_environment.h"
#include "reporters/launch/run_launch.h"
#include "reporters/profile/data_directory.h"
#include "reporters/tree/call_tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DATA_DIR "pcomp.data"

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
    struct call_tree_options options = {.rank = -1, .model = -1};
    char error[1024] = "", calls[TEXT_NUMBER], time[TEXT_NUMBER], overhead[TEXT_NUMBER], next[600] = "pcomp report";
    terminal_progress_begin("reading the profile");
    struct call_tree *tree = call_tree_load(dir, &options, error, sizeof error);
    terminal_progress_end();
    if (!tree) {
        message_note("%s", error);
        return;
    }
    const struct tree_totals *total = &tree->total_all_threads;
    if (strcmp(dir, DEFAULT_DATA_DIR) != 0)
        snprintf(next, sizeof next, "pcomp report %.500s", dir);
    if (!total->calls && !total->lost_events)
        message_note("no call recorded in %s, %s (no function that is measured was called): pcomp info %s", dir,
                     text_time(time, run->seconds * 1e9), dir);
    else
        message_note("%s call%s recorded in %s, %s (%s of the calls' time was measurement): %s",
                     text_count_short(calls, (double)total->calls), total->calls == 1 ? "" : "s", dir,
                     text_time(time, run->seconds * 1e9),
                     text_percent(overhead, total->raw > 0 ? total->overhead / total->raw : NAN), next);
    call_tree_free(tree);
}

static void say_traced(const char *dir, const struct run_result *run)
{
    char events[TEXT_NUMBER], time[TEXT_NUMBER], lost[TEXT_NUMBER], held[TEXT_NUMBER];
    struct trace_sums sums = info_traces_sum(dir);
    uint64_t missing = info_traces_lost(dir, &sums);
    message_note("%s events of %zu location%s recorded in %s, %s%s%s%s%s: pcomp replay %s -o DIR2",
                 text_count_short(events, (double)sums.events), sums.locations, sums.locations == 1 ? "" : "s", dir,
                 text_time(time, run->seconds * 1e9), sums.held ? ", calls only counted: " : "",
                 sums.held ? text_count_short(held, (double)sums.held) : "", missing ? ", events lost: " : "",
                 missing ? text_count(lost, missing) : "", dir);
}

/* Sleds without their map are never found: better said before the run than after it. */
static void say_lost_map(const char *program, const char *name)
{
    struct module_sites sites;
    if (module_sites_read(&sites, program) && module_sites_lost(&sites))
        message_note("%s: was built with sleds, their map is missing (link without gold's --gc-sections)", name);
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

static int record_run(const struct record_options *options, struct operands *operands, const char *program,
                      const char *library)
{
    struct record_directory directory;
    struct record_environment environment = {NULL, NULL, NULL, NULL};
    struct run_result run = {.exit_status = STATUS_BAD};
    if (!record_directory_create(&directory, options->dir)) {
        record_directory_free(&directory);
        return STATUS_BAD;
    }
    operands->texts[operands->count] = NULL; /* argv has room: a NULL ends it */
    size_t measured = 1, all = 0;
    bool filtered = options->only.count || options->skip.count;
    bool good =
        record_environment_make(&environment, options, &directory, library) &&
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
        if (options->quiet)
            ;
        else if (options->trace)
            say_traced(options->dir, &run);
        else
            say_result(options->dir, &run);
    } else {
        if (good && !run.exec_errno)
            say_nothing_recorded(program, operands->texts[0]);
        if (options->require && !run.exit_status)
            run.exit_status = STATUS_BAD;
        record_directory_discard(&directory);
    }
    record_environment_free(&environment);
    record_directory_free(&directory);
    return run.exit_status;
}

static int record_start(const struct record_options *options, struct operands *operands)
{
    int status = record_check_trace(options);
    if (!status)
        status = record_check_counts(options);
    if (!status)
        status = record_check_budget(options);
    if (!status)
        status = record_check_calibration(options->calibration);
    if (!status && options->counters)
        status = record_counters_check(options->counters);
    if (status)
        return status;
    char *program = run_find(operands->texts[0]);
    if (!program) {
        int why = errno;
        message_failure("%s: %s", operands->texts[0], run_find_problem(why));
        return run_find_status(why);
    }
    say_lost_map(program, operands->texts[0]);
    char *library = record_libraries_find();
    status = library ? record_run(options, operands, program, library) : STATUS_BAD;
    free(library);
    free(program);
    return status;
}

int cmd_record(int argc, char **argv)
{
    struct record_options options = {
        .dir = DEFAULT_DATA_DIR, .clock = -1, .model = -1, .mode = -1, .counts = -1, .sampler = -1};
    const struct option_spec specs[] = {
        {"--output", 'o', OPTION_TEXT, "DIR", "the data directory (default " DEFAULT_DATA_DIR ")", &options.dir, NULL},
        {"--counters", 0, OPTION_TEXT, "LIST", "PAPI events to count, commas between", &options.counters, NULL},
        RECORD_METHOD_SPECS(options),
        {"--counts", 0, OPTION_CHOICE, "HOW",
         "auto (default): hot functions within --budget; exact: every call, whatever it costs", &options.counts,
         PCOMP_COUNTS_CHOICES},
        {"--sampler", 0, OPTION_CHOICE, "NAME",
         "who samples call stacks: auto (default), perf (the kernel), timer (a signal), off", &options.sampler,
         PCOMP_SAMPLER_CHOICES},
        {"--only", 0, OPTION_LIST, "PAT",
         "measure only functions that match: NAME, file:NAME, module:NAME; others are on no path", &options.only, NULL},
        {"--skip", 0, OPTION_LIST, "PAT", "do not measure functions that match: their time is their callers'",
         &options.skip, NULL},
        {"--fold-recursion", 0, OPTION_FLAG, NULL, "one call path for all depths of a recursion",
         &options.fold_recursion, NULL},
        {"--native-frames", 0, OPTION_FLAG, NULL, "show uninstrumented functions between caller and callee",
         &options.native_frames, NULL},
        {"--call-sites", 0, OPTION_FLAG, NULL, "a call path for every place of a call", &options.call_sites, NULL},
        {"--trace", 0, OPTION_FLAG, NULL, "record events, for pcomp replay", &options.trace, NULL},
        {"--trace-limit", 0, OPTION_TEXT, "SIZE[:ring]",
         "most bytes of a thread's trace (100M, 1G); ring: keep the newest", &options.trace_limit, NULL},
        {"--budget-trace", 0, OPTION_TEXT, "RATE",
         "bytes a second of trace (20M), beyond which the hottest functions are only counted", &options.budget_trace,
         NULL},
        {"--require", 0, OPTION_FLAG, NULL, "exit status 1 where nothing was measured and PROG's would be 0",
         &options.require, NULL},
        {"--quiet", 'q', OPTION_FLAG, NULL, "no line about what was recorded", &options.quiet, NULL},
        {0},
    };
    const struct command_usage usage = {
        .command = "record",
        .synopsis = "[OPTION...] [--] PROG [ARG...]",
        .purpose = "Runs PROG, built with the arguments of pcomp flags, and records its profile in a data directory.",
        .options = specs,
        .operands_min = 1,
        .operands_max = SIZE_MAX,
        .operands = "the program to run",
        .stop_at_operand = true,
    };
    struct operands operands;
    int status = options_parse(&usage, argc, argv, &operands);
    if (status < 0)
        status = record_start(&options, &operands);
    option_list_free(&options.only);
    option_list_free(&options.skip);
    return status;
}
