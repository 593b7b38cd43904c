/* The head of a report: the keys of JSON; in text one sentence and two lines of terms, or all there is to know. */
#include "reporters/report/report_head.h"

#include "reporters/base/text.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"
#include "reporters/report/report_how.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_COLUMNS 80
#define COMMAND_MIN  16
#define TERM         120 /* bytes of one term, TEXT_CALLS at least */
#define MORE         "-v: how it is known"

static double total_computing(const struct tree_totals *total)
{
    return total->compensated - total->waiting - total->ready;
}

static bool matters(const struct call_tree *tree, const struct tree_totals *all)
{
    return report_matters(tree, all->waiting + all->ready);
}

static bool is_resolved(const struct tree_totals *total)
{
    return total->compensated > total->uncertainty;
}

static void report_total_fields(struct emitter *emitter, const struct call_tree *tree, const char *key,
                                const struct tree_totals *total, bool lost)
{
    bool known_half = !lost || tree->thread_count <= 1 || !(tree->total_all_threads.calls_half > 0);
    static const char *const parts[] = {"raw",       "compensated", "overhead", "uncertainty",
                                        "computing", "waiting",     "ready"};
    bool known = tree->knows_waiting;
    const double values[] = {total->raw,
                             total->compensated,
                             total->overhead,
                             total->uncertainty,
                             known ? total_computing(total) : NAN,
                             known ? total->waiting : NAN,
                             known ? total->ready : NAN};
    char path[64];
    snprintf(path, sizeof path, "%s|calls", key);
    if (total->calls_partial)
        emitter_field_real(emitter, path, NAN);
    else
        emitter_field_count(emitter, path, total->calls);
    snprintf(path, sizeof path, "%s|calls_uncertainty", key);
    emitter_field_real(emitter, path, total->calls_partial || !known_half ? NAN : rint(total->calls_half));
    for (size_t i = 0; i < (tree->counting.any ? sizeof parts / sizeof *parts : 4); i++) {
        snprintf(path, sizeof path, "%s|%s", key, parts[i]);
        emitter_field_real(emitter, path, values[i]);
    }
    if (lost) {
        snprintf(path, sizeof path, "%s|lost_events", key);
        emitter_field_count(emitter, path, total->lost_events);
    }
}

static const struct tree_process *report_main_process(const struct call_tree *tree)
{
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main)
            return &tree->processes[i];
    return tree->process_count ? &tree->processes[0] : NULL;
}

/* Whose time the total is: --thread may have left the main thread out. */
static const char *report_total_thread(const struct call_tree *tree)
{
    for (size_t i = 0; i < tree->thread_count; i++)
        if (tree->threads[i].main)
            return "main";
    return "first";
}

static const char *command_of(const struct tree_process *main)
{
    return main && main->command && *main->command ? main->command
           : main && main->executable              ? main->executable
                                                   : "(command not known)";
}

static const char *state_of(const struct tree_process *main)
{
    return main && main->live ? ", still running" : main && main->killed ? ", killed" : "";
}

/* --- Brief ---------------------------------------------------------------------------------------------------------
 */

/* Without the folder of the program where that is too long, and then without its last arguments. NULL: out of memory.
 */
static char *short_command(const char *command, size_t columns)
{
    const char *at = command, *end = command + strcspn(command, " ");
    for (const char *c = command; *command != '\'' && text_columns(command) > columns && c < end; c++)
        if (*c == '/')
            at = c + 1;
    if (text_columns(at) <= columns)
        return strdup(at);
    char *cut = NULL;
    return asprintf(&cut, "%.*s…", (int)text_prefix(at, columns - 1), at) < 0 ? NULL : cut;
}

