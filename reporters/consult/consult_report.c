#include "reporters/consult/consult_report.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PHASES_SHOWN    4
#define CHAIN_MIN       0.97
#define NEXT_TO_NOTHING 0.001 /* of the program's time */

struct rows_view {
    const struct consult *consult;
    struct emitter *emitter;
    uint32_t *order; /* hypotheses, siblings in the order in which they are shown */
    uint32_t count;
    bool all;
};

/* --- One hypothesis ---------------------------------------------------------------------------------------------- */

/* To be freed; NULL: no memory. */
static char *place_text(const struct consult *c, const struct pcomp_hypothesis *h)
{
    const struct observer *o = &c->observer;
    char *text = NULL;
    if (c->options.focus && h->axis == (uint32_t)c->focus_axis)
        return strdup(c->options.focus);
    switch (h->axis) {
    case AXIS_PROCESS:
        return asprintf(&text, "process %d", o->processes[h->focus].profile->header.pid) < 0 ? NULL : text;
    case AXIS_THREAD: {
        const struct observed_name *n = &o->names[h->focus];
        return asprintf(&text, "thread %u (%s, %d)", h->focus, n->name, n->tid) < 0 ? NULL : text;
    }
    case AXIS_MODULE:
        return asprintf(&text, "module %s", text_basename(o->foci.modules.list[h->focus].name)) < 0 ? NULL : text;
    case AXIS_FUNCTION:
        return strdup(o->foci.functions.list[h->focus].name);
    case AXIS_OBJECT:
        return strdup(o->foci.objects.list[h->focus].name);
    case AXIS_PATH:
        return foci_path_text(&o->foci, h->focus);
    default:
        return strdup("whole program");
    }
}

static const char *verdict_of(const struct pcomp_hypothesis *h, double samples)
{
    return h->state == PCOMP_HYPOTHESIS_TRUE    ? "true"
           : h->state == PCOMP_HYPOTHESIS_FALSE ? "false"
           : samples > 0                        ? "not decided"
                                                : "not tested";
}

static void phases_text(const struct consult *c, uint32_t index, char *text, size_t size)
{
    struct pcomp_search_phase phases[PCOMP_SEARCH_SLICES];
    char share[TEXT_NUMBER];
    const struct pcomp_hypothesis *h = pcomp_search_at(c->search, index);
    *text = 0;
    if (h->state != PCOMP_HYPOTHESIS_TRUE && h->state != PCOMP_HYPOTHESIS_FALSE)
        return;
    size_t count = pcomp_search_phases(c->search, index, phases, PCOMP_SEARCH_SLICES), used = 0;
    for (size_t i = 0; i < count && i < PHASES_SHOWN && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s from %.2f to %.2f s", i ? ", " : "",
                             text_percent(share, phases[i].value), phases[i].from_s, fmin(phases[i].to_s, c->last_s));
    if (count > PHASES_SHOWN && used < size)
        snprintf(text + used, size - used, ", and %zu more", count - PHASES_SHOWN);
}

/* Why a hypothesis has no verdict. */
static const char *reason_of(const struct consult *c, const struct pcomp_hypothesis *h, double samples)
{
    if (h->state == PCOMP_HYPOTHESIS_TRUE || h->state == PCOMP_HYPOTHESIS_FALSE)
        return NULL;
    if (samples > 0)
        return "the interval contains the threshold";
    if (h->state == PCOMP_HYPOTHESIS_TESTING)
        return "no evidence of this kind";
    return c->options.at_most ? "the program ended before its turn (--at-most)"
                              : "the program ended before its turn (--budget)";
}

