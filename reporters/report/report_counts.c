#include "reporters/report/report_counts.h"

#include "reporters/base/text.h"
#include "reporters/report/report_common.h"

#include <math.h>

#define SITES_MATTER 0.02 /* of the program's own time: said from there on */

void report_counts_text(struct emitter *emitter, const struct call_tree *tree)
{
    const struct tree_counting *counting = &tree->counting;
    char calls[TEXT_NUMBER], cost[TEXT_NUMBER], half[TEXT_NUMBER], share[TEXT_NUMBER];
    double own = tree->total_all_threads.compensated;
    const char *plural = counting->counted == 1 ? "" : "s";
    if (counting->counted && tree->how.stack_samples > 0)
        emitter_text(emitter, "%u of %u functions counted: their times are from %s samples of the call stack",
                     counting->counted, counting->counted + counting->timed,
                     text_count(calls, (uint64_t)tree->how.stack_samples));
    else if (counting->counted)
        emitter_text(emitter, "%u counted function%s: %s%s%s%s", counting->counted, plural,
                     counting->counted == 1 ? "its time is in its callers'" : "their time is in their callers'",
                     tree->how.no_samples ? " (no samples: " : "", tree->how.no_samples ? tree->how.no_samples : "",
                     tree->how.no_samples ? ")" : "");
    if (counting->sampled)
        emitter_text(emitter, "%u %s%s too hot for the limit of %.3g %%: calls ± from %s windows of %s together",
                     counting->sampled, counting->counted ? "of these " : "counted in place ",
                     counting->sampled == 1 ? "was" : "were", 100 * counting->limit,
                     text_count(calls, counting->windows), text_time(cost, counting->window_time));
    if (counting->calls && tree->model != PCOMP_MODEL_NONE)
        emitter_text(emitter, "counting %s calls in place cost %s ± %s (%s of the program's own time)",
                     text_count(calls, counting->calls), text_time(cost, counting->cost - counting->sites),
                     text_uncertainty(half, counting->cost_uncertainty - counting->sites_uncertainty),
                     text_percent(share, own > 0 ? (counting->cost - counting->sites) / own : 0));
    else if (counting->calls)
        emitter_text(emitter, "%s calls were counted in place", text_count(calls, counting->calls));
    if (counting->sites > 0 && counting->sites > SITES_MATTER * own && tree->model != PCOMP_MODEL_NONE)
        emitter_text(emitter, "%s cost %s ± %s even when they are off: no run can tell%s",
                     counting->hook_sites ? "hook calls" : "sleds", text_time(cost, counting->sites),
                     text_uncertainty(half, counting->sites_uncertainty),
                     counting->hook_sites ? " (pcomp flags: sleds cost a sixth of it, or less)" : "");
    if (counting->off)
        emitter_text(emitter, "%u function%s off (--only, --skip): %s calls are not counted", counting->off,
                     counting->off == 1 ? " is" : "s are", counting->off == 1 ? "its" : "their");
}

void report_counts_fields(struct emitter *emitter, const struct call_tree *tree)
{
    const struct tree_counting *counting = &tree->counting;
    if (!counting->any)
        return;
    emitter_field_count(emitter, "counting|functions|timed", counting->timed);
    emitter_field_count(emitter, "counting|functions|counted", counting->counted);
    emitter_field_count(emitter, "counting|functions|sampled", counting->sampled);
    emitter_field_count(emitter, "counting|functions|off", counting->off);
    emitter_field_real(emitter, "counting|limit_percent", 100 * counting->limit);
    emitter_field_count(emitter, "counting|windows", counting->windows);
    emitter_field_real(emitter, "counting|window_time", counting->window_time);
    emitter_field_real(emitter, "counting|samples", tree->how.stack_samples);
    emitter_field_real(emitter, "counting|sample_cost", tree->how.sample_cost);
    emitter_field_count(emitter, "counting|calls", counting->calls);
    emitter_field_count(emitter, "counting|inexact_calls", counting->inexact);
    emitter_field_real(emitter, "counting|price", counting->price);
    emitter_field_real(emitter, "counting|cost", counting->cost);
    emitter_field_real(emitter, "counting|sites", counting->sites);
    emitter_field_real(emitter, "counting|uncertainty", counting->cost_uncertainty);
    emitter_field_count(emitter, "counting|level_falls", counting->falls);
    emitter_field_count(emitter, "counting|bytes", counting->bytes);
}

void report_emit_calls(struct emitter *emitter, const struct tree_function *function)
{
    if (function->sum || (function->off && !function->calls)) {
        emit_null(emitter);
        return;
    }
    uint64_t half = report_calls_uncertainty(function), max = function->calls + half;
    char text[TEXT_NUMBER];
    emit_count(emitter, function->calls);
    if (half && half >= function->calls && max >= half)
        emit_shown(emitter, "<%s", text_count(text, max));
}

void report_emit_below(struct emitter *emitter, const struct call_tree *tree, uint64_t calls)
{
    if (tree->counting.counted)
        emit_null(emitter);
    else
        emit_count(emitter, calls);
}

bool report_exceeds(const struct tree_function *function, double exclusive)
{
    return exclusive < 0 && !function->sum;
}
