/* pcomp verify: what compensation is worth on the user's own program, by running it without instrumentation, too. */
#include "compensation/cost/online_model.h"
#include "reporters/base/emitter.h"
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/base/output_file.h"
#include "reporters/base/terminal.h"
#include "reporters/cmd/command.h"
#include "reporters/verify/call_fit.h"
#include "reporters/verify/verify_report.h"
#include "reporters/verify/verify_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum verify_truth { TRUTH_TOTAL, TRUTH_SAMPLED };

struct verify_options {
    int truth;
    const char *plain, *instrumented, *fit;
    uint64_t runs;
    double fail_above; /* percent; below 0: no limit */
    int format;
    struct record_options method;
};

/* One use of the command, while it runs. */
struct verify_session {
    const struct verify_options *options;
    struct verify_programs programs;
    struct verify_findings findings;
    struct verify_distribution distribution;
    struct verify_fit fit;
    struct verify_pair pairs[VERIFY_PAIRS_MAX];
    struct call_fit_run costs[VERIFY_PAIRS_MAX];
    char clock[32];
};

/* --- Pairs of runs ----------------------------------------------------------------------------------------------- */

static bool by_chance(void)
{
    unsigned char byte = 0;
    return getrandom(&byte, 1, 0) == 1 && byte & 1;
}

/* What is kept of a profile. False after a message. */
static bool verify_take(struct verify_session *session, const struct call_tree *tree, size_t i)
{
    const struct tree_totals *total = &tree->total;
    struct verify_pair *pair = &session->pairs[i];
    pair->raw = total->raw;
    pair->compensated = total->compensated;
    pair->uncertainty = total->uncertainty;
    pair->calls = total->calls;
    memcpy(session->costs[i].costs, tree->delta, sizeof tree->delta);
    snprintf(session->clock, sizeof session->clock, "%s", tree->clock);
    snprintf(session->findings.mode, sizeof session->findings.mode, "%s", tree->mode);
    session->findings.model = pcomp_model_name(tree->model);
    if (!total->calls)
        return message_failure("verify: --instrumented '%s': its main thread made no instrumented call (build the file "
                               "with main with -finstrument-functions)",
                               session->options->instrumented) == STATUS_DONE;
    if (!isfinite(total->raw) || !isfinite(total->compensated) || !isfinite(total->uncertainty))
        return message_failure(
                   "verify: --instrumented '%s': its profile has no total (record it, pcomp report says why)",
                   session->options->instrumented) == STATUS_DONE;
    return session->options->truth != TRUTH_SAMPLED || share_table_add(&session->distribution.table, tree) ||
           message_no_memory("verify") == STATUS_DONE;
}

/* Both programs in random order, so that neither always meets what the other left in caches and clock speeds. */
static bool verify_pair_run(struct verify_session *session, const struct record_options *method, size_t i)
{
    bool plain_first = by_chance();
    double *plain = &session->pairs[i].plain;
    *plain = plain_first ? verify_run_plain(&session->programs) : NAN;
    struct call_tree *tree = plain_first && isnan(*plain) ? NULL : verify_run_instrumented(&session->programs, method);
    if (!tree)
        return false;
    bool good = verify_take(session, tree, i);
    call_tree_free(tree);
    if (good && !plain_first)
        *plain = verify_run_plain(&session->programs);
    return good && !isnan(*plain);
}

/* Runs the pairs from `first` on. */
static bool verify_pairs_run(struct verify_session *session, const struct record_options *method, size_t first,
                             size_t count)
{
    bool good = true;
    for (size_t i = first; good && i < first + count; i++) {
        terminal_bar("verify: pairs of runs", i + 1, (size_t)session->options->runs + 1);
        good = verify_pair_run(session, method, i);
    }
    return good;
}

static bool verify_measure(struct verify_session *session)
{
    const struct verify_options *options = session->options;
    size_t runs = (size_t)options->runs, held_out = options->fit ? runs / 2 : 0, used = runs - held_out;
    terminal_bar("verify: pairs of runs", 0, runs + 1);
    bool good = verify_programs_warm(&session->programs, &options->method) &&
                verify_pairs_run(session, &options->method, 0, used);
    if (good)
        verify_total_make(&session->findings.total, session->pairs, used);
    if (good && held_out) {
        struct call_fit fit;
        struct record_options fitted = options->method;
        fitted.calibration = options->fit;
        call_fit_make(&fit, session->pairs, session->costs, used);
        good = call_fit_write(&fit, options->fit, session->clock, options->plain, used) &&
               verify_pairs_run(session, &fitted, used, held_out);
        session->fit = (struct verify_fit){.file = options->fit,
                                           .call = fit.costs[PCOMP_VARIANT_LOOKUP].descendant,
                                           .spread = fit.costs[PCOMP_VARIANT_LOOKUP].descendant_spread};
        if (good)
            verify_total_make(&session->fit.total, session->pairs + used, held_out);
    }
    terminal_bar("verify: pairs of runs", 1, 1);
    return good;
}

/* --- Results ----------------------------------------------------------------------------------------------------- */

