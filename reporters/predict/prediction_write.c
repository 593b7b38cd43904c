#include "reporters/predict/prediction_write.h"

#include "reporters/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const from_names[] = {"static", "profile", "start"};
static const char *const mode_names[] = {"auto", "full", "trace"};

/* --- Head --------------------------------------------------------------------------------------------------------- */

static void emit_prices(struct emitter *emitter, const struct prediction *p)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER];
    const struct pcomp_call_prices *prices = &p->prices;
    bool records = p->mode == PCOMP_PREDICT_TRACE;
    double price = records ? prices->recorded : prices->timed;
    emitter_field_real(emitter, "prices|filtered", prices->filtered);
    emitter_field_real(emitter, records ? "prices|recorded" : "prices|timed", price);
    if (p->mode == PCOMP_PREDICT_FULL) {
        emitter_text(emitter, "a call costs %s, %s where it is filtered out", text_time(a, price),
                     text_time(b, prices->filtered));
        return;
    }
    emitter_field_real(emitter, "prices|counted", prices->counted > 0 ? prices->counted : NAN);
    emitter_field_real(emitter, "limit_percent", 100 * prices->limit);
    if (records && !(prices->counted > 0)) { /* the source has recorded calls alone */
        emitter_text(emitter, "a call costs %s where it is recorded", text_time(a, price));
        return;
    }
    emitter_text(emitter,
                 "a call costs %s where it is %s, %s where it is counted, %s where it is filtered out; all calls at "
                 "most %s",
                 text_time(a, price), records ? "recorded" : "timed", text_time(b, prices->counted),
                 text_time(c, prices->filtered), text_percent(d, prices->limit));
}

static void emit_resources(struct emitter *emitter, const struct prediction *p)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    double run = p->own + p->cost, bytes = 0;
    for (size_t t = 0; t < p->thread_count; t++)
        bytes += p->threads[t].recorded * PCOMP_TRACE_CALL_BYTES;
    if (p->mode != PCOMP_PREDICT_TRACE) {
        emitter_field_real(emitter, "memory_bytes", p->memory);
        emitter_text(emitter, "memory of the profile: at least %s", text_bytes(a, (uint64_t)fmin(p->memory, 1e18)));
        return;
    }
    emitter_field_real(emitter, "trace|bytes", p->from == PREDICT_STATIC ? NAN : bytes);
    emitter_field_real(emitter, "trace|bytes_per_second", run > 0 ? bytes / run * 1e9 : NAN);
    emitter_text(emitter, "trace: %s a second%s%s",
                 text_bytes(a, run > 0 ? (uint64_t)fmin(bytes / run * 1e9, 1e18) : 0),
                 p->from == PREDICT_STATIC ? "" : ", in all ",
                 p->from == PREDICT_STATIC ? "" : text_bytes(b, (uint64_t)fmin(fmax(bytes, 0), 1e18)));
}

static void emit_totals(struct emitter *emitter, const struct prediction *p)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    bool is_static = p->from == PREDICT_STATIC;
    emitter_field_real(emitter, "cost|total", is_static ? NAN : p->cost);
    emitter_field_real(emitter, "cost|own", is_static ? NAN : p->own);
    emitter_field_real(emitter, "cost|once", is_static ? NAN : p->once);
    emitter_field_real(emitter, "cost|percent", 100 * p->share);
    emitter_field_real(emitter, "calls_per_second", p->own > 0 ? p->calls / p->own * 1e9 : NAN);
    if (is_static)
        emitter_text(emitter,
                     "predicted cost: cannot be known without a run, for how often functions are called is not known "
                     "(pcomp predict --from start -- PROG); at %s calls a second in all: %s of the program's own time, "
                     "and start-up and first calls once",
                     text_count_short(b, p->own > 0 ? p->calls / p->own * 1e9 : NAN), text_percent(a, p->share));
    else
        emitter_text(emitter, "predicted cost: %s (%s of the program's own time of %s)", text_time(a, p->cost),
                     text_percent(b, p->share), text_time(c, p->own));
    if (p->once > 0)
        emitter_text(emitter, "  of that once, for start-up, exit and first calls of call paths: %s",
                     text_time(a, p->once));
    if (p->costliest == SIZE_MAX)
        return;
    const struct predicted_thread *thread = &p->threads[p->costliest];
    emitter_field_real(emitter, "cost|maximum|percent", 100 * thread->share);
    emitter_field_count(emitter, "cost|maximum|tid", (uint64_t)thread->tid);
    if (p->thread_count > 1)
        emitter_text(emitter, "costliest thread: %d (%s), %s of its own time", thread->tid, thread->name,
                     text_percent(a, thread->share));
}

