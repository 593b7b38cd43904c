/* pcomp consult: runs a program, and searches for its bottlenecks meanwhile: why, where and when. */
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/base/output_file.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/base/text.h"
#include "reporters/cmd/command.h"
#include "reporters/consult/consult.h"
#include "reporters/consult/consult_report.h"
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

#define DEFAULT_BUDGET 10 /* percent */

struct consult_request {
    struct record_options record;
    struct consult_options search;
    const char *output, *data, *thresholds, *hypothesis;
    uint64_t at_most;
    int format;
    bool all;
};

static void watch(void *consult)
{
    consult_step(consult);
}

/* Whether a process left a profile: an instrumented function ran. */
static bool has_profile(const char *dir)
{
    struct data_directory data;
    char error[1024] = "";
    if (!data_directory_open(dir, false, &data, error, sizeof error))
        return false;
    bool has = data.file_count > 0;
    data_directory_close(&data);
    return has;
}

/* As pcomp record says it; NAN: not known. */
static double measuring_share(const char *dir)
{
    struct call_tree_options options = {.rank = -1, .model = -1};
    char error[1024];
    struct call_tree *tree = call_tree_load(dir, &options, error, sizeof error);
    double share = tree ? tree_totals_measuring(&tree->total_all_threads) : NAN;
    call_tree_free(tree);
    return share;
}

static int write_report(const struct consult_request *request, const struct consult *consult,
                        const struct consult_run *run, bool measured)
{
    struct output_file file;
    char time[TEXT_NUMBER];
    if (!consult_has_evidence(consult) && measured)
        return message_failure(
            "%s: nothing could be tested: it ended after %s, before there were samples (give it more "
            "to do; pcomp record measures short programs, too)",
            run->program, text_time(time, run->seconds * 1e9));
    if (!consult_has_evidence(consult))
        return message_failure("%s: nothing could be tested: no instrumented function ran (build the program with "
                               "-finstrument-functions)",
                               run->program);
    if (!output_file_open(&file, request->output ? request->output : "-"))
        return STATUS_BAD;
    int status = consult_report(consult, run, (enum emit_format)request->format, file.stream, request->all);
    return output_file_close(&file, status == STATUS_DONE) ? status : STATUS_BAD;
}

static int run_and_search(const struct consult_request *request, const struct operands *operands, const char *program,
                          const struct record_directory *directory, char *const *set)
{
    struct consult consult;
    struct run_result run = {.exit_status = STATUS_BAD};
    const char *name = operands->texts[0];
    if (!consult_open(&consult, &request->search, directory->path))
        return message_no_memory("consult");
    int status = STATUS_BAD;
    struct run_watch watching = {watch, &consult};
    operands->texts[operands->count] = NULL; /* argv has room: a NULL ends it */
    if (!run_launch(program, operands->texts, set, &watching, &run))
        message_failure("%s: no process could be made: %s", name, strerror(errno));
    else if (run.exec_errno)
        message_failure("%s: cannot be started: %s", name, strerror(run.exec_errno));
    else {
        if (isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO))
            fputs("\r\033[K", stderr);
        if (run.signal)
            message_note("%s: was killed by signal %d (%s)", name, run.signal, strsignal(run.signal));
        else if (run.exit_status)
            message_note("%s: ended with exit status %d", name, run.exit_status);
        consult_end(&consult);
        bool measured = has_profile(directory->path);
        double measuring = measured ? measuring_share(directory->path) : NAN;
        status = write_report(request, &consult, &(struct consult_run){name, run.seconds, run.exit_status, measuring},
                              measured);
    }
    consult_close(&consult);
    return run.exit_status ? run.exit_status : status;
}

/* What killed processes left in memory comes into the data directory, to be kept or removed with it. */
static void fetch_profiles(const char *dir)
{
    struct data_directory data;
    char error[1024] = "";
    if (data_directory_open(dir, true, &data, error, sizeof error))
        data_directory_close(&data);
}

static int consult_in(const struct consult_request *request, const struct operands *operands, const char *program,
                      const char *library, const char *data)
{
    struct record_directory directory;
    struct record_environment environment = {NULL, NULL, NULL, NULL};
    int status = STATUS_BAD;
    if (record_directory_create(&directory, data)) {
        bool good = record_environment_make(&environment, &request->record, &directory, library);
        char *const set[] = {environment.data, environment.options, environment.run_id, environment.preload, NULL};
        record_directory_ready(&directory);
        if (good)
            status = run_and_search(request, operands, program, &directory, set);
        fetch_profiles(directory.path);
    }
    record_environment_free(&environment);
    record_directory_free(&directory);
    return status;
}

