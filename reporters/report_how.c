#include "reporters/report_how.h"

#include "reporters/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *report_model_name(enum pcomp_model model)
{
    static const char *const names[] = {"none", "paper", "split"};
    return (unsigned)model < sizeof names / sizeof *names ? names[model] : "unknown";
}

static void how_timed(const struct call_tree *tree, char *buffer, size_t size)
{
    const struct tree_how *how = &tree->how;
    char share[TEXT_NUMBER];
    if (strcmp(tree->mode, "full") == 0) {
        snprintf(buffer, size, "every call timed");
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
                                               : "measured by the run itself when it started";
    *buffer = 0;
    if (tree->model == PCOMP_MODEL_NONE)
        snprintf(buffer, size, "model none: nothing was taken off, both times are the measured ones");
    else if (strcmp(tree->mode, "full") == 0)
        snprintf(buffer, size, "model %s: one call costs %s in its own time, %s in its callers' (%s)",
                 report_model_name(tree->model), text_time(a, delta->own),
                 text_time(b, tree->model == PCOMP_MODEL_PAPER ? delta->own : delta->descendant), origin);
    else if (!isnan(how->call_overhead))
        snprintf(buffer, size, "overhead a call %s ± %s (%s)", text_time(a, how->call_overhead),
                 text_uncertainty(b, how->call_uncertainty), origin);
}

static const char *how_line(const struct call_tree *tree, char *buffer)
{
    char timed[128], cost[256];
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

void report_how_text(struct emitter *emitter, const char *indent, const struct call_tree *tree)
{
    char how[REPORT_HOW];
    emitter_text(emitter, "%s%s", indent, how_line(tree, how));
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
}