/* Where the samples are and the profile is not. False after a message. */
static bool verify_distribution(struct verify_session *session)
{
    struct verify_distribution *distribution = &session->distribution;
    double ns = session->findings.total.plain.time.value;
    if (!sampled_truth_take(&distribution->truth, &session->programs, ns, &distribution->table))
        return false;
    return share_table_distances(&distribution->table, &distribution->distances) ||
           message_no_memory("verify") == STATUS_DONE;
}

static int verify_verdict(double limit, const struct verify_findings *findings)
{
    if (limit < 0)
        return STATUS_DONE;
    double points = findings->distribution ? 100 * findings->distribution->distances.compensated : 0;
    if (!(points <= limit))
        return message_failure("verify: distance of the compensated shares: is %.3g points (the limit is %g)", points,
                               limit);
    if (findings->distribution)
        return STATUS_DONE;
    const struct verify_total *total = findings->fit ? &findings->fit->total : &findings->total;
    double percent = 100 * total->compensated_error.value;
    return fabs(percent) <= limit ? STATUS_DONE
                                  : message_failure("verify: %s error: is %+.3g %% (the limit is %g %%)",
                                                    findings->fit ? "held-out" : "compensated", percent, limit);
}

static int verify_make(const struct verify_options *options)
{
    bool sampled = options->truth == TRUTH_SAMPLED;
    struct verify_session *session = calloc(1, sizeof *session);
    if (!session)
        return message_no_memory("verify");
    session->options = options;
    session->findings = (struct verify_findings){.plain = options->plain,
                                                 .instrumented = options->instrumented,
                                                 .distribution = sampled ? &session->distribution : NULL,
                                                 .fit = options->fit ? &session->fit : NULL};
    bool good = verify_programs_open(&session->programs, options->plain, options->instrumented) &&
                (!sampled || sampled_truth_check(&session->programs));
    session->programs.want_lines = sampled;
    good = good && verify_measure(session) && (!sampled || verify_distribution(session));
    int status = good ? verify_report(&session->findings, options->format) : STATUS_BAD;
    if (!status)
        status = verify_verdict(options->fail_above, &session->findings);
    share_table_free(&session->distribution.table);
    verify_programs_close(&session->programs);
    free(session);
    return status;
}

/* Whether the file can be written, before half of the runs are made for it. */
static bool verify_can_write(const char *path)
{
    struct output_file file;
    return output_file_open(&file, path) && output_file_close(&file, false);
}

static int verify_check(const struct verify_options *options)
{
    if (!options->plain || !options->instrumented)
        return message_misuse("verify: lacks %s (usage: pcomp verify %s)",
                              options->plain ? "--instrumented" : "--plain", cmd_verify.synopsis);
    uint64_t min = options->fit ? 2 : 1;
    if (options->runs < min || options->runs > VERIFY_PAIRS_MAX)
        return message_misuse("verify: --runs %" PRIu64 ": is out of range (%" PRIu64 " to %d%s)", options->runs, min,
                              VERIFY_PAIRS_MAX, options->fit ? ": half of them are held out of the fit" : "");
    if (options->fit && !strcmp(options->fit, "-"))
        return message_misuse("verify: --fit -: is not a file (the held-out runs read it: give it a name)");
    if (options->fit && !verify_can_write(options->fit))
        return STATUS_BAD;
    if (options->fit && options->method.mode == PCOMP_MODE_AUTO)
        return message_misuse("verify: --fit %s: every call must be timed (leave --mode auto away)", options->fit);
    int status = record_check_rules(&options->method);
    if (!status)
        status = record_check_budget(&options->method);
    return status ? status : record_check_calibration(options->method.calibration);
}

static struct verify_options given = {.runs = 10, .fail_above = -1, .method = {RECORD_DEFAULTS}};
static const struct option_spec specs[] = {
    {"--plain", 0, OPTION_TEXT, "CMD", "runs the uninstrumented program (by sh -c)", &given.plain, NULL},
    {"--instrumented", 0, OPTION_TEXT, "CMD", "runs the instrumented program (by sh -c)", &given.instrumented, NULL},
    {"--truth", 0, OPTION_CHOICE, "WHICH", "total (default), or sampled: the shares of functions, too (by perf)",
     &given.truth, "total|sampled"},
    {"--runs", 'n', OPTION_COUNT, "N", "pairs of runs (default 10)", &given.runs, NULL},
    {"--fit", 0, OPTION_TEXT, "FILE",
     "fit the timed call to half of the pairs, write it for --calibration, try it on the others", &given.fit, NULL},
    {"--fail-above", 0, OPTION_NUMBER, "PCT",
     "exit status 1 if the compensated error is above PCT %, or sampled shares PCT points off", &given.fail_above,
     NULL},
    RECORD_METHOD_SPECS(given.method) EMIT_FORMAT_SPEC(&given.format),
    {0},
};

static int verify_run(const struct operands *operands)
{
    (void)operands; /* there are none */
    if (given.fit && given.method.mode < 0)
        given.method.mode = PCOMP_MODE_FULL;
    int status = verify_check(&given);
    return status ? status : verify_make(&given);
}

const struct command_usage cmd_verify = {
    .command = "verify",
    .summary = "compensated times against your uninstrumented program",
    .synopsis = "[OPTION...] --plain CMD --instrumented CMD",
    .purpose = "Holds the compensated times of your program against the program without instrumentation.",
    .options = specs,
    .operands = "nothing",
    .run = verify_run,
};
