/* The documents of a comparison of sets: text, JSON, CSV, and what the Markdown ones need. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/diff/diff_cells.h"
#include "reporters/diff/diff_markdown.h"
#include "reporters/diff/diff_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETS_DEFAULT_LIMIT 40
#define RULE_SIZE          240

static const char *const side_names[] = {"before", "after"};

/* --- Head --------------------------------------------------------------------------------------------------------- */

static const char *rule_text(const struct set_comparison *c, char *text)
{
    snprintf(
        text, RULE_SIZE,
        "more than runs differ anyway; of all that are marked, 5 %% may be wrong (Benjamini-Hochberg; %zu function%s "
        "of %g %% of the time and more tested)",
        c->tested, c->tested == 1 ? "" : "s", 100 * SETS_MIN_SHARE);
    return text;
}

static char *side_text(const struct set_side *side)
{
    char *text = NULL;
    if (asprintf(&text, "%s: %zu run%s%s%s", side->label, side->runs, side->runs == 1 ? "" : "s",
                 *side->program ? " of " : "", side->program) < 0)
        return NULL;
    return text;
}

static void side_fields(struct emitter *emitter, const char *name, const struct set_side *side)
{
    char key[64];
    const struct {
        const char *name;
        double value;
    } fields[] = {{"calls", floor(side->calls + 0.5)},
                  {"raw", side->raw},
                  {"compensated", side->total.mean},
                  {"uncertainty", side->total.uncertainty},
                  {"scatter", side->total.scatter}};
    snprintf(key, sizeof key, "%s|dir", name);
    emitter_field_text(emitter, key, side->label);
    snprintf(key, sizeof key, "%s|runs", name);
    emitter_field_count(emitter, key, side->runs);
    snprintf(key, sizeof key, "%s|program", name);
    emitter_field_text(emitter, key, *side->program ? side->program : NULL);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        snprintf(key, sizeof key, "%s|total|%s", name, fields[i].name);
        emitter_field_real(emitter, key, fields[i].value);
    }
}

static void side_line(struct emitter *emitter, const char *name, const struct set_side *side)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], scatter[TEXT_NUMBER + 24] = "";
    char *text = side_text(side);
    if (side->runs > 1 && side->total.mean > 0)
        snprintf(scatter, sizeof scatter, ", which scatter by %s",
                 text_percent(c, side->total.scatter / side->total.mean));
    emitter_text(emitter, "%-7s %s: %s ± %s%s", name, text ? text : side->label, text_time(a, side->total.mean),
                 text_uncertainty(b, side->total.uncertainty), scatter);
    free(text);
}

static void sets_head(struct emitter *emitter, const struct set_comparison *c)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], relative[TEXT_NUMBER];
    const struct set_side *before = &c->sides[0];
    emitter_field_text(emitter, "unit", "ns");
    emitter_field_text(emitter, "times", "computing and waiting");
    emitter_field_text(emitter, "method|test", "welch");
    emitter_field_text(emitter, "method|correction", "benjamini-hochberg");
    emitter_field_real(emitter, "method|level", SETS_LEVEL);
    emitter_field_real(emitter, "method|least_share", SETS_MIN_SHARE);
    emitter_field_count(emitter, "method|tested", c->tested);
    emitter_field_flag(emitter, "method|in_turns", c->in_turns);
    for (int i = 0; i < 2; i++) {
        side_fields(emitter, side_names[i], &c->sides[i]);
        side_line(emitter, side_names[i], &c->sides[i]);
    }
    emitter_field_real(emitter, "total|delta", c->total.change);
    emitter_field_real(emitter, "total|uncertainty", c->total.uncertainty);
    emitter_field_real(emitter, "total|relative", report_ratio(c->total.change, before->total.mean));
    emitter_field_real(emitter, "total|p", c->total.p);
    emitter_field_flag(emitter, "total|significant", c->total_significant);
    emitter_text(emitter, "change  %s ± %s (%s)%s", text_time_signed(a, c->total.change),
                 text_uncertainty(b, c->total.uncertainty),
                 text_percent_signed(relative, report_ratio(c->total.change, before->total.mean)),
                 c->total_significant ? "" : ", not significant");
    emitter_text(emitter, "times of computing and waiting; what other programs took of the processors is left out%s",
                 c->in_turns ? "; runs in turns" : "");
    emitter_text(emitter, "%s", "");
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static void emit_side(struct emitter *emitter, const struct set_row *row, int side)
{
    const struct pcomp_run_set *set = &row->sides[side];
    if (!row->present[side]) {
        for (int i = 0; i < 5; i++)
            emit_null(emitter);
        return;
    }
    emit_time(emitter, set->mean);
    emit_uncertainty(emitter, set->uncertainty);
    emit_time(emitter, set->scatter);
    emit_time(emitter, row->inclusive_mean[side]);
    emit_count(emitter, (uint64_t)(row->calls[side] + 0.5));
}

