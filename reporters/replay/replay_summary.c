#include "reporters/replay/replay_summary.h"

#include "compensation/numeric/t_quantile.h"
#include "reporters/base/message.h"
#include "reporters/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIXED 1024.0 /* fixed-point ticks a tick */

#define PACE_NOTED 1.15 /* less is a usual scheduler */

enum { LOCATIONS_SHOWN = 20 };

struct bounded { /* ns */
    double value, lower, upper;
};

static struct bounded total_of(const struct replay_job *job)
{
    double ns = job->traces.tick_ns / FIXED;
    return (struct bounded){(double)replay_job_value(job)->result.approximated * ns,
                            (double)replay_job_bound(job, REPLAY_COMM_LOWER)->result.approximated * ns,
                            (double)replay_job_bound(job, REPLAY_COMM_UPPER)->result.approximated * ns};
}

static double uncertainty_of_one(const struct replay_job *job, const struct replay_outcome *outcome)
{
    const struct replay_result *result = &outcome->result;
    return hypot(replay_uncertainty(&result->critical_path), replay_job_machine(&job->traces, result));
}

/* What is not known of the total: of alpha, of wake-up delays, of waits that no rule covers, of clocks, of the
 * machine's speed, of where the code lies; ns. Each bound has a critical path of its own, with more or fewer events:
 * the interval around all of them has the greatest. */
static double uncertainty_of(const struct replay_job *job)
{
    double lower = uncertainty_of_one(job, replay_job_bound(job, REPLAY_COMM_LOWER));
    double upper = uncertainty_of_one(job, replay_job_bound(job, REPLAY_COMM_UPPER));
    double value = uncertainty_of_one(job, replay_job_value(job));
    return hypot(fmax(value, fmax(lower, upper)) / FIXED, (double)job->traces.clock_error) * job->traces.tick_ns;
}

static double length_of(const struct replay_job *job, const struct replay_outcome *outcome, uint32_t location)
{
    const struct replay_location_result *r = &outcome->locations[location];
    return (double)(r->last_approximated - r->first_approximated) / FIXED * job->traces.tick_ns;
}

static struct bounded location_of(const struct replay_job *job, uint32_t location)
{
    return (struct bounded){length_of(job, replay_job_value(job), location),
                            length_of(job, replay_job_bound(job, REPLAY_COMM_LOWER), location),
                            length_of(job, replay_job_bound(job, REPLAY_COMM_UPPER), location)};
}

/* --- The head -------------------------------------------------------------------------------------------------------
 */

static void head_fields(struct emitter *emitter, const struct replay_job *job, double actual)
{
    const struct replay_result *r = &replay_job_value(job)->result;
    struct bounded approximated = total_of(job);
    double measured = (double)r->measured * job->traces.tick_ns;
    emitter_field_text(emitter, "model", job->options.model == REPLAY_TIME ? "time" : "event");
    emitter_field_text(emitter, "liberal", job->liberal.text);
    emitter_field_count(emitter, "moved_units", job->remapped.moved);
    emitter_field_count(emitter, "locations", job->traces.count);
    emitter_field_count(emitter, "events", r->events);
    emitter_field_count(emitter, "violations", r->violations);
    emitter_field_count(emitter, "lost_events", r->lost);
    emitter_field_count(emitter, "held_calls", r->suppressed + r->counted);
    emitter_field_count(emitter, "blind_matches", r->blind);
    emitter_field_count(emitter, "undecided_messages", r->undecided);
    emitter_field_count(emitter, "window_bytes", r->bytes_max);
    emitter_field_real(emitter, "total|measured", measured);
    emitter_field_real(emitter, "total|approximated|value", approximated.value);
    emitter_field_real(emitter, "total|approximated|lower", approximated.lower);
    emitter_field_real(emitter, "total|approximated|upper", approximated.upper);
    emitter_field_real(emitter, "total|approximated|uncertainty", uncertainty_of(job));
    emitter_field_real(emitter, "total|direct_perturbation",
                       (double)r->direct_perturbation / FIXED * job->traces.tick_ns);
    emitter_field_real(emitter, "total|sites", r->critical_path.sites / FIXED * job->traces.tick_ns);
    emitter_field_real(emitter, "total|difference", measured - approximated.value);
    emitter_field_real(emitter, "total|actual", actual >= 0 ? actual : NAN);
    emitter_field_real(emitter, "total|absolute_error", actual >= 0 ? measured - actual : NAN);
    emitter_field_real(emitter, "total|relative_error", actual > 0 ? approximated.value / actual - 1 : NAN);
    if (job->cores) {
        emitter_field_count(emitter, "cores", job->cores);
        emitter_field_real(emitter, "pace", replay_job_value(job)->pace);
    }
    if (job->what_if.text) {
        emitter_field_text(emitter, "what_if|text", job->what_if.text);
        emitter_field_real(emitter, "what_if|without", (double)job->what_if.without / FIXED * job->traces.tick_ns);
    }
    emitter_field_text(emitter, "measured_directory", job->dir);
    emitter_field_text(emitter, "written", job->out);
    emitter_field_flag(emitter, "bounds", job->bounds);
    emitter_field_flag(emitter, "communication_known", comm_is_known(&job->options.messages));
}

