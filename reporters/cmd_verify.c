/* pcomp verify: what compensation is worth on the user's own program, by running it without instrumentation, too. */
#include "reporters/command.h"
#include "reporters/emitter.h"
#include "reporters/message.h"
#include "reporters/options.h"
#include "reporters/terminal.h"
#include "reporters/verify/verify_report.h"
#include "reporters/verify/verify_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/random.h>

enum verify_truth { TRUTH_TOTAL, TRUTH_SAMPLED };

struct verify_options {
    int truth;
    const char *plain, *instrumented;
    uint64_t runs;
    double fail_above; /* percent; below 0: no limit */
    int format;
    struct record_options method;
};

static bool by_chance(void)
{
    unsigned char byte = 0;
    return getrandom(&byte, 1, 0) == 1 && byte & 1;
}

/* Both programs in random order, so that neither always meets what the other left in caches and clock speeds. */
static bool verify_pair_run(const struct verify_programs *programs, const struct record_options *method,
                            struct verify_pair *pair, struct verify_findings *findings, struct share_table *shares)
{
    bool plain_first = by_chance();
    *pair = (struct verify_pair){.plain = plain_first ? verify_run_plain(programs) : NAN};
    struct call_tree *tree = plain_first && isnan(pair->plain) ? NULL : verify_run_instrumented(programs, method);
    if (!tree)
        return false;
    const struct tree_totals *total = &tree->total;
    pair->raw = total->raw;
    pair->compensated = total->compensated;
    pair->uncertainty = total->uncertainty;
    pair->calls = total->calls;
    snprintf(findings->mode, sizeof findings->mode, "%s", tree->mode);
    findings->model = record_model_name((int)tree->model);
    bool good = !shares || share_table_add(shares, tree) || message_no_memory("verify") == STATUS_DONE;
    call_tree_free(tree);
    if (good && !plain_first)
        pair->plain = verify_run_plain(programs);
    return good && !isnan(pair->plain);
}

static bool verify_measure(const struct verify_options *options, struct verify_programs *programs,
                           struct verify_findings *findings, struct share_table *shares)
{
    struct verify_pair pairs[VERIFY_PAIRS_MOST];
    size_t runs = (size_t)options->runs;
    terminal_bar("verify: pairs of runs", 0, runs + 1);
    bool good = verify_programs_warm(programs, &options->method);
    for (size_t i = 0; good && i < runs; i++) {
        terminal_bar("verify: pairs of runs", i + 1, runs + 1);
        good = verify_pair_run(programs, &options->method, &pairs[i], findings, shares);
    }
    terminal_bar("verify: pairs of runs", runs + 1, runs + 1);
    if (good)
        verify_total_make(&findings->total, pairs, runs);
    return good;
}

/* The share of the samples' distribution that the profile has elsewhere. False after a message. */
static bool verify_distribution(const struct verify_programs *programs, const struct verify_findings *findings,
                                struct verify_distribution *distribution)
{
    if (!sampled_truth_take(&distribution->truth, programs, findings->total.plain.time.value, &distribution->table))
        return false;
    return share_table_distances(&distribution->table, &distribution->distances) ||
           message_no_memory("verify") == STATUS_DONE;
}

static int verify_verdict(const struct verify_options *options, const struct verify_findings *findings)
{
    double percent = 100 * findings->total.compensated_error.value;
    if (options->fail_above < 0)
        return STATUS_DONE;
    if (findings->distribution) {
        double points = 100 * findings->distribution->distances.compensated;
        return points <= options->fail_above
                   ? STATUS_DONE
                   : message_failure("verify: distance of the compensated shares: is %.3g points (the limit is %g)",
                                     points, options->fail_above);
    }
    return fabs(percent) <= options->fail_above
               ? STATUS_DONE
               : message_failure("verify: compensated error: is %+.3g %% (the limit is %g %%)", percent,
                                 options->fail_above);
}

static int verify_run(const struct verify_options *options)
{
    bool sampled = options->truth == TRUTH_SAMPLED;
    struct verify_programs programs;
    struct verify_distribution distribution = {.table = {NULL, 0, 0, NULL, NULL}};
    struct verify_findings findings = {.plain = options->plain, .instrumented = options->instrumented};
    bool good = verify_programs_open(&programs, options->plain, options->instrumented) &&
                (!sampled || sampled_truth_check(&programs));
    programs.want_lines = sampled;
    good = good && verify_measure(options, &programs, &findings, sampled ? &distribution.table : NULL) &&
           (!sampled || verify_distribution(&programs, &findings, &distribution));
    if (sampled)
        findings.distribution = &distribution;
    int status = good ? verify_report(&findings, options->format) : STATUS_BAD;
    if (!status)
        status = verify_verdict(options, &findings);
    share_table_free(&distribution.table);
    verify_programs_close(&programs);
    return status;
}

int cmd_verify(int argc, char **argv)
{
    struct verify_options options = {.runs = 10, .fail_above = -1, .method = {.clock = -1, .model = -1}};
    const struct option_spec specs[] = {
        {"--plain", 0, OPTION_TEXT, "CMD", "runs the uninstrumented program (by sh -c)", &options.plain, NULL},
        {"--instrumented", 0, OPTION_TEXT, "CMD", "runs the instrumented program (by sh -c)", &options.instrumented,
         NULL},
        {"--truth", 0, OPTION_CHOICE, "WHICH", "total (default), or sampled: the shares of functions, too (by perf)",
         &options.truth, "total|sampled"},
        {"--runs", 'n', OPTION_COUNT, "N", "pairs of runs (default 10)", &options.runs, NULL},
        {"--fail-above", 0, OPTION_NUMBER, "PCT",
         "exit status 1 if the compensated error is above PCT %, or sampled shares PCT points off", &options.fail_above,
         NULL},
        RECORD_METHOD_SPECS(options.method),
        {"--format", 0, OPTION_CHOICE, "NAME", "text (default), json or csv", &options.format, EMIT_FORMATS},
        {0},
    };
    const struct command_usage usage = {
        .command = "verify",
        .synopsis = "[OPTION...] --plain CMD --instrumented CMD",
        .purpose = "Holds the compensated times of your program against the program without instrumentation.",
        .options = specs,
        .operands = "nothing",
    };
    struct operands operands;
    int status = options_parse(&usage, argc, argv, &operands);
    if (status >= 0)
        return status;
    if (!options.plain || !options.instrumented)
        return message_misuse("verify: lacks %s (usage: pcomp verify %s)", options.plain ? "--instrumented" : "--plain",
                              usage.synopsis);
    if (options.runs < 1 || options.runs > VERIFY_PAIRS_MOST)
        return message_misuse("verify: --runs %" PRIu64 ": is out of range (1 to %d)", options.runs, VERIFY_PAIRS_MOST);
    status = record_check_calibration(options.method.calibration);
    return status ? status : verify_run(&options);
}