static void sets_row(struct emitter *emitter, const struct set_row *row)
{
    const struct pcomp_set_difference *difference = &row->difference;
    emitter_row(emitter);
    emit_name(emitter, row->name);
    emit_name(emitter, row->file);
    emit_side(emitter, row, 0);
    emit_side(emitter, row, 1);
    diff_emit_change(emitter, difference->change);
    emit_uncertainty(emitter, difference->uncertainty);
    emit_time(emitter, row->inclusive_mean[1] - row->inclusive_mean[0]);
    emit_real(emitter, row->calls[1] - row->calls[0]);
    diff_emit_relative(emitter, row->present[0], row->present[1], difference->change, row->sides[0].mean,
                       row->sides[0].uncertainty);
    diff_emit_share(emitter, row->share);
    emit_flag(emitter, row->significant);
    emit_real(emitter, difference->p);
    emit_real(emitter, row->adjusted);
    if (!isnan(row->adjusted))
        emit_shown(emitter, row->adjusted < 0.001 ? "<0.001" : "%.3f", row->adjusted);
    emit_name(emitter, row->significant ? "*" : "");
    emit_name(emitter, row->name);
    emitter_row_end(emitter);
}

/* Text has the functions that were tested; the others are too small to tell anything of. */
static bool is_shown(const struct emitter *emitter, const struct set_row *row)
{
    return !emitter_is(emitter, EMIT_TEXT) || !isnan(row->adjusted);
}

static void sets_table(struct emitter *emitter, const struct set_comparison *c, uint64_t limit)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"file", NULL, NULL, EMIT_NAME, 0},
        {"before|exclusive", "before", "exclusive", EMIT_TIME, 4},
        {"before|uncertainty", "before", "±", EMIT_TIME, 6},
        {"before|scatter", NULL, NULL, EMIT_TIME, 0},
        {"before|inclusive", NULL, NULL, EMIT_TIME, 0},
        {"before|N", NULL, NULL, EMIT_COUNT, 0},
        {"after|exclusive", "after", "exclusive", EMIT_TIME, 3},
        {"after|uncertainty", "after", "±", EMIT_TIME, 5},
        {"after|scatter", NULL, NULL, EMIT_TIME, 0},
        {"after|inclusive", NULL, NULL, EMIT_TIME, 0},
        {"after|N", NULL, NULL, EMIT_COUNT, 0},
        {"delta|exclusive", "change", "exclusive", EMIT_TIME, 0},
        {"delta|uncertainty", "change", "±", EMIT_TIME, 0},
        {"delta|inclusive", NULL, NULL, EMIT_TIME, 0},
        {"delta|N", NULL, NULL, EMIT_REAL, 0},
        {"relative", "change", "of itself", EMIT_SHARE, 1},
        {"of_total", "change", "of total", EMIT_SHARE, 7},
        {"significant", NULL, NULL, EMIT_FLAG, 0},
        {"p", NULL, NULL, EMIT_REAL, 0},
        {"p_adjusted", NULL, "p", EMIT_REAL, 2},
        {NULL, NULL, "", EMIT_NAME, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    size_t shown = 0, left = 0;
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < c->row_count; i++) {
        if (!is_shown(emitter, &c->rows[i]))
            continue;
        if (limit && shown == limit) {
            left++;
            continue;
        }
        sets_row(emitter, &c->rows[i]);
        shown++;
    }
    if (left)
        emitter_table_line(emitter, "... and %zu more function%s (--limit 0 shows all)", left, left == 1 ? "" : "s");
    emitter_table_end(emitter);
}

/* --- Documents ---------------------------------------------------------------------------------------------------- */

/* Notes of a comparison, malloc'ed, *count of them; what could not be kept is missing. */
static char **sets_notes(const struct set_comparison *c, size_t *count)
{
    char **notes = calloc(c->sides[0].warning_count + c->sides[1].warning_count + 3, sizeof *notes);
    *count = 0;
    if (!notes)
        return NULL;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < c->sides[side].warning_count; i++)
            if (asprintf(&notes[*count], "%s: %s", c->sides[side].label, c->sides[side].warnings[i]) >= 0)
                ++*count;
    notes[*count] = diff_programs(c->sides[0].program, c->sides[1].program);
    *count += notes[*count] != NULL;
    if (c->sides[0].total.runs < 2 && c->sides[1].total.runs < 2 &&
        (notes[*count] = strdup("one run each: what differs from run to run is not known (record them with "
                                "--repeat 5)")))
        ++*count;
    if (c->sides[0].total.runs > 1 && c->sides[1].total.runs > 1 && c->begins[0] && !c->in_turns &&
        (notes[*count] = strdup("the machine may have changed between the sides: record their runs in turns to find "
                                "smaller changes (see pcomp-diff(1))")))
        ++*count;
    return notes;
}