/* What text shows: the claim at the root, then foci; of a path, the part below the row above. To be freed. */
static char *label_of(const struct rows_view *view, const struct pcomp_hypothesis *h, uint32_t top, const char *focus,
                      size_t depth)
{
    const struct consult *c = view->consult;
    const char *claim = h->parent == PCOMP_SEARCH_NONE ? why_texts[h->why].claim : "", *kind = "";
    char *label = NULL;
    if (!*claim && h->axis == AXIS_PATH) {
        const struct pcomp_hypothesis *first = pcomp_search_at(c->search, top);
        uint32_t above = c->observer.foci.paths.list[first->focus].parent;
        char *skipped = foci_path_text(&c->observer.foci, above);
        if (skipped && above != PATH_ROOT && !strncmp(focus, skipped, strlen(skipped)))
            focus += strlen(skipped) + strlen(" > ");
        kind = above == PATH_ROOT ? "path " : "> ";
        free(skipped);
    } else if (!*claim && (h->axis == AXIS_FUNCTION || h->axis == AXIS_OBJECT))
        kind = h->axis == AXIS_FUNCTION ? "function " : "for ";
    if (*claim && !c->options.focus)
        focus = "";
    return asprintf(&label, "%*s%s%s%s%s", (int)(2 * depth), "", claim, *claim && *focus ? ": " : "", kind, focus) < 0
               ? NULL
               : label;
}

static void row(const struct rows_view *view, uint32_t index, uint32_t top, size_t depth)
{
    const struct consult *c = view->consult;
    const struct pcomp_hypothesis *h = pcomp_search_at(c->search, index);
    double samples;
    struct pcomp_share share = pcomp_search_share(c->search, index, &samples);
    char phases[400], *focus = place_text(c, h), *label, low[TEXT_NUMBER], high[TEXT_NUMBER];
    bool decided = h->state == PCOMP_HYPOTHESIS_TRUE || h->state == PCOMP_HYPOTHESIS_FALSE;
    bool root = h->parent == PCOMP_SEARCH_NONE;
    phases_text(c, index, phases, sizeof phases);
    label = label_of(view, h, top, focus, depth);
    emitter_row(view->emitter);
    emit_count(view->emitter, index);
    if (root)
        emit_null(view->emitter);
    else
        emit_count(view->emitter, h->parent);
    emit_name(view->emitter, why_texts[h->why].name);
    emit_name(view->emitter, consult_axis_names[h->axis]);
    emit_name(view->emitter, focus);
    emit_name(view->emitter, verdict_of(h, samples));
    emit_share(view->emitter, samples > 0 ? share.value : NAN);
    emit_share(view->emitter, samples > 0 ? share.low : NAN);
    emit_share(view->emitter, samples > 0 ? share.high : NAN);
    emit_name(view->emitter, "");
    emit_shown(view->emitter, samples > 0 ? "%s - %s" : "-", text_percent(low, share.low),
               text_percent(high, share.high));
    emit_share(view->emitter, h->threshold);
    emit_count(view->emitter, (uint64_t)samples);
    emit_real(view->emitter, h->state == PCOMP_HYPOTHESIS_QUEUED && !(samples > 0) ? NAN : h->began_s);
    emit_real(view->emitter, decided ? h->tested_s : NAN);
    emit_shown(view->emitter, decided ? "%.2f s" : "-", h->tested_s);
    emit_name(view->emitter, *phases ? phases : NULL);
    emit_name(view->emitter, reason_of(c, h, samples));
    emit_name(view->emitter, label);
    emit_remark(view->emitter, phases);
    emitter_row_end(view->emitter);
    free(label);
    free(focus);
}

/* --- The tree ---------------------------------------------------------------------------------------------------- */

static const struct consult *sorted; /* for qsort */

