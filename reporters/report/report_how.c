#include "reporters/report/report_how.h"

#include "compensation/cost/online_model.h"
#include "reporters/base/text.h"

#include <stdio.h>
#include <string.h>

const char *report_model_name(const struct call_tree *tree)
{
    const char *name = pcomp_model_name(tree->model);
    if (tree->how.replayed && tree->model != PCOMP_MODEL_NONE)
        return strncmp(tree->how.replayed, "time", 4) ? "event" : "time";
    return name ? name : "unknown";
}

static void how_timed(const struct call_tree *tree, char *buffer, size_t size)
{
    const struct tree_how *how = &tree->how;
    if (how->replayed) {
        snprintf(buffer, size, "every event of a trace");
    } else if (strcmp(tree->mode, "full") == 0) {
        snprintf(buffer, size, "every call timed");
    } else {
        snprintf(buffer, size, "calls of rare functions timed, of hot ones counted in place%s",
                 tree->counting.sampled ? ", of the hottest in windows alone" : "");
    }
}

static void how_cost(const struct call_tree *tree, char *buffer, size_t size)
{
    const struct tree_delta *delta = &tree->delta[PCOMP_VARIANT_REPEAT];
    const struct tree_how *how = &tree->how;
    char a[TEXT_NUMBER], b[TEXT_NUMBER], samples[96] = "";
    const char *origin = how->calibration_file ? "from the calibration file of --calibration"
                                               : "measured by the run itself when it started";
    *buffer = 0;
    if (how->price_samples > 0)
        snprintf(samples, sizeof samples, ", and corrected by %.0f samples of the probes in the program",
                 how->price_samples);
    if (tree->model == PCOMP_MODEL_NONE)
        snprintf(buffer, size, "model none: nothing was taken off, both times are the measured ones");
    else if (how->replayed)
        snprintf(buffer, size, "model %s: recording a call took %s (measured by the run itself)", how->replayed,
                 text_time(a, delta->descendant));
    else
        snprintf(buffer, size, "model %s: one call costs %s in its own time, %s in its callers' (%s%s)",
                 report_model_name(tree), text_time(a, delta->own),
                 text_time(b, tree->model == PCOMP_MODEL_PAPER ? delta->own : delta->descendant), origin, samples);
}

static const char *how_line(const struct call_tree *tree, char *buffer)
{
    char timed[160], cost[256];
    how_timed(tree, timed, sizeof timed);
    how_cost(tree, cost, sizeof cost);
    snprintf(buffer, REPORT_HOW, "mode %s: %s%s%s", tree->mode, timed, *cost ? "; " : "", cost);
    return buffer;
}

const char *report_how(const struct call_tree *tree, char *buffer)
{
    char how[REPORT_HOW];
    snprintf(buffer, REPORT_HOW, "%s%s%s", how_line(tree, how), tree->how.fitted ? "; fitted to: " : "",
             tree->how.fitted ? tree->how.fitted : "");
    return buffer;
}

void report_trace_budget_text(struct emitter *emitter, const char *indent, const struct call_tree *tree)
{
    const struct tree_trace_budget *budget = &tree->trace_budget;
    char rate[TEXT_NUMBER], worst[TEXT_NUMBER];
    if (budget->rate > 0)
        emitter_text(emitter, "%sbudget %s of trace a second: at most %s in a second", indent,
                     text_bytes(rate, (uint64_t)budget->rate), text_bytes(worst, (uint64_t)budget->worst));
}

void report_trace_budget_fields(struct emitter *emitter, const char *prefix, const struct call_tree *tree)
{
    const struct tree_trace_budget *budget = &tree->trace_budget;
    const struct {
        const char *name;
        double value;
    } fields[] = {{"bytes_per_second", budget->rate},
                  {"worst_bytes", budget->worst},
                  {"violations", budget->violations},
                  {"longest_violation", budget->longest},
                  {"all_violations", budget->all}};
    char key[80];
    if (!(budget->rate > 0))
        return;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        snprintf(key, sizeof key, "%strace_budget|%s", prefix, fields[i].name);
        emitter_field_real(emitter, key, fields[i].value);
    }
    snprintf(key, sizeof key, "%strace_budget|cause", prefix);
    emitter_field_text(emitter, key, budget->cause);
}

void report_how_text(struct emitter *emitter, const char *indent, const struct call_tree *tree)
{
    char how[REPORT_HOW];
    emitter_text(emitter, "%s%s", indent, how_line(tree, how));
    report_trace_budget_text(emitter, indent, tree);
    if (tree->how.fitted)
        emitter_text(emitter, "%sfitted to: %s", indent, tree->how.fitted);
}

void report_how_fields(struct emitter *emitter, const char *prefix, const struct call_tree *tree)
{
    const struct tree_how *how = &tree->how;
    char key[80];
    snprintf(key, sizeof key, "%show|timed_events_percent", prefix);
    emitter_field_real(emitter, key, 100 * how->timed_share);
    snprintf(key, sizeof key, "%show|overhead_per_call", prefix);
    emitter_field_real(emitter, key, how->call_overhead);
    snprintf(key, sizeof key, "%show|overhead_per_call_uncertainty", prefix);
    emitter_field_real(emitter, key, how->call_uncertainty);
    snprintf(key, sizeof key, "%show|calibration", prefix);
    emitter_field_text(emitter, key, how->calibration_file ? "file" : "run");
    snprintf(key, sizeof key, "%sfitted", prefix);
    emitter_field_text(emitter, key, how->fitted);
    report_trace_budget_fields(emitter, prefix, tree);
    if (!how->replayed)
        return;
    snprintf(key, sizeof key, "%sreplayed", prefix);
    emitter_field_text(emitter, key, how->replayed);
}