static void head_actual(struct emitter *emitter, const struct replay_job *job, double measured, double actual)
{
    struct bounded approximated = total_of(job);
    double off = approximated.value - actual, around = uncertainty_of(job);
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER];
    emitter_text(emitter, "actual        T          %s; AE = T_m - T = %s; T_a is off by %s (%s)", text_time(a, actual),
                 text_time_signed(b, measured - actual), text_time_signed(c, off),
                 text_percent_signed(d, approximated.value / actual - 1));
    emitter_text(emitter, "                         %s the interval",
                 actual >= approximated.lower - around && actual <= approximated.upper + around ? "within" : "outside");
}

static void head_text(struct emitter *emitter, const struct replay_job *job, double actual)
{
    const struct replay_result *r = &replay_job_value(job)->result;
    struct bounded approximated = total_of(job);
    double measured = (double)r->measured * job->traces.tick_ns;
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER];
    char on[64] = "";
    if (job->cores)
        snprintf(on, sizeof on, ", on %" PRIu32 " processor%s", job->cores, job->cores == 1 ? "" : "s");
    emitter_text(emitter, "%s: %" PRIu32 " location%s of %" PRIu32 " process%s, %s events, model %s%s%s", job->dir,
                 job->traces.count, job->traces.count == 1 ? "" : "s", job->traces.processes,
                 job->traces.processes == 1 ? "" : "es", text_count(a, r->events),
                 job->options.model == REPLAY_TIME ? "time" : "event", on,
                 job->traces.one_clock ? "" : ", clocks synchronised");
    if (job->liberal.text)
        emitter_text(emitter,
                     "LIBERAL approximation, by what the user knows of the program: %s; %s unit%s in %s phase%s, %s "
                     "moved to another location",
                     job->liberal.text, text_count(a, job->remapped.units), job->remapped.units == 1 ? "" : "s",
                     text_count(b, job->remapped.phases), job->remapped.phases == 1 ? "" : "s",
                     text_count(c, job->remapped.moved));
    emitter_text(emitter, "measured      T_m        %s", text_time(a, measured));
    if (job->bounds)
        emitter_text(emitter, "approximated  T_a        %s, between %s and %s, ± %s", text_time(a, approximated.value),
                     text_time(b, approximated.lower), text_time(c, approximated.upper),
                     text_uncertainty(d, uncertainty_of(job)));
    else
        emitter_text(emitter, "approximated  T_a        %s ± %s", text_time(a, approximated.value),
                     text_uncertainty(b, uncertainty_of(job)));
    if (job->what_if.text) {
        double without = (double)job->what_if.without / FIXED * job->traces.tick_ns;
        emitter_text(emitter, "WHAT IF %s: without that, T_a is %s; gain %s", job->what_if.text, text_time(a, without),
                     text_percent_signed(b, 1 - approximated.value / without));
    }
    emitter_text(emitter, "difference    T_m - T_a  %s (the measurement made it %s times as long)",
                 text_time(a, measured - approximated.value), text_real(b, measured / approximated.value));
    emitter_text(emitter, "direct perturbation DP   %s (recording, along the critical path)",
                 text_time(a, (double)r->direct_perturbation / FIXED * job->traces.tick_ns));
    if (actual >= 0)
        head_actual(emitter, job, measured, actual);
    emitter_text(emitter, "violations %s, blind matches %s, lost events %s; bookkeeping at most %s",
                 text_count(a, r->violations), text_count(b, r->blind), text_count(c, r->lost),
                 text_bytes((char[TEXT_NUMBER]){0}, r->bytes_max));
    if (r->undecided)
        emitter_text(
            emitter,
            "of %s message end%s it is not known whether the send waits for its receiver: the bounds have both "
            "(--communication FILE tells)",
            text_count(a, r->undecided), r->undecided == 1 ? "" : "s");
    emitter_text(emitter, "written to %s%s", job->out, job->bounds ? " (lower, upper and model in it)" : "");
    emitter_text(emitter, "%s", "");
}