static int compare(const void *a, const void *b)
{
    const struct pcomp_hypothesis *x = pcomp_search_at(sorted->search, *(const uint32_t *)a),
                                  *y = pcomp_search_at(sorted->search, *(const uint32_t *)b);
    bool true_x = x->state == PCOMP_HYPOTHESIS_TRUE, true_y = y->state == PCOMP_HYPOTHESIS_TRUE;
    double samples;
    if (true_x != true_y)
        return true_x ? -1 : 1;
    if (x->axis != y->axis)
        return x->axis < y->axis ? -1 : 1;
    double share_x = pcomp_search_share(sorted->search, *(const uint32_t *)a, &samples).value,
           share_y = pcomp_search_share(sorted->search, *(const uint32_t *)b, &samples).value;
    if (share_x != share_y)
        return share_x > share_y ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* A hypothesis about the whole program that took next to no time: named in one sentence below the table. */
static bool is_nothing(const struct rows_view *view, uint32_t index)
{
    const struct pcomp_hypothesis *h = pcomp_search_at(view->consult->search, index);
    double samples;
    return !view->all && h->parent == PCOMP_SEARCH_NONE && h->state == PCOMP_HYPOTHESIS_FALSE &&
           pcomp_search_share(view->consult->search, index, &samples).value < NEXT_TO_NOTHING;
}

static bool is_shown(const struct rows_view *view, uint32_t index)
{
    const struct pcomp_hypothesis *h = pcomp_search_at(view->consult->search, index);
    if (is_nothing(view, index))
        return false;
    return h->state != PCOMP_HYPOTHESIS_LATENT &&
           (view->all || h->parent == PCOMP_SEARCH_NONE || h->state == PCOMP_HYPOTHESIS_TRUE);
}

static void say_nothings(const struct rows_view *view)
{
    char names[400] = "";
    size_t used = 0, count = 0;
    for (uint32_t i = 0; i < view->count && used < sizeof names; i++)
        if (is_nothing(view, view->order[i]))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", count++ ? ", " : "",
                                     why_texts[pcomp_search_at(view->consult->search, view->order[i])->why].name);
    if (count)
        emitter_text(view->emitter, "false, with next to no time: %s (--all shows them)", names);
}

/* The one shown refinement of a call path; PCOMP_SEARCH_NONE: none, or several. */
static uint32_t only_shown(const struct rows_view *view, uint32_t parent)
{
    uint32_t found = PCOMP_SEARCH_NONE;
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t index = view->order[i];
        if (pcomp_search_at(view->consult->search, index)->parent != parent || !is_shown(view, index))
            continue;
        if (found != PCOMP_SEARCH_NONE)
            return PCOMP_SEARCH_NONE;
        found = index;
    }
    return found;
}

/* A path with one refinement of nearly all of its share is shown as one with that. */
static uint32_t end_of_chain(const struct rows_view *view, uint32_t index)
{
    double samples;
    const struct pcomp_search *search = view->consult->search;
    for (;;) {
        uint32_t next = pcomp_search_at(search, index)->axis == AXIS_PATH ? only_shown(view, index) : PCOMP_SEARCH_NONE;
        if (next == PCOMP_SEARCH_NONE || pcomp_search_share(search, next, &samples).value <
                                             CHAIN_MIN * pcomp_search_share(search, index, &samples).value)
            return index;
        index = next;
    }
}

static void rows_below(const struct rows_view *view, uint32_t parent, size_t depth)
{
    bool text = emitter_is(view->emitter, EMIT_TEXT);
    bool hidden = !view->all && parent != PCOMP_SEARCH_NONE && /* it was true for a time */
                  pcomp_search_at(view->consult->search, parent)->state != PCOMP_HYPOTHESIS_TRUE;
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t index = view->order[i];
        if (pcomp_search_at(view->consult->search, index)->parent != parent || !is_shown(view, index) || hidden)
            continue;
        uint32_t end = text && !view->all ? end_of_chain(view, index) : index;
        row(view, end, index, depth);
        emitter_nest(view->emitter, "refined");
        rows_below(view, end, depth + 1);
        emitter_nest_end(view->emitter);
    }
}

