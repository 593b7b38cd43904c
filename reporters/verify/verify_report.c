#include "reporters/verify/verify_report.h"

#include "reporters/emitter.h"
#include "reporters/message.h"
#include "reporters/text.h"

#include <math.h>
#include <stdio.h>

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
    struct emitter *emitter = emitter_open((enum emit_format)format, stdout, "pcomp-verify/1");
    if (!emitter)
        return message_no_memory("verify");
    emitter_field_text(emitter, "truth", "total");
    emitter_field_count(emitter, "runs", findings->total.runs);
    emitter_field_text(emitter, "unit", "ns");
    emitter_field_text(emitter, "mode", findings->mode);
    emitter_field_text(emitter, "model", findings->model);
    fields_total(emitter, &findings->total);
    emitter_field_text(emitter, "fit", NULL);
    emitter_field_text(emitter, "sampled", NULL);
    head(emitter, findings);
    if (!emitter_is(emitter, EMIT_JSON)) {
        emitter_table(emitter, "quantities", columns, sizeof columns / sizeof *columns, true);
        rows_total(emitter, &findings->total);
        emitter_table_end(emitter);
    }
    if (findings->total.runs < 6)
        emitter_note(
            emitter,
            "fewer than 6 pairs: the intervals run from the least to the greatest value (-n 6 or more gives 95 %%)");
    return emitter_close(emitter);
}