/* --- Tables ---------------------------------------------------------------------------------------------------------
 */

/* Waits that no rule covers. */
static void external_table(struct emitter *emitter, const struct replay_job *job)
{
    static const struct emit_column columns[] = {
        {"kind", NULL, NULL, EMIT_NAME, 0},
        {"calls", "external waits, kept as measured", "calls", EMIT_COUNT, 0},
        {"time", "external waits, kept as measured", "time", EMIT_TIME, 0},
        {NULL, NULL, "kind", EMIT_NAME, 0},
    };
    const struct replay_result *r = &replay_job_value(job)->result;
    bool any = false;
    for (int k = 0; k < PCOMP_EXTERNAL_KINDS; k++)
        any |= r->external_calls[k] != 0;
    if (!any && emitter_is(emitter, EMIT_TEXT))
        return;
    emitter_table(emitter, "external_waits", columns, sizeof columns / sizeof *columns, false);
    for (int k = 0; k < PCOMP_EXTERNAL_KINDS; k++) {
        if (!r->external_calls[k])
            continue;
        emitter_row(emitter);
        enum replay_wait_kind kind = REPLAY_WAIT_EXTERNAL + (enum replay_wait_kind)k;
        emit_name(emitter, replay_wait_name(kind));
        emit_count(emitter, r->external_calls[k]);
        emit_time(emitter, (double)r->waiting_approximated[kind] / FIXED * job->traces.tick_ns);
        emit_name(emitter, replay_wait_name(kind));
        emitter_row_end(emitter);
    }
    emitter_table_end(emitter);
    emitter_text(emitter, "%s", "");
}

static void waiting_table(struct emitter *emitter, const struct replay_job *job)
{
    static const struct emit_column columns[] = {
        {"kind", NULL, NULL, EMIT_NAME, 0},
        {"measured", "waiting", "measured", EMIT_TIME, 0},
        {"approximated", "waiting", "approximated", EMIT_TIME, 0},
        {"difference", "waiting", "caused by the measurement", EMIT_TIME, 0},
        {NULL, NULL, "kind", EMIT_NAME, 0},
    };
    const struct replay_result *r = &replay_job_value(job)->result;
    double ns = job->traces.tick_ns / FIXED;
    char text[TEXT_NUMBER];
    bool any = false;
    for (int k = 0; k < REPLAY_WAIT_KINDS; k++)
        any |= r->waiting_measured[k] || r->waiting_approximated[k];
    if (!any && emitter_is(emitter, EMIT_TEXT))
        return;
    emitter_table(emitter, "waiting", columns, sizeof columns / sizeof *columns, false);
    for (int k = 0; k < REPLAY_WAIT_KINDS; k++) {
        double measured = (double)r->waiting_measured[k] * ns, approximated = (double)r->waiting_approximated[k] * ns;
        if (!r->waiting_measured[k] && !r->waiting_approximated[k])
            continue;
        emitter_row(emitter);
        emit_name(emitter, replay_wait_name((enum replay_wait_kind)k));
        emit_time(emitter, measured);
        emit_time(emitter, approximated);
        emit_time(emitter, measured - approximated);
        emit_shown(emitter, "%s", text_time_signed(text, measured - approximated));
        emit_name(emitter, replay_wait_name((enum replay_wait_kind)k));
        emitter_row_end(emitter);
    }
    emitter_table_end(emitter);
    emitter_text(emitter, "%s", "");
}

static void composition_row(struct emitter *emitter, const struct replay_job *job, const char *name,
                            const struct behaviour *behaviour, double all)
{
    double ns = job->traces.tick_ns / FIXED, time = (double)behaviour->all * ns, max = (double)behaviour->max * ns;
    char text[TEXT_NUMBER];
    emitter_row(emitter);
    emit_name(emitter, name);
    emit_time(emitter, time);
    emit_shown(emitter, "%s", text_time_signed(text, time));
    emit_share(emitter, all != 0 ? (double)behaviour->all / all : NAN);
    emit_name(emitter, name);
    emit_time(emitter, max);
    emit_shown(emitter, "%s", text_time_signed(text, max));
    emit_name(emitter, job->traces.locations[behaviour->location].name);
    emitter_row_end(emitter);
}

