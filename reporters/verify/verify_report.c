#include "reporters/verify/verify_report.h"

#include "reporters/base/emitter.h"
#include "reporters/base/message.h"
#include "reporters/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_IN_TEXT 10 /* functions */

/* --- JSON -------------------------------------------------------------------------------------------------------- */

static void field(struct emitter *emitter, const char *key, const char *part, double value)
{
    char path[96];
    snprintf(path, sizeof path, "%s|%s", key, part);
    emitter_field_real(emitter, path, value);
}

static void fields_quantity(struct emitter *emitter, const char *key, const struct verify_quantity *quantity)
{
    field(emitter, key, "median", quantity->time.value);
    field(emitter, key, "low", quantity->time.low);
    field(emitter, key, "high", quantity->time.high);
    field(emitter, key, "spread_percent", 100 * quantity->spread);
}

static void fields_interval(struct emitter *emitter, const char *key, struct sample_interval interval, double scale)
{
    field(emitter, key, "value", scale * interval.value);
    field(emitter, key, "low", scale * interval.low);
    field(emitter, key, "high", scale * interval.high);
}

static void fields_total(struct emitter *emitter, const struct verify_total *total)
{
    fields_quantity(emitter, "plain", &total->plain);
    fields_quantity(emitter, "instrumented", &total->raw);
    fields_quantity(emitter, "compensated", &total->compensated);
    fields_interval(emitter, "dilation", total->dilation, 1);
    fields_interval(emitter, "raw_error_percent", total->raw_error, 100);
    fields_interval(emitter, "compensated_error_percent", total->compensated_error, 100);
    emitter_field_count(emitter, "calls", total->calls);
    emitter_field_real(emitter, "error_ns_per_call", total->error_ns_per_call);
    emitter_field_count(emitter, "coverage|inside", total->inside);
    emitter_field_count(emitter, "coverage|runs", total->runs);
    emitter_field_real(emitter, "coverage|half_width_percent", 100 * total->half_width);
}

static void fields_fit(struct emitter *emitter, const struct verify_fit *fit)
{
    emitter_field_text(emitter, "fit|file", fit->file);
    emitter_field_real(emitter, "fit|call_ns", fit->call);
    emitter_field_real(emitter, "fit|call_spread_ns", fit->spread);
    fields_interval(emitter, "fit|held_out_error_percent", fit->total.compensated_error, 100);
    emitter_field_count(emitter, "fit|held_out_runs", fit->total.runs);
    emitter_field_count(emitter, "fit|held_out_inside", fit->total.inside);
}

static void fields_sampled(struct emitter *emitter, const struct verify_distribution *distribution)
{
    const struct sampled_truth *truth = &distribution->truth;
    emitter_field_count(emitter, "sampled|samples", truth->samples);
    emitter_field_count(emitter, "sampled|samples_outside", truth->outside);
    emitter_field_count(emitter, "sampled|runs", truth->runs);
    emitter_field_real(emitter, "sampled|floor_points", 100 * distribution->distances.floor);
    emitter_field_real(emitter, "sampled|distance_raw_points", 100 * distribution->distances.raw);
    emitter_field_real(emitter, "sampled|distance_compensated_points", 100 * distribution->distances.compensated);
}

/* --- Text and CSV: a row for every quantity ---------------------------------------------------------------------- */

static const struct emit_column columns[] = {
    {"quantity", NULL, "", EMIT_NAME, 0},
    {"unit", NULL, NULL, EMIT_NAME, 0},
    {"value", NULL, "median", EMIT_REAL, 0},
    {"low", "95 % interval of it", "from", EMIT_REAL, 0},
    {"high", "95 % interval of it", "to", EMIT_REAL, 0},
    {"spread_percent", NULL, "spread", EMIT_REAL, 1},
    {NULL, NULL, "", EMIT_NAME, 2},
};

typedef char *text_function(char *buffer, double value);

static void emit_value(struct emitter *emitter, double value, double scale, text_function *shown)
{
    char text[TEXT_NUMBER];
    emit_real(emitter, scale * value);
    emit_shown(emitter, "%s", isnan(value) ? "" : shown(text, value));
}

static void row(struct emitter *emitter, const char *name, const char *unit, struct sample_interval interval,
                double spread, double scale, text_function *shown, const char *remark)
{
    emitter_row(emitter);
    emit_name(emitter, name);
    emit_name(emitter, unit);
    emit_value(emitter, interval.value, scale, shown);
    emit_value(emitter, interval.low, scale, shown);
    emit_value(emitter, interval.high, scale, shown);
    emit_value(emitter, spread, 100, text_percent);
    emit_name(emitter, remark);
    emitter_row_end(emitter);
}