static bool make_order(struct rows_view *view)
{
    view->count = pcomp_search_count(view->consult->search);
    view->order = malloc((view->count + 1) * sizeof *view->order);
    if (!view->order)
        return false;
    for (uint32_t i = 0; i < view->count; i++)
        view->order[i] = i;
    sorted = view->consult;
    qsort(view->order, view->count, sizeof *view->order, compare);
    return true;
}

/* --- Around it --------------------------------------------------------------------------------------------------- */

static void cost_fields(struct emitter *emitter, const char *name, const struct consult_cost *cost)
{
    char key[64];
    snprintf(key, sizeof key, "cost|%s|mean", name);
    emitter_field_real(emitter, key, consult_cost_mean(cost));
    snprintf(key, sizeof key, "cost|%s|most", name);
    emitter_field_real(emitter, key, consult_cost_max(cost));
    snprintf(key, sizeof key, "cost|%s|variance", name);
    emitter_field_real(emitter, key, consult_cost_variance(cost));
}

static size_t threads_of(const struct consult *c, bool measured)
{
    size_t count = 0;
    for (size_t i = 0; i < c->observer.name_count; i++)
        count += c->observer.names[i].measured == measured;
    return count;
}

/* What record would say of the run; where its profile cannot be read, what was seen meanwhile. */
static double measuring_share(const struct consult *c, const struct consult_run *run)
{
    return isnan(run->measuring) ? consult_cost_mean(&c->hooks) : run->measuring;
}

static void head(const struct consult *c, const struct consult_run *run, struct emitter *emitter)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], d[TEXT_NUMBER], e[TEXT_NUMBER];
    size_t threads = threads_of(c, true);
    uint32_t counts[PCOMP_HYPOTHESIS_FALSE + 1] = {0};
    for (uint32_t i = 0; i < pcomp_search_count(c->search); i++)
        counts[pcomp_search_at(c->search, i)->state]++;
    emitter_field_text(emitter, "program", run->program);
    emitter_field_count(emitter, "exit_status", (uint64_t)run->exit_status);
    emitter_field_real(emitter, "seconds", run->seconds);
    emitter_field_real(emitter, "budget", c->options.budget < 1 ? c->options.budget : NAN);
    emitter_field_count(emitter, "at_most", c->options.at_most);
    emitter_field_count(emitter, "threads", threads);
    emitter_field_count(emitter, "samples", c->samples);
    emitter_field_count(emitter, "looks", c->observer.looks);
    emitter_field_count(emitter, "looks_without_place", c->observer.unknown);
    emitter_field_real(emitter, "first_sample_s", c->first_s);
    emitter_field_real(emitter, "last_true_s", counts[PCOMP_HYPOTHESIS_TRUE] ? c->found_s : NAN);
    emitter_field_real(emitter, "all_decided_s", c->answered_s < 0 ? NAN : c->answered_s);
    emitter_field_count(emitter, "calls", c->calls);
    cost_fields(emitter, "observed", &c->observed);
    cost_fields(emitter, "hooks", &c->hooks);
    cost_fields(emitter, "evidence", &c->evidence);
    emitter_field_real(emitter, "cost|sample_s", c->cost.sample);
    emitter_field_real(emitter, "cost|profile", run->measuring);
    emitter_text(emitter, "%s: %s, %s samples of %zu thread%s at random moments, %s apart at the end", run->program,
                 text_time(a, run->seconds * 1e9), text_count(b, c->samples), threads, threads == 1 ? "" : "s",
                 text_time(d, c->plan.distance * 1e9));
    emitter_text(emitter, "hypotheses: %u true, %u false, %u not decided or not tested", counts[PCOMP_HYPOTHESIS_TRUE],
                 counts[PCOMP_HYPOTHESIS_FALSE], counts[PCOMP_HYPOTHESIS_QUEUED] + counts[PCOMP_HYPOTHESIS_TESTING]);
    if (counts[PCOMP_HYPOTHESIS_TRUE])
        emitter_text(emitter, "the last one became true after %s", text_time(a, c->found_s * 1e9));
    emitter_text(emitter,
                 "cost: %s of the program's time for measuring, %s of one processor for samples (%s each); most %s",
                 text_percent(a, measuring_share(c, run)), text_percent(b, consult_cost_mean(&c->evidence)),
                 text_time(d, c->cost.sample * 1e9), text_percent(e, c->observed.max));
    emitter_text(emitter, "%s", "");
}