static int consult_start(const struct consult_request *request, const struct operands *operands)
{
    char *program = run_find(operands->texts[0]);
    if (!program) {
        int why = errno;
        message_failure("%s: %s", operands->texts[0], run_find_problem(operands->texts[0], why));
        return run_find_status(why);
    }
    char *library = record_libraries_find(), *scratch = NULL, *data = NULL;
    int status = STATUS_BAD;
    if (library && request->data)
        status = consult_in(request, operands, program, library, request->data);
    else if (library && (scratch = scratch_dir_make()) && asprintf(&data, "%s/data", scratch) > 0)
        status = consult_in(request, operands, program, library, data);
    else if (library)
        message_failure("consult: no directory could be made for the profile: %s", strerror(errno));
    if (scratch)
        scratch_dir_remove(scratch);
    free(data);
    free(library);
    free(program);
    return status;
}

/* "5" or "5%": above 0, at most 100. */
static bool parse_percent(const char *text, double *percent)
{
    char *end;
    *percent = strtod(text, &end);
    end += *end == '%';
    return end > text && !*end && *percent > 0 && *percent <= 100;
}

/* Checks what was given and completes it. 0, or an exit status after a message. */
static int consult_check(struct consult_request *request)
{
    const char *wrong = NULL;
    for (int why = 0; why < WHY_COUNT; why++)
        request->search.thresholds[why] = why_texts[why].threshold;
    if (request->thresholds && !why_thresholds_parse(request->thresholds, request->search.thresholds, &wrong))
        return message_misuse("consult: --threshold %s: not understood from \"%s\" (as in cpu=20%%,lock=10%%; pcomp "
                              "consult --help lists the hypotheses)",
                              request->thresholds, wrong ? wrong : "");
    request->search.only = request->hypothesis ? why_find(request->hypothesis) : WHY_NONE;
    if (request->hypothesis && request->search.only == WHY_NONE)
        return message_misuse("consult: --hypothesis %s: no such hypothesis (pcomp consult --help lists them)",
                              request->hypothesis);
    if (request->search.focus && !request->hypothesis)
        return message_misuse("consult: --focus %s: of which hypothesis? (add --hypothesis NAME)",
                              request->search.focus);
    double percent = DEFAULT_BUDGET;
    const char *budget = request->record.budget;
    if (budget && !parse_percent(budget, &percent))
        return message_misuse("consult: --budget %s: needs a percentage above 0, at most 100 (100: no limit)", budget);
    if (request->at_most > UINT32_MAX)
        request->at_most = 0;
    request->search.at_most = (uint32_t)request->at_most;
    request->search.budget = percent / 100;
    if (request->record.mode < 0)
        request->record.mode = budget && request->search.budget < 1 ? PCOMP_MODE_AUTO : PCOMP_MODE_FULL;
    if (request->record.mode == PCOMP_MODE_FULL)
        request->record.budget = NULL; /* it is that of the search alone */
    return record_check_calibration(request->record.calibration);
}

static struct consult_request given = {.record = {RECORD_DEFAULTS}};
static const struct option_spec specs[] = {
    {"--output", 'o', OPTION_TEXT, "FILE", "write what was found there, not to standard output", &given.output, NULL},
    EMIT_FORMAT_SPEC(&given.format),
    {"--all", 0, OPTION_FLAG, NULL, "show refinements that are false, too", &given.all, NULL},
    {"--threshold", 0, OPTION_TEXT, "NAME=PCT,...", "from what share of time a hypothesis is true", &given.thresholds,
     NULL},
    {"--at-most", 0, OPTION_COUNT, "N", "hypotheses tested at a time (default: as the budget allows)", &given.at_most,
     NULL},
    {"--hypothesis", 0, OPTION_TEXT, "NAME",
     "test this alone: cpu, lock, condition, barrier, semaphore, join, message, io, fault, sleep, other, overhead",
     &given.hypothesis, NULL},
    {"--focus", 0, OPTION_TEXT, "PLACE", "at that place: FUNCTION, a/b/c (call path), thread N, module NAME",
     &given.search.focus, NULL},
    {"--data", 0, OPTION_TEXT, "DIR", "keep the profile there", &given.data, NULL},
    RECORD_METHOD_SPECS(given.record){0},
};

static int consult_run(const struct operands *operands)
{
    int status = consult_check(&given);
    return status ? status : consult_start(&given, operands);
}

const struct command_usage cmd_consult = {
    .command = "consult",
    .summary = "search for bottlenecks while a program runs: why, where, when",
    .synopsis = "[OPTION...] [--] PROG [ARG...]",
    .purpose = "Runs PROG, built with -finstrument-functions, and searches for its bottlenecks: why, where, when.\n"
               "Every call is timed (--mode full) unless there is a --budget.",
    .options = specs,
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .operands = "the program to run",
    .stop_at_operand = true,
    .run = consult_run,
};
