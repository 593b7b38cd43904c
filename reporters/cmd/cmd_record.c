/* pcomp record: runs a program with measurement set up, and says in one line what came of it. */
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/cmd/command.h"
#include "reporters/filter/filter_functions.h"
#include "reporters/filter/module_sites.h"
#include "reporters/launch/record_counters.h"
#include "reporters/launch/record_environment.h"
#include "reporters/record/record_one.h"
#include "reporters/record/record_repeat.h"

#include <errno.h>
#include <stdlib.h>

/* Sleds without their map are never found: better said before the run than after it. */
static void say_lost_map(const char *program, const char *name)
{
    struct module_sites sites;
    if (module_sites_read(&sites, program) && module_sites_lost(&sites))
        message_note("%s: was built with sleds, their map is missing (link without gold's --gc-sections)", name);
}

static int record_start(const struct record_options *options, const struct operands *operands, uint64_t repeats)
{
    int status = record_check_repeat(repeats);
    if (!status)
        status = record_check_rules(options);
    if (!status)
        status = record_check_trace(options);
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
        message_failure("%s: %s", operands->texts[0], run_find_problem(operands->texts[0], why));
        return run_find_status(why);
    }
    say_lost_map(program, operands->texts[0]);
    char *library = record_libraries_find();
    const struct record_program tools = {.path = program, .library = library};
    struct recorded recorded;
    status = !library                 ? STATUS_BAD
             : repeats == RECORD_ONCE ? record_one(options, operands, &tools, options->dir, &recorded)
                                      : record_repeat(options, operands, &tools, repeats);
    free(library);
    free(program);
    return status;
}

static struct record_options given = {.dir = RECORD_DEFAULT_DIR, RECORD_DEFAULTS};
static uint64_t repeats_given = RECORD_ONCE;
static const struct option_spec specs[] = {
    {"--output", 'o', OPTION_TEXT, "DIR", "the data directory (default " RECORD_DEFAULT_DIR ")", &given.dir, NULL},
    RECORD_METHOD_SPECS(given) RECORD_MORE_SPECS(given){
        "--repeat", 0, OPTION_COUNT, "N", "run PROG N times: a set of runs, for pcomp diff", &repeats_given, NULL},
    {"--require", 0, OPTION_FLAG, NULL, "exit status 1 where nothing was measured and PROG's would be 0",
     &given.require, NULL},
    {"--quiet", 'q', OPTION_FLAG, NULL, "no line about what was recorded", &given.quiet, NULL},
    {0},
};

static int record_run(const struct operands *operands)
{
    return record_start(&given, operands, repeats_given);
}

const struct command_usage cmd_record = {
    .command = "record",
    .summary = "run a program with measurement set up",
    .synopsis = "[OPTION...] [--] PROG [ARG...]",
    .purpose = "Runs PROG, built with the arguments of pcomp flags, and records its profile in a data directory.",
    .options = specs,
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .operands = "the program to run",
    .stop_at_operand = true,
    .run = record_run,
};