static void notes(const struct consult *c, const struct consult_run *run, struct emitter *emitter)
{
    uint32_t untested = 0;
    for (uint32_t i = 0; i < pcomp_search_count(c->search); i++)
        untested += pcomp_search_at(c->search, i)->state == PCOMP_HYPOTHESIS_QUEUED;
    if (untested)
        emitter_note(emitter, "hypotheses that had no turn: %u (%s limits how many are tested at a time)", untested,
                     c->options.at_most ? "--at-most" : "--budget");
    if (threads_of(c, false))
        emitter_note(emitter, "%zu threads ran no instrumented function and were not looked at", threads_of(c, false));
    if (c->observer.looks && c->observer.unknown * 20 > c->observer.looks)
        emitter_note(emitter,
                     "in %.0f %% of the looks the place was not known (threads without instrumented functions)",
                     100 * (double)c->observer.unknown / (double)c->observer.looks);
    if (c->options.budget < 1 && measuring_share(c, run) + consult_cost_mean(&c->evidence) > c->options.budget)
        emitter_note(emitter, "the cost was above the budget of %.0f %%", 100 * c->options.budget);
    if (c->observer.counts)
        emitter_note(emitter, "time of functions that are only counted is in the place of their timed callers (--mode "
                              "full times all)");
    else if (measuring_share(c, run) > 0.1)
        emitter_note(emitter,
                     "measuring took more than a tenth of the time: shares of functions that are called often are "
                     "too high (--budget)");
}

int consult_report(const struct consult *c, const struct consult_run *run, enum emit_format format, FILE *out, bool all)
{
    static const struct emit_column columns[] = {
        {"id", NULL, NULL, EMIT_COUNT, 0},
        {"refines", NULL, NULL, EMIT_COUNT, 0},
        {"why", NULL, NULL, EMIT_NAME, 0},
        {"axis", NULL, NULL, EMIT_NAME, 0},
        {"focus", NULL, NULL, EMIT_NAME, 0},
        {"verdict", NULL, "verdict", EMIT_NAME, 0},
        {"share", NULL, "share", EMIT_SHARE, 0},
        {"low", NULL, NULL, EMIT_SHARE, 0},
        {"high", NULL, NULL, EMIT_SHARE, 0},
        {NULL, NULL, "95 % interval", EMIT_NAME, 2},
        {"threshold", NULL, "threshold", EMIT_SHARE, 3},
        {"samples", NULL, "samples", EMIT_COUNT, 4},
        {"began_s", NULL, NULL, EMIT_REAL, 0},
        {"decided_s", NULL, "decided after", EMIT_REAL, 1},
        {"phases", NULL, NULL, EMIT_NAME, 0},
        {"reason", NULL, NULL, EMIT_NAME, 0},
        {NULL, NULL, "the program", EMIT_NAME, 0},
    };
    struct emitter *emitter = emitter_open(format, out, "pcomp-consult/1");
    struct rows_view view = {.consult = c, .emitter = emitter, .all = all || format != EMIT_TEXT};
    if (!emitter)
        return message_no_memory("consult");
    head(c, run, emitter);
    emitter_table(emitter, "hypotheses", columns, sizeof columns / sizeof *columns, true);
    if (make_order(&view))
        rows_below(&view, PCOMP_SEARCH_NONE, 0);
    emitter_table_end(emitter);
    if (view.order)
        say_nothings(&view);
    free(view.order);
    notes(c, run, emitter);
    return emitter_close(emitter);
}