static int write_table(const struct set_comparison *c, const struct diff_options *options, char **notes, size_t count)
{
    struct emitter *emitter = emitter_open((enum emit_format)options->format, stdout, "pcomp-diff/1");
    char rule[RULE_SIZE];
    if (!emitter)
        return message_no_memory("diff");
    sets_head(emitter, c);
    sets_table(emitter, c,
               options->limit != UINT64_MAX     ? options->limit
               : emitter_is(emitter, EMIT_TEXT) ? SETS_DEFAULT_LIMIT
                                                : 0);
    emitter_text(emitter, "%s", "");
    emitter_text(emitter, "*  %s", rule_text(c, rule));
    for (size_t i = 0; i < count; i++)
        emitter_note(emitter, "%s", notes[i]);
    return emitter_close(emitter);
}

static struct diff_line line_of(const struct set_comparison *c, const struct set_row *row, double percent)
{
    struct diff_line line = {.name = row->name, .file = row->file, .line = row->line};
    for (int side = 0; side < 2; side++) {
        line.values[side] = row->present[side] ? row->sides[side].mean : NAN;
        line.halves[side] = row->sides[side].uncertainty;
    }
    line.change = row->difference.change;
    line.half = row->difference.uncertainty;
    line.share = row->share;
    line.significant = row->significant;
    line.failed = set_is_past(&row->difference, row->significant, c->sides[0].whole, percent);
    return line;
}

static int write_markdown(const struct set_comparison *c, const struct diff_options *options, char **notes,
                          size_t count)
{
    struct diff_line *lines = calloc(c->row_count + 1, sizeof *lines);
    char rule[RULE_SIZE], *sides[2] = {side_text(&c->sides[0]), side_text(&c->sides[1])};
    struct diff_document document = {.total = {.values = {c->sides[0].total.mean, c->sides[1].total.mean},
                                               .halves = {c->sides[0].total.uncertainty, c->sides[1].total.uncertainty},
                                               .change = c->total.change,
                                               .half = c->total.uncertainty,
                                               .share = NAN,
                                               .significant = c->total_significant},
                                     .lines = lines,
                                     .rule = rule_text(c, rule),
                                     .notes = notes,
                                     .note_count = count};
    int status = STATUS_BAD;
    document.total.failed = set_is_past(&c->total, c->total_significant, c->sides[0].total.mean, options->fail_above);
    for (size_t i = 0; lines && i < c->row_count; i++)
        if (!isnan(c->rows[i].adjusted))
            lines[document.count++] = line_of(c, &c->rows[i], options->fail_above);
    for (int i = 0; i < 2; i++)
        document.sides[i] = sides[i] ? sides[i] : c->sides[i].label;
    if (lines)
        status = diff_markdown_write(stdout, &document, options->format == DIFF_GITHUB);
    else
        message_no_memory("diff");
    free(lines);
    free(sides[0]);
    free(sides[1]);
    return status;
}

/* Past the limit: the total, or a function, grew significantly by more than that share of the first set's total. */
static int verdict(const struct set_comparison *c, double percent)
{
    double total = c->sides[0].total.mean, all = c->sides[0].whole;
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    if (!(total > 0))
        return message_failure("diff: the first runs have no compensated time to compare with (record them again)");
    if (set_is_past(&c->total, c->total_significant, total, percent))
        return message_failure("diff: total: grew by %s, %s (the limit is %g %%)", text_time(a, c->total.change),
                               text_percent(b, c->total.change / total), percent);
    for (size_t i = 0; i < c->row_count; i++) /* greatest first */
        if (set_is_past(&c->rows[i].difference, c->rows[i].significant, all, percent))
            return message_failure("diff: %s: grew by %s, %s of the first runs' total (the limit is %g %%)",
                                   c->rows[i].name, text_time(a, c->rows[i].difference.change),
                                   text_percent(b, c->rows[i].share), percent);
    return STATUS_DONE;
}

int diff_sets_write(const struct set_comparison *c, const struct diff_options *options)
{
    size_t count;
    char **notes = sets_notes(c, &count);
    if (!notes)
        return message_no_memory("diff");
    int status = options->format >= DIFF_MARKDOWN ? write_markdown(c, options, notes, count)
                                                  : write_table(c, options, notes, count);
    for (size_t i = 0; i < count; i++)
        free(notes[i]);
    free(notes);
    return status || options->fail_above < 0 ? status : verdict(c, options->fail_above);
}