static void emit_budget(struct emitter *emitter, const struct prediction *p, const struct prediction_shown *shown)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    double now = p->costliest == SIZE_MAX ? p->share : p->threads[p->costliest].share;
    bool fits = !(now > shown->budget);
    emitter_field_real(emitter, "budget|percent", 100 * shown->budget);
    emitter_field_flag(emitter, "budget|fits", fits);
    emitter_field_count(emitter, "budget|left_out", p->left_out);
    emitter_field_real(emitter, "budget|percent_then", 100 * p->share_then);
    if (fits)
        emitter_text(emitter, "budget %s: fits", text_percent(a, shown->budget));
    else if (p->fits_then)
        emitter_text(emitter,
                     "budget %s: does not fit (%s); %s without instrumentation of the %zu function%s marked - (pcomp "
                     "advise)",
                     text_percent(a, shown->budget), text_percent(b, now), text_percent(c, p->share_then), p->left_out,
                     p->left_out == 1 ? "" : "s");
    else
        emitter_text(emitter,
                     "budget %s: does not fit (%s); start-up, exit and first calls alone are %s of so short a run",
                     text_percent(a, shown->budget), text_percent(b, now), text_percent(c, p->share_then));
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

static int costliest_first(const void *a, const void *b, void *context)
{
    const struct prediction *p = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct predicted_function *x = &p->functions[i], *y = &p->functions[k];
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : (i > k) - (i < k);
}

static void function_row(struct emitter *emitter, const struct prediction *p, const struct predicted_function *f)
{
    char text[TEXT_NUMBER];
    double rate = p->own > 0 ? f->calls / p->own * 1e9 : NAN;
    emitter_row(emitter);
    emit_name(emitter, f->name);
    emit_name(emitter, f->file);
    emit_name(emitter, f->module);
    emit_flag(emitter, f->filtered);
    emit_flag(emitter, f->left_out);
    emit_real(emitter, rate);
    emit_shown(emitter, "%s", text_count_short(text, rate));
    emit_time(emitter, p->from == PREDICT_STATIC ? NAN : f->cost);
    emit_share(emitter, p->own > 0 ? f->cost / p->own : NAN);
    emit_time(emitter, f->calls > 0 ? f->cost / f->calls : NAN);
    emit_name(emitter, f->left_out ? "-" : "");
    emit_name(emitter, f->name);
    emit_remark(emitter, f->filtered ? "filtered out" : f->file ? text_basename(f->file) : "");
    emitter_row_end(emitter);
}

static void emit_functions(struct emitter *emitter, const struct prediction *p, uint64_t limit)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},         {"file", NULL, NULL, EMIT_NAME, 0},
        {"module", NULL, NULL, EMIT_NAME, 0},       {"filtered", NULL, NULL, EMIT_FLAG, 0},
        {"leave_out", NULL, NULL, EMIT_FLAG, 0},    {"calls_per_second", NULL, "calls/s", EMIT_REAL, 2},
        {"cost", NULL, "cost", EMIT_TIME, 1},       {"share", NULL, "of own", EMIT_SHARE, 0},
        {"per_call", NULL, "a call", EMIT_TIME, 3}, {NULL, NULL, "", EMIT_NAME, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    uint32_t *order = malloc((p->function_count + 1) * sizeof *order), count = 0;
    uint64_t shown = 0;
    for (size_t f = 0; order && f < p->function_count; f++)
        if (p->functions[f].calls > 0)
            order[count++] = (uint32_t)f;
    if (order)
        qsort_r(order, count, sizeof *order, costliest_first, (void *)p);
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, true);
    for (uint32_t i = 0; i < count && !(limit && shown == limit); i++, shown++)
        function_row(emitter, p, &p->functions[order[i]]);
    if (shown < count)
        emitter_table_line(emitter, "... and %llu more function%s (--limit 0 shows all)",
                           (unsigned long long)(count - shown), count - shown == 1 ? "" : "s");
    emitter_table_end(emitter);
    free(order);
}

void prediction_emit(struct emitter *emitter, const struct prediction *p, const struct prediction_shown *shown)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    emitter_field_text(emitter, "mode", mode_names[p->mode]);
    emitter_field_text(emitter, "from", from_names[p->from]);
    emitter_field_text(emitter, "unit", "ns");
    emitter_text(emitter, "%s: mode %s, %s", shown->subject, mode_names[p->mode],
                 p->from == PREDICT_STATIC ? "by its functions alone"
                                           : "by how often the profile's functions were called");
    if (p->from == PREDICT_STATIC)
        emitter_text(emitter, "%zu instrumented functions; taken as %s calls a second of each, %s of each in a library",
                     p->function_count, text_count(a, (uint64_t)PCOMP_STATIC_USER_CALLS),
                     text_count(b, (uint64_t)PCOMP_STATIC_LIBRARY_CALLS));
    emit_prices(emitter, p);
    emitter_text(emitter, "%s", "");
    emit_totals(emitter, p);
    emit_resources(emitter, p);
    if (shown->budget >= 0)
        emit_budget(emitter, p, shown);
    if (!p->decoded)
        emitter_note(emitter, "calls of the hooks are found for x86-64 alone: all functions were taken");
    emitter_text(emitter, "%s", "");
    emit_functions(emitter, p, shown->limit);
}