/* Of a distance from 0 to 1. */
static char *text_points(char *buffer, double distance)
{
    snprintf(buffer, TEXT_NUMBER, "%.1f points", 100 * distance);
    return buffer;
}

static struct sample_interval alone(double value)
{
    return (struct sample_interval){value, NAN, NAN};
}

static void rows_total(struct emitter *emitter, const struct verify_total *total)
{
    char covered[64];
    snprintf(covered, sizeof covered, "holds the plain time in %zu of %zu runs", total->inside, total->runs);
    row(emitter, "plain", "ns", total->plain.time, total->plain.spread, 1, text_time, "T: main, uninstrumented");
    row(emitter, "instrumented", "ns", total->raw.time, total->raw.spread, 1, text_time, "T_m: main, as measured");
    row(emitter, "compensated", "ns", total->compensated.time, total->compensated.spread, 1, text_time,
        "T_a: what the profile says");
    row(emitter, "dilation", "1", total->dilation, NAN, 1, text_real, "T_m / T");
    row(emitter, "raw error", "%", total->raw_error, NAN, 100, text_percent_signed, "(T_m - T) / T");
    row(emitter, "compensated error", "%", total->compensated_error, NAN, 100, text_percent_signed, "(T_a - T) / T");
    row(emitter, "error a call", "ns", alone(total->error_ns_per_call), NAN, 1, text_time_signed, "(T_a - T) / calls");
    row(emitter, "printed uncertainty", "%", alone(total->half_width), NAN, 100, text_percent, covered);
}

static void rows_fit(struct emitter *emitter, const struct verify_fit *fit)
{
    char remark[96];
    row(emitter, "fitted call", "ns", alone(fit->call), NAN, 1, text_time, "one timed call, in its callers' time");
    snprintf(remark, sizeof remark, "of %zu other pairs, run with the fit (%zu inside)", fit->total.runs,
             fit->total.inside);
    row(emitter, "held-out error", "%", fit->total.compensated_error, NAN, 100, text_percent_signed, remark);
}

static void rows_sampled(struct emitter *emitter, const struct verify_distribution *distribution)
{
    const struct share_distances *distances = &distribution->distances;
    row(emitter, "distance raw", "points", alone(distances->raw), NAN, 100, text_points,
        "of exclusive shares from the samples'");
    row(emitter, "distance compensated", "points", alone(distances->compensated), NAN, 100, text_points, "");
    row(emitter, "distance of halves", "points", alone(distances->floor), NAN, 100, text_points,
        "of the samples: nothing below it is known");
}

/* --- Functions whose share is off -------------------------------------------------------------------------------- */

struct share_row {
    const char *name;
    double truth, raw, compensated; /* shares */
};

static int share_row_order(const void *a, const void *b)
{
    const struct share_row *x = a, *y = b;
    double off_x = fabs(x->compensated - x->truth), off_y = fabs(y->compensated - y->truth);
    return off_x == off_y ? strcmp(x->name, y->name) : off_x < off_y ? 1 : -1;
}

/* malloc'ed, the one that is off most first; NULL: out of memory. */
static struct share_row *share_rows(const struct share_table *table)
{
    struct share_row *rows = calloc(table->index.count + 1, sizeof *rows), all = {NULL, 0, 0, 0};
    for (size_t i = 0; rows && i < table->index.count; i++) {
        const struct share_function *function = &table->functions[i];
        rows[i] = (struct share_row){table->index.functions[i]->name, (double)(function->truth[0] + function->truth[1]),
                                     function->raw, function->compensated};
        all.truth += rows[i].truth;
        all.raw += rows[i].raw;
        all.compensated += rows[i].compensated;
    }
    for (size_t i = 0; rows && i < table->index.count; i++) {
        rows[i].truth /= all.truth;
        rows[i].raw /= all.raw;
        rows[i].compensated /= all.compensated;
    }
    if (rows)
        qsort(rows, table->index.count, sizeof *rows, share_row_order);
    return rows;
}

static void emit_percent(struct emitter *emitter, double share)
{
    emit_value(emitter, share, 100, text_percent);
}