/* 2005, Fig. 2: what the difference is made of, and who has the most of each. */
static void composition_table(struct emitter *emitter, const struct replay_job *job)
{
    static const struct emit_column columns[] = {
        {"behaviour", NULL, NULL, EMIT_NAME, 0},
        {"difference", "T_m - T_a, all locations", "time", EMIT_TIME, 0},
        {"share", "T_m - T_a, all locations", "share", EMIT_SHARE, 0},
        {NULL, NULL, "behaviour", EMIT_NAME, 0},
        {"location_difference", "most of it", "time", EMIT_TIME, 0},
        {"location", "most of it", "location", EMIT_NAME, 0},
    };
    const struct behaviour *behaviours = replay_job_value(job)->composition;
    double all = 0;
    for (int k = 0; k < BEHAVIOURS; k++)
        all += (double)behaviours[k].all;
    emitter_table(emitter, "composition", columns, sizeof columns / sizeof *columns, false);
    composition_row(emitter, job, "execution", &behaviours[BEHAVIOUR_EXECUTION], all);
    for (int k = 0; k < REPLAY_WAIT_KINDS; k++)
        if (behaviours[k].all || behaviours[k].max)
            composition_row(emitter, job, replay_wait_name((enum replay_wait_kind)k), &behaviours[k], all);
    emitter_table_end(emitter);
    emitter_text(emitter, "%s", "");
}

static void location_table(struct emitter *emitter, const struct replay_job *job)
{
    const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"events", NULL, "events", EMIT_COUNT, 1},
        {"lost_events", NULL, NULL, EMIT_COUNT, 0},
        {"measured", NULL, "measured", EMIT_TIME, 0},
        {"approximated|value", "approximated", job->bounds ? "modelled" : "value", EMIT_TIME, 0},
        {"approximated|lower", "approximated", job->bounds ? "lower" : NULL, EMIT_TIME, 2},
        {"approximated|upper", "approximated", job->bounds ? "upper" : NULL, EMIT_TIME, 2},
        {NULL, NULL, "location", EMIT_NAME, 0},
    };
    const struct replay_outcome *outcome = replay_job_value(job);
    uint32_t shown =
        emitter_is(emitter, EMIT_TEXT) && job->traces.count > LOCATIONS_SHOWN ? LOCATIONS_SHOWN : job->traces.count;
    emitter_table(emitter, "per_location", columns, sizeof columns / sizeof *columns, true);
    for (uint32_t i = 0; i < shown; i++) {
        const struct replay_location_result *r = &outcome->locations[i];
        struct bounded approximated = location_of(job, i);
        emitter_row(emitter);
        emit_name(emitter, job->traces.locations[i].name);
        emit_count(emitter, r->events);
        emit_count(emitter, r->lost);
        emit_time(emitter, (double)(r->last - r->first) * job->traces.tick_ns);
        emit_time(emitter, approximated.value);
        emit_time(emitter, approximated.lower);
        emit_time(emitter, approximated.upper);
        emit_name(emitter, job->traces.locations[i].name);
        emitter_row_end(emitter);
    }
    if (shown < job->traces.count)
        emitter_table_line(emitter, "... and %" PRIu32 " more locations (--format json has them)",
                           job->traces.count - shown);
    emitter_table_end(emitter);
}

/* --- What was not as it should be -----------------------------------------------------------------------------------
 */

