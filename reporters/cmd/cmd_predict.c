/* pcomp predict: what a measurement will cost, before it is made. */
#include "compensation/control/level_machine.h"
#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/cmd/command.h"
#include "reporters/filter/module_sites.h"
#include "reporters/launch/run_launch.h"
#include "reporters/predict/predict_start.h"
#include "reporters/predict/prediction_write.h"
#include "reporters/report/report_common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREDICT_DEFAULT_LIMIT 30

struct predict_options {
    int from, mode, format;
    double budget; /* percent; below 0: none */
    uint64_t limit;
    const char *data, *output;
    struct option_list only, skip;
    bool salvage;
};

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int predict_show(const struct predict_options *options, struct prediction *prediction, const char *subject)
{
    bool over = false;
    double budget = options->budget < 0 ? -1 : options->budget / 100;
    struct output_file file = {.stream = stdout};
    if (budget >= 0 && !prediction_fit(prediction, budget))
        return message_no_memory("predict");
    if (budget >= 0)
        over = (prediction->costliest == SIZE_MAX ? prediction->share
                                                  : prediction->threads[prediction->costliest].share) > budget;
    if (options->output && !output_file_open(&file, options->output))
        return STATUS_BAD;
    uint64_t limit = options->limit != UINT64_MAX ? options->limit : options->format ? 0 : PREDICT_DEFAULT_LIMIT;
    int status = STATUS_BAD;
    struct emitter *emitter = emitter_open((enum emit_format)options->format, file.stream, "pcomp-predict/1");
    if (emitter) {
        prediction_emit(emitter, prediction, &(struct prediction_shown){subject, budget, limit});
        status = emitter_close(emitter);
    } else
        message_no_memory("predict");
    if (options->output && !output_file_close(&file, status == STATUS_DONE))
        status = STATUS_BAD;
    return status ? status : over ? STATUS_BAD : STATUS_DONE;
}

static int predict_from_profile(const struct predict_options *options, const struct predict_request *request,
                                const char *dir)
{
    struct load_options load = LOAD_OPTIONS;
    struct prediction prediction;
    int status;
    load.salvage = options->salvage;
    load.want_costs = true;
    struct call_tree *tree = report_load("predict", dir, &load, true, &status);
    if (!tree)
        return status;
    if (tree->model == PCOMP_MODEL_NONE)
        status = message_failure("%s: model none: the program's own time is not known (record with the default)", dir);
    else
        status =
            prediction_from_tree(&prediction, tree, request) ? predict_show(options, &prediction, dir) : STATUS_BAD;
    if (tree->model != PCOMP_MODEL_NONE)
        prediction_free(&prediction);
    call_tree_free(tree);
    return status;
}

static int predict_from_binary(const struct predict_options *options, const struct predict_request *request,
                               const char *name)
{
    struct prediction prediction;
    struct stat status;
    char *program = stat(name, &status) == 0 && S_ISREG(status.st_mode) ? strdup(name) : run_find(name);
    struct module_sites sites;
    if (!program)
        return message_failure("%s: %s (name a data directory, or a program)", name, strerror(errno));
    if (!module_sites_read(&sites, program)) {
        free(program);
        return message_failure("%s: is neither a program nor a data directory (name one of these)", name);
    }
    int result =
        prediction_from_program(&prediction, program, request) ? predict_show(options, &prediction, name) : STATUS_BAD;
    prediction_free(&prediction);
    free(program);
    return result;
}

static int predict(struct predict_options *options, const struct operands *operands)
{
    const char *operand = operand_directory(operands);
    double limit = options->mode == PCOMP_PREDICT_TRACE ? PCOMP_LEVEL_TRACE_LIMIT : PCOMP_LEVEL_LIMIT;
    struct predict_request request = {.mode = options->mode,
                                      .limit = options->budget > 0 ? options->budget / 100 : limit,
                                      .only = &options->only,
                                      .skip = &options->skip};
    if (options->from < 0)
        options->from = !operands->count || is_directory(operand) ? PREDICT_PROFILE : PREDICT_STATIC;
    if (options->from != PREDICT_PROFILE && !operands->count)
        return message_misuse("predict: --from: lacks the program (pcomp predict -- PROG)");
    if (options->from != PREDICT_START && options->data)
        return message_misuse("predict: --data: goes with --from start (nothing is run)");
    if (options->from == PREDICT_PROFILE) {
        if (operands->count > 1)
            return message_misuse("predict: %s: one operand too many (one data directory)", operands->texts[1]);
        return predict_from_profile(options, &request, operand);
    }
    if (options->from == PREDICT_STATIC)
        return predict_from_binary(options, &request, operand);
    if (options->mode == PCOMP_PREDICT_TRACE)
        return message_misuse("predict: --from start --mode trace: a trace is read when it is complete (--from static, "
                              "or a profile)");
    if (options->format && !options->output)
        return message_misuse("predict: --format: lacks -o FILE (with --from start, standard output is the program's)");
    struct predict_start start = {.data = options->data ? options->data : DEFAULT_DATA_DIR,
                                  .output = options->output,
                                  .format = options->format,
                                  .budget = options->budget < 0 ? -1 : options->budget / 100};
    operands->texts[operands->count] = NULL; /* argv has room: a NULL ends it */
    return predict_from_start(&start, &request, operands->texts);
}

static struct predict_options given = {.from = -1, .budget = -1, .limit = UINT64_MAX};
static const struct option_spec specs[] = {
    {"--from", 0, OPTION_CHOICE, "WHAT", "static (PROG's functions), profile (DIR), start (runs PROG)", &given.from,
     PREDICT_FROMS},
    {"--mode", 0, OPTION_CHOICE, "NAME", "of the measurement: auto (default), full or trace", &given.mode,
     PREDICT_MODES},
    {"--budget", 0, OPTION_NUMBER, "PCT", "exit status 1 if it costs more than PCT % of the program's own time",
     &given.budget, NULL},
    {"--only", 0, OPTION_LIST, "PAT", "as of pcomp record: only functions that match are measured", &given.only, NULL},
    {"--skip", 0, OPTION_LIST, "PAT", "functions that match are not measured (their hooks are still called)",
     &given.skip, NULL},
    LIMIT_SPEC(&given.limit),
    {"--data", 0, OPTION_TEXT, "DIR", "--from start: the run's data directory (default " DEFAULT_DATA_DIR ")",
     &given.data, NULL},
    {"--output", 'o', OPTION_TEXT, "FILE", "write the result there (--from start: instead of standard error)",
     &given.output, NULL},
    SALVAGE_SPEC(&given.salvage),
    EMIT_FORMAT_SPEC(&given.format),
    {0},
};

static int predict_run(const struct operands *operands)
{
    return predict(&given, operands);
}

const struct command_usage cmd_predict = {
    .command = "predict",
    .summary = "what a measurement will cost, before it is made",
    .synopsis = "[OPTION...] [DIR | -- PROG [ARG...]]",
    .purpose = "Says what measuring a program will cost: from an earlier profile in DIR (" DEFAULT_DATA_DIR
               "), from the\nfunctions of PROG, or from the first 100 ms of a run.",
    .options = specs,
    .operands_max = SIZE_MAX,
    .operands = "a data directory or a program",
    .run = predict_run,
};