static int functions_table(struct emitter *emitter, const struct share_table *table)
{
    static const struct emit_column share_columns[] = {
        {"truth_percent", "exclusive share", "sampled", EMIT_REAL, 0},
        {"compensated_percent", "exclusive share", "compensated", EMIT_REAL, 0},
        {"raw_percent", "exclusive share", "raw", EMIT_REAL, 1},
        {NULL, NULL, "off by", EMIT_REAL, 2},
        {"name", NULL, "function", EMIT_NAME, 0},
    };
    struct share_row *rows = share_rows(table);
    if (!rows)
        return message_no_memory("verify");
    size_t max = emitter_is(emitter, EMIT_TEXT) ? SHOWN_IN_TEXT : table->index.count;
    emitter_text(emitter, "%s", "");
    emitter_table(emitter, "sampled|functions", share_columns, sizeof share_columns / sizeof *share_columns, false);
    for (size_t i = 0; i < table->index.count && i < max; i++) {
        char text[TEXT_NUMBER];
        emitter_row(emitter);
        emit_percent(emitter, rows[i].truth);
        emit_percent(emitter, rows[i].compensated);
        emit_percent(emitter, rows[i].raw);
        emit_real(emitter, rows[i].compensated - rows[i].truth);
        emit_shown(emitter, "%s", text_percent_signed(text, rows[i].compensated - rows[i].truth));
        emit_name(emitter, rows[i].name);
        emitter_row_end(emitter);
    }
    emitter_table_end(emitter);
    free(rows);
    return STATUS_DONE;
}

static void notes(struct emitter *emitter, const struct verify_findings *findings)
{
    if (findings->total.runs < 6)
        emitter_note(
            emitter,
            "fewer than 6 pairs: the intervals run from the least to the greatest value (-n 6 or more gives 95 %%)");
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    const struct verify_fit *fit = findings->fit;
    if (fit && fit->spread > fabs(fit->call) / 2)
        emitter_note(emitter,
                     "a timed call is %s ± %s from run to run: the fit is not worth much (more pairs, or work with "
                     "more calls)",
                     text_time(a, fit->call), text_uncertainty(b, fit->spread));
    const struct sampled_truth *truth = findings->distribution ? &findings->distribution->truth : NULL;
    if (truth && !truth->precise)
        emitter_note(emitter,
                     "the halves of the samples differ by more than 1 point after %zu runs: more were not made",
                     truth->runs);
    if (truth && !truth->inlines_known)
        emitter_note(emitter,
                     "the plain program has no debug information: functions that the compiler inlined count as "
                     "their callers (build it with -g)");
    double outside = truth ? (double)truth->outside / (double)(truth->outside + truth->samples) : 0;
    if (outside > 0.02)
        emitter_note(emitter, "%s of the samples are in no function that the profile knows: they were left out",
                     text_percent(a, outside));
}

/* --- The document ------------------------------------------------------------------------------------------------ */

static void head(struct emitter *emitter, const struct verify_findings *findings)
{
    char calls[TEXT_NUMBER];
    const struct verify_total *total = &findings->total;
    emitter_text(emitter, "plain         %s", findings->plain);
    emitter_text(emitter, "instrumented  %s", findings->instrumented);
    emitter_text(emitter, "%zu pair%s of runs, %s calls a run, %s mode, model %s", total->runs,
                 total->runs == 1 ? "" : "s", text_count_short(calls, (double)total->calls), findings->mode,
                 findings->model);
    emitter_text(emitter, "%s", "");
}

int verify_report(const struct verify_findings *findings, int format)
{
    const struct verify_distribution *distribution = findings->distribution;
    struct emitter *emitter = emitter_open((enum emit_format)format, stdout, "pcomp-verify/1");
    int status = STATUS_DONE;
    if (!emitter)
        return message_no_memory("verify");
    emitter_field_text(emitter, "truth", distribution ? "sampled" : "total");
    emitter_field_count(emitter, "runs", findings->total.runs);
    emitter_field_text(emitter, "unit", "ns");
    emitter_field_text(emitter, "mode", findings->mode);
    emitter_field_text(emitter, "model", findings->model);
    fields_total(emitter, &findings->total);
    if (findings->fit)
        fields_fit(emitter, findings->fit);
    else
        emitter_field_text(emitter, "fit", NULL);
    if (distribution)
        fields_sampled(emitter, distribution);
    else
        emitter_field_text(emitter, "sampled", NULL);
    head(emitter, findings);
    if (!emitter_is(emitter, EMIT_JSON)) {
        emitter_table(emitter, "quantities", columns, sizeof columns / sizeof *columns, true);
        rows_total(emitter, &findings->total);
        if (findings->fit)
            rows_fit(emitter, findings->fit);
        if (distribution)
            rows_sampled(emitter, distribution);
        emitter_table_end(emitter);
    }
    if (distribution)
        status = functions_table(emitter, &distribution->table);
    notes(emitter, findings);
    int closed = emitter_close(emitter);
    return status ? status : closed;
}