char *report_sentence(const struct call_tree *tree)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER], what[4 * TEXT_NUMBER + 80];
    const struct tree_process *main = report_main_process(tree);
    const struct tree_totals *total = &tree->total;
    if (is_resolved(total))
        snprintf(what, sizeof what, "%s takes %s ± %s; measuring made that %s (%s times).", state_of(main),
                 text_time(a, total->compensated), text_uncertainty(b, total->uncertainty), text_time(c, total->raw),
                 text_real(d, total->raw / total->compensated));
    else if (!(total->raw > 0) && !total->calls && !total->calls_partial)
        snprintf(what, sizeof what, "%s: no function that is measured was called.", state_of(main));
    else
        snprintf(what, sizeof what, "%s takes less than %s, below resolution; measured it took %s.", state_of(main),
                 text_uncertainty(b, total->uncertainty), text_time(c, total->raw));
    size_t used = text_columns(what), room = used + COMMAND_MIN < HEAD_COLUMNS ? HEAD_COLUMNS - used : COMMAND_MIN;
    char *clean = text_clean(command_of(main)), *command = clean ? short_command(clean, room) : NULL, *sentence = NULL;
    if (command && asprintf(&sentence, "%s%s", command, what) < 0)
        sentence = NULL;
    free(command);
    free(clean);
    return sentence;
}

/* In full where they are exact. buffer: TEXT_CALLS bytes. */
static char *head_calls(char *buffer, const struct tree_totals *total)
{
    char count[TEXT_NUMBER];
    if (total->calls_half > 0)
        return text_calls(buffer, (double)total->calls, total->calls_half);
    snprintf(buffer, TEXT_CALLS, "%s call%s", text_count(count, total->calls), total->calls == 1 ? "" : "s");
    return buffer;
}

/* The terms, the most important first; each is "" where there is nothing to say. */
enum { TERM_THREADS, TERM_CPU, TERM_COUNTED, TERM_CALLS, TERM_MODE, TERMS };

static void terms_of(const struct call_tree *tree, char terms[TERMS][TERM])
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    const struct tree_totals *all = &tree->total_all_threads;
    const struct tree_counting *counting = &tree->counting;
    memset(terms, 0, TERMS * sizeof *terms);
    if (tree->thread_count > 1) {
        if (tree->process_count > 1)
            snprintf(a, sizeof a, "%zu processes, ", tree->process_count);
        else
            *a = 0;
        snprintf(terms[TERM_THREADS], TERM, "%s%llu threads: %s ± %s", a, (unsigned long long)tree->threads_begun,
                 text_time(b, all->compensated), text_uncertainty(c, all->uncertainty));
    }
    if (matters(tree, all))
        snprintf(terms[TERM_CPU], TERM, "computing %s, waiting %s, ready %s", text_time(a, total_computing(all)),
                 text_time(b, all->waiting), text_time(c, all->ready));
    if (counting->counted && tree->how.stack_samples > 0)
        snprintf(terms[TERM_COUNTED], TERM, "%u of %u functions counted, with %s sample%s", counting->counted,
                 counting->counted + counting->timed, text_count(a, (uint64_t)tree->how.stack_samples),
                 tree->how.stack_samples == 1 ? "" : "s");
    else if (counting->counted)
        snprintf(terms[TERM_COUNTED], TERM, "%u counted function%s without samples: time in callers'",
                 counting->counted, counting->counted == 1 ? "" : "s");
    head_calls(terms[TERM_CALLS], all);
    snprintf(terms[TERM_MODE], TERM, "mode %s, model %s", tree->mode, report_model_name(tree));
}

/* Two lines of what fits. */
static void brief_terms(struct emitter *emitter, const struct call_tree *tree)
{
    char terms[TERMS][TERM], line[TERMS * (TERM + 2) + 1] = "";
    size_t used = 0;
    terms_of(tree, terms);
    for (int i = 0, lines = 1; i < TERMS; i++) {
        size_t columns = text_columns(terms[i]), more = lines == 2 ? strlen("; " MORE) : 0;
        if (!columns)
            continue;
        if (used + 2 + columns + more > HEAD_COLUMNS && lines == 2)
            continue;
        if (used && used + 2 + columns > HEAD_COLUMNS) {
            emitter_text(emitter, "%s", line);
            *line = 0;
            used = 0;
            lines = 2;
        }
        size_t size = strlen(line);
        snprintf(line + size, sizeof line - size, "%s%s", used ? "; " : "", terms[i]);
        used += columns + (used ? 2 : 0);
    }
    if (used + strlen("; " MORE) <= HEAD_COLUMNS) {
        emitter_text(emitter, "%s; %s", line, MORE);
        return;
    }
    emitter_text(emitter, "%s", line);
    emitter_text(emitter, "%s", MORE);
}