static int compare_ticks(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Greatest number of locations that had begun and not ended. */
static uint32_t max_at_once(const struct replay_job *job)
{
    const struct replay_outcome *outcome = replay_job_value(job);
    uint32_t count = 0, max = 0, ended = 0;
    uint64_t *first = malloc((2 * (size_t)job->traces.count + 1) * sizeof *first);
    if (!first)
        return 0;
    uint64_t *last = first + job->traces.count;
    for (uint32_t i = 0; i < job->traces.count; i++) {
        if (!outcome->locations[i].events)
            continue;
        first[count] = outcome->locations[i].first;
        last[count++] = outcome->locations[i].last;
    }
    qsort(first, count, sizeof *first, compare_ticks);
    qsort(last, count, sizeof *last, compare_ticks);
    for (uint32_t i = 0; i < count; i++) {
        while (last[ended] < first[i])
            ended++;
        max = i + 1 - ended > max ? i + 1 - ended : max;
    }
    free(first);
    return max;
}

static void notes(struct emitter *emitter, struct replay_job *job)
{
    const struct replay_outcome *outcome = replay_job_value(job);
    char text[1200], time[TEXT_NUMBER];
    for (uint32_t i = 0; i < job->traces.warning_count; i++)
        emitter_note(emitter, "%s", job->traces.warnings[i]);
    if (job->salvaged_before != UINT64_MAX)
        emitter_note(emitter, "salvaged: only what happened in the first %s was replayed",
                     text_time(time, (double)(job->salvaged_before - replay_job_begin(job)) * job->traces.tick_ns));
    uint32_t max = max_at_once(job);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > 0 && max > processors && !job->cores)
        emitter_note(emitter,
                     "%" PRIu32 " locations ran at the same time, and here are %ld processors: the models take it that "
                     "each had one of its own",
                     max, processors);
    if (!job->cores && job->options.processors && outcome->result.waiting_approximated[REPLAY_WAIT_LOCK])
        emitter_note(emitter,
                     "threads shared %" PRIu32 " processor%s, and the order in which they had mutexes is kept as "
                     "measured (--cores %" PRIu32 " gives them to whoever comes first)",
                     job->options.processors, job->options.processors == 1 ? "" : "s", job->traces.count);
    if (outcome->pace > PACE_NOTED)
        emitter_note(emitter,
                     "other work of the machine, or its scheduler, made the measured execution %s times as long as its "
                     "schedule on %" PRIu32 " processor%s: T_a contains as much",
                     text_real(time, outcome->pace), job->cores, job->cores == 1 ? "" : "s");
    if (outcome->result.lost)
        emitter_note(emitter, "%s events were lost while recording; what they would have changed is not known",
                     text_count(time, outcome->result.lost));
    if (job->bounds && outcome->result.unpriced)
        emitter_note(
            emitter,
            "what %s message%s cost%s is not known: the model has the lower bound there (--communication FILE, "
            "of calibrate --mpi, tells)",
            text_count(time, outcome->result.unpriced), outcome->result.unpriced == 1 ? "" : "s",
            outcome->result.unpriced == 1 ? "s" : "");
    if (!job->traces.one_node && comm_is_known(&job->options.messages) && !comm_is_known(&job->options.between))
        emitter_note(emitter, "messages between nodes are taken to cost what --communication has of one node "
                              "(calibrate --mpi --host HOST measures them)");
    if (outcome->result.suppressed)
        emitter_note(
            emitter,
            "%s calls were counted and not recorded (--budget-trace): what they cost was taken off, their time "
            "is in their callers'",
            text_count(time, outcome->result.suppressed));
    if (outcome->result.counted)
        emitter_note(
            emitter,
            "%s calls were counted in place%s and not recorded: %s ± %s of the critical path were taken off for "
            "them%s (record --trace-all records every call)",
            text_count(time, outcome->result.counted),
            job->traces.windows ? ", of the hottest functions in windows alone," : "",
            text_time((char[TEXT_NUMBER]){0}, outcome->result.critical_path.counted / FIXED * job->traces.tick_ns),
            text_time((char[TEXT_NUMBER]){0},
                      PCOMP_NORMAL_95 * outcome->result.critical_path.doubt / FIXED * job->traces.tick_ns),
            outcome->result.critical_path.sites > 0 ? " and for sites that are off" : "");
    if (outcome->result.critical_path.external)
        emitter_note(
            emitter,
            "%s of the critical path are waits that no rule covers (external-...): they were kept as measured, "
            "and the ± has them",
            text_time(time, (double)outcome->result.critical_path.external / FIXED * job->traces.tick_ns));
    for (uint32_t i = 0; i < outcome->violation_count; i++) {
        replay_job_violation(job, &outcome->violations[i], text, sizeof text);
        emitter_note(emitter, "violation: %s", text);
    }
    if (outcome->result.violations > outcome->violation_count)
        emitter_note(emitter, "... and %" PRIu64 " more violations",
                     outcome->result.violations - outcome->violation_count);
}

int replay_summary(struct replay_job *job, double actual, enum emit_format format)
{
    struct emitter *emitter = emitter_open(format, stdout, "pcomp-replay/1");
    if (!emitter)
        return message_no_memory("replay");
    head_fields(emitter, job, actual);
    if (emitter_is(emitter, EMIT_TEXT))
        head_text(emitter, job, actual);
    waiting_table(emitter, job);
    external_table(emitter, job);
    composition_table(emitter, job);
    location_table(emitter, job);
    notes(emitter, job);
    return emitter_close(emitter);
}
