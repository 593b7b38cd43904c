#include "reporters/report_how.h"

#include "reporters/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *report_model_name(const struct call_tree *tree)
{
    static const char *const names[] = {"none", "paper", "split"};
    if (tree->how.replayed && tree->model != PCOMP_MODEL_NONE)
        return strncmp(tree->how.replayed, "time", 4) ? "event" : "time";
    return (unsigned)tree->model < sizeof names / sizeof *names ? names[tree->model] : "unknown";
}

static void how_timed(const struct call_tree *tree, char *buffer, size_t size)
{
    const struct tree_how *how = &tree->how;
    char share[TEXT_NUMBER];
    if (how->replayed) {
        snprintf(buffer, size, "every event of a trace");
    } else if (strcmp(tree->mode, "burst") == 0) {
        int length = snprintf(buffer, size, "all calls and times are estimated, hooks were on in %.2g %% of the run",
                              100 * how->seen_share);
        if (how->pc_samples > 0)
            snprintf(buffer + length, size - (size_t)length, ", %s samples tell of the rest",
                     text_count(share, how->pc_samples));
    } else if (strcmp(tree->mode, "full") == 0) {
        snprintf(buffer, size, "every call timed");
    } else if (strcmp(tree->mode, "auto") == 0) {
        snprintf(buffer, size, "calls of rare functions timed, of hot ones counted in place%s",
                 tree->counting.sampled ? ", of the hottest in windows alone" : "");
    } else if (!(how->timed_share < 1)) {
        snprintf(buffer, size, "all calls counted, and timed");
    } else {
        if (how->timed_share < 0.01)
            snprintf(share, sizeof share, "%.2g %%", 100 * how->timed_share);
        else
            text_percent(share, how->timed_share);
        snprintf(buffer, size, "all calls counted, %s of the events timed in random bursts", share);
    }
}

static void how_cost(const struct call_tree *tree, char *buffer, size_t size)
{
    const struct tree_delta *delta = &tree->delta[PCOMP_VARIANT_REPEAT];
    const struct tree_how *how = &tree->how;
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    const char *origin = how->calibration_file ? "from the calibration file of --calibration"
                         : how->in_place       ? "measured by the run itself, all along"
                                               : "measured by the run itself when it started";
    *buffer = 0;
    if (tree->model == PCOMP_MODEL_NONE)
        snprintf(buffer, size, "model none: nothing was taken off, both times are the measured ones");
    else if (how->replayed)
        snprintf(buffer, size, "model %s: recording a call took %s (measured by the run itself)", how->replayed,
                 text_time(a, delta->descendant));
    else if (strcmp(tree->mode, "full") == 0 || strcmp(tree->mode, "auto") == 0)
        snprintf(buffer, size, "model %s: one call costs %s in its own time, %s in its callers' (%s)",
                 report_model_name(tree), text_time(a, delta->own),
                 text_time(b, tree->model == PCOMP_MODEL_PAPER ? delta->own : delta->descendant), origin);
    else if (!isnan(how->call_overhead))
        snprintf(buffer, size, "overhead a call %s ± %s (%s)", text_time(a, how->call_overhead),
                 text_uncertainty(b, how->call_uncertainty), origin);
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

static void budget_text(struct emitter *emitter, const char *indent, const struct tree_budget *budget)
{
    char returns[64] = "", observed[64] = "all"; /* by what it is taken to cost, more than there was */
    if (!(budget->share > 0))
        return;
    if (budget->returns)
        snprintf(returns, sizeof returns, "; every call was counted again %u time%s", budget->returns,
                 budget->returns > 1 ? "s" : "");
    if (isfinite(budget->observed))
        snprintf(observed, sizeof observed, "%.2g %%", 100 * budget->observed);
    emitter_text(emitter,
                 "%sbudget %.3g %%: measuring cost %s of the program's own time, at most %.2g %% in a second%s", indent,
                 100 * budget->share, observed, 100 * budget->worst, returns);
}

static void budget_fields(struct emitter *emitter, const char *prefix, const struct tree_budget *budget)
{
    const struct {
        const char *name;
        double value;
    } fields[] = {{"percent", 100 * budget->share},
                  {"observed_percent", 100 * budget->observed},
                  {"worst_percent", 100 * budget->worst},
                  {"violations", budget->violations},
                  {"longest_violation", budget->longest},
                  {"all_violations", budget->all},
                  {"returns", budget->returns}};
    char key[80];
    for (size_t i = 0; budget->share > 0 && i < sizeof fields / sizeof *fields; i++) {
        snprintf(key, sizeof key, "%sbudget|%s", prefix, fields[i].name);
        emitter_field_real(emitter, key, fields[i].value);
    }
    snprintf(key, sizeof key, "%sbudget|cause", prefix);
    if (budget->share > 0)
        emitter_field_text(emitter, key, budget->cause);
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
    budget_text(emitter, indent, &tree->budget);
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
    if (strcmp(tree->mode, "burst") == 0) {
        snprintf(key, sizeof key, "%show|seen_percent", prefix);
        emitter_field_real(emitter, key, 100 * how->seen_share);
        snprintf(key, sizeof key, "%show|samples", prefix);
        emitter_field_real(emitter, key, how->pc_samples);
    }
    snprintf(key, sizeof key, "%show|overhead_per_call", prefix);
    emitter_field_real(emitter, key, how->call_overhead);
    snprintf(key, sizeof key, "%show|overhead_per_call_uncertainty", prefix);
    emitter_field_real(emitter, key, how->call_uncertainty);
    snprintf(key, sizeof key, "%show|calibration", prefix);
    emitter_field_text(emitter, key, how->calibration_file ? "file" : "run");
    snprintf(key, sizeof key, "%sfitted", prefix);
    emitter_field_text(emitter, key, how->fitted);
    budget_fields(emitter, prefix, &tree->budget);
    report_trace_budget_fields(emitter, prefix, tree);
    if (!how->replayed)
        return;
    snprintf(key, sizeof key, "%sreplayed", prefix);
    emitter_field_text(emitter, key, how->replayed);
}