static void brief_head(struct emitter *emitter, const struct call_tree *tree)
{
    char *sentence = report_sentence(tree);
    emitter_text(emitter, "%s", sentence ? sentence : "");
    free(sentence);
    brief_terms(emitter, tree);
    emitter_text(emitter, "%s", "");
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static void report_head_text(struct emitter *emitter, const struct call_tree *tree, const char *dir)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER], calls[TEXT_CALLS];
    const struct tree_process *main = report_main_process(tree);
    emitter_text(emitter, "%s: %s%s", dir, command_of(main), state_of(main));
    emitter_text(emitter, "%zu process%s, %llu thread%s, %s, clock %s", tree->process_count,
                 tree->process_count == 1 ? "" : "es", (unsigned long long)tree->threads_begun,
                 tree->threads_begun == 1 ? "" : "s", head_calls(calls, &tree->total_all_threads), tree->clock);
    const struct tree_totals *total = &tree->total;
    if (is_resolved(total))
        emitter_text(emitter, "%s thread: %s raw, %s ± %s compensated (the measurement made it %s times as long)",
                     report_total_thread(tree), text_time(a, total->raw), text_time(b, total->compensated),
                     text_uncertainty(c, total->uncertainty), text_real(d, total->raw / total->compensated));
    else
        emitter_text(emitter, "%s thread: %s raw, less than %s compensated (below resolution)",
                     report_total_thread(tree), text_time(a, total->raw), text_uncertainty(c, total->uncertainty));
    const struct tree_totals *all = &tree->total_all_threads;
    if (tree->thread_count > 1)
        emitter_text(emitter, "all threads: %s raw, %s ± %s compensated", text_time(a, all->raw),
                     text_time(b, all->compensated), text_uncertainty(c, all->uncertainty));
    if (matters(tree, all))
        emitter_text(emitter, "%scomputing %s, waiting %s, ready %s", tree->thread_count > 1 ? "all threads: " : "",
                     text_time(a, total_computing(all)), text_time(b, all->waiting), text_time(c, all->ready));
    report_counts_text(emitter, tree);
    report_how_text(emitter, "", tree);
    emitter_text(emitter, "%s", "");
}

void report_head(struct emitter *emitter, const struct call_tree *tree, const char *dir, bool verbose)
{
    emitter_field_text(emitter, "model", report_model_name(tree));
    emitter_field_text(emitter, "mode", tree->mode);
    emitter_field_text(emitter, "unit", "ns");
    report_total_fields(emitter, tree, "total", &tree->total, true);
    report_total_fields(emitter, tree, "total_all_threads", &tree->total_all_threads, false);
    const struct tree_delta *delta = &tree->delta[PCOMP_VARIANT_REPEAT];
    emitter_field_real(emitter, "calibration|own", delta->own);
    emitter_field_real(emitter, "calibration|descendant", delta->descendant);
    emitter_field_real(emitter, "calibration|direct", delta->direct);
    emitter_field_text(emitter, "calibration|clock", tree->clock);
    report_how_fields(emitter, "", tree);
    report_counts_fields(emitter, tree);
    const struct tree_process *main = report_main_process(tree);
    emitter_field_text(emitter, "command", main ? main->command : NULL);
    emitter_field_real(emitter, "dilation", report_ratio(tree->total.raw, tree->total.compensated));
    if (emitter_is(emitter, EMIT_TEXT) && verbose)
        report_head_text(emitter, tree, dir);
    else if (emitter_is(emitter, EMIT_TEXT))
        brief_head(emitter, tree);
}
