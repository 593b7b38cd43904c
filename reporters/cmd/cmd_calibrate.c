/* pcomp calibrate: what one measured call costs here. The measuring is done by the library, in a helper program, as in
 * any measured program; several runs show how much it varies. */
#include "profiler/format/names.h"
#include "reporters/base/emitter.h"
#include "reporters/base/library_path.h"
#include "reporters/base/message.h"
#include "reporters/base/options.h"
#include "reporters/base/output_file.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/base/text.h"
#include "reporters/calibrate/calibrate_mpi.h"
#include "reporters/calibrate/calibrate_run.h"
#include "reporters/calibrate/calibration_text.h"
#include "reporters/cmd/command.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALIBRATE_RUNS_MAX 100
#define CALIBRATE_CLOCKS   PCOMP_CLOCK_CHOICES

enum { PARTS = 3 };
static const char *const variant_names[PCOMP_VARIANTS] = {"repeat", "lookup", "skip"};
static const char *const variant_meanings[PCOMP_VARIANTS] = {"the same function as the last call from here",
                                                             "another function than the last call from here",
                                                             "a function that is filtered out"};
static const char *const part_names[PARTS] = {"own", "descendant", "direct"};
static const char *const clock_names[] = {PCOMP_CLOCK_NAMES};

struct calibrate_result {
    struct pcomp_header *headers; /* one a run */
    size_t runs;
};

struct calibrate_value {
    double ticks, spread; /* median over the runs; the greater of the spread in a run and between runs */
};

static int double_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double fixed_ticks(int64_t value)
{
    return (double)value / (1 << PCOMP_FIX_SHIFT);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, double_order);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static struct calibrate_value calibrate_part(const struct calibrate_result *result, int variant, int part)
{
    double values[CALIBRATE_RUNS_MAX] = {0}, spreads[CALIBRATE_RUNS_MAX] = {0}, sum = 0, squares = 0;
    for (size_t i = 0; i < result->runs; i++) {
        const struct pcomp_delta *delta = &result->headers[i].delta_start[variant];
        const int64_t value[] = {delta->own, delta->descendant, delta->direct};
        const int64_t spread[] = {delta->own_spread, delta->descendant_spread, delta->direct_spread};
        values[i] = fixed_ticks(value[part]);
        spreads[i] = fixed_ticks(spread[part]);
        sum += values[i];
    }
    double mean = sum / (double)result->runs;
    for (size_t i = 0; i < result->runs; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    double between = result->runs > 1 ? sqrt(squares / (double)(result->runs - 1)) : 0;
    double within = median(spreads, result->runs);
    return (struct calibrate_value){median(values, result->runs), between > within ? between : within};
}

static double calibrate_clock_pair(const struct calibrate_result *result)
{
    double values[CALIBRATE_RUNS_MAX] = {0};
    for (size_t i = 0; i < result->runs; i++)
        values[i] = fixed_ticks(result->headers[i].clock_pair);
    return median(values, result->runs);
}

static bool calibrate_has(const struct calibrate_result *result, int variant)
{
    for (size_t i = 0; i < result->runs; i++)
        if (!result->headers[i].delta_start[variant].repetitions)
            return false;
    return true;
}

/* --- Measuring --------------------------------------------------------------------------------------------------- */

static bool calibrate_measure(struct calibrate_result *result, size_t runs, const char *clock)
{
    char *helper = helper_path_find(), *scratch = scratch_dir_make();
    bool good = true;
    result->headers = calloc(runs, sizeof *result->headers);
    if (!helper || !scratch || !result->headers) {
        good = false;
        if (!helper)
            message_failure("calibrate: calibrate-helper: is not where pcomp was installed (install pcomp again)");
        else
            message_failure("calibrate: temporary directory: %s (set TMPDIR)", strerror(errno));
    }
    for (; good && result->runs < runs; result->runs++) {
        struct pcomp_header *header = &result->headers[result->runs];
        char options[64] = "";
        if (clock)
            snprintf(options, sizeof options, "--clock %s", clock);
        good = calibrate_helper_run("calibrate", helper, scratch, options, result->runs, header);
        if (good && clock && header->clock < sizeof clock_names / sizeof *clock_names &&
            strcmp(clock, clock_names[header->clock]) != 0) {
            good = false;
            message_failure("calibrate: --clock %s: this machine does not have it, %s was used (choose that)", clock,
                            clock_names[header->clock]);
        }
        if (!good)
            break;
    }
    scratch_dir_remove(scratch);
    free(helper);
    return good;
}

/* --- Showing ----------------------------------------------------------------------------------------------------- */

static void calibrate_table(struct emitter *emitter, const struct calibrate_result *result, double tick_ns)
{
    static const struct emit_column columns[] = {
        {"variant", NULL, "variant", EMIT_NAME, 0},
        {"delta", NULL, "Δ", EMIT_NAME, 0},
        {"value", NULL, "time", EMIT_TIME, 0},
        {"spread", NULL, "spread", EMIT_TIME, 0},
        {"value_ticks", NULL, "ticks", EMIT_REAL, 0},
        {"spread_ticks", NULL, "spread", EMIT_REAL, 1},
        {"of_clock_pair", NULL, "of two reads", EMIT_SHARE, 2},
        {"meaning", NULL, "when", EMIT_NAME, 3},
    };
    double pair = calibrate_clock_pair(result);
    emitter_table(emitter, "deltas", columns, sizeof columns / sizeof *columns, true);
    for (int variant = 0; variant < PCOMP_VARIANTS; variant++)
        for (int part = 0; part < PARTS && calibrate_has(result, variant); part++) {
            struct calibrate_value value = calibrate_part(result, variant, part);
            char text[TEXT_NUMBER];
            if (variant == PCOMP_VARIANT_SKIP && part != 1)
                continue; /* not timed: it has no share of its own, and no parent accounts it */
            emitter_row(emitter);
            emit_name(emitter, variant_names[variant]);
            emit_name(emitter, part_names[part]);
            emit_time(emitter, value.ticks * tick_ns);
            emit_time(emitter, value.spread * tick_ns);
            emit_shown(emitter, "± %s", text_time(text, value.spread * tick_ns));
            emit_real(emitter, value.ticks);
            emit_real(emitter, value.spread);
            emit_shown(emitter, "± %s", text_real(text, value.spread));
            emit_share(emitter, pair > 0 ? value.ticks / pair : NAN);
            emit_name(emitter, variant_meanings[variant]);
            emitter_row_end(emitter);
        }
    emitter_table_end(emitter);
}

static int calibrate_show(const struct calibrate_result *result, int format)
{
    const struct pcomp_header *first = &result->headers[0];
    double tick_ns = 1e9 / first->tick_hz, pair = calibrate_clock_pair(result);
    const char *clock = first->clock < sizeof clock_names / sizeof *clock_names ? clock_names[first->clock] : "unknown";
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    struct emitter *emitter = emitter_open((enum emit_format)format, stdout, "pcomp-calibrate/1");
    if (!emitter)
        return message_no_memory("calibrate");
    emitter_field_text(emitter, "clock", clock);
    emitter_field_text(emitter, "unit", "ns");
    emitter_field_real(emitter, "tick_hz", first->tick_hz);
    emitter_field_real(emitter, "clock_pair", pair * tick_ns);
    emitter_field_real(emitter, "clock_pair_ticks", pair);
    emitter_field_count(emitter, "runs", result->runs);
    emitter_text(emitter, "clock %s at %sHz; two bare reads of it: %s, %s ticks", clock,
                 text_count_short(a, first->tick_hz), text_time(b, pair * tick_ns),
                 text_real((char[TEXT_NUMBER]){0}, pair));
    emitter_text(emitter, "median of %zu runs, spread: standard deviation", result->runs);
    emitter_text(emitter, "%s", "");
    calibrate_table(emitter, result, tick_ns);
    emitter_text(emitter, "%s", "");
    emitter_text(emitter,
                 "own         between the two clock reads of a call: in its own time (Δi of the function itself)");
    emitter_text(emitter,
                 "descendant  one whole measurement: in the time of every function above (Δi of a descendant)");
    emitter_text(emitter, "direct      accounting a call in its direct caller (Δe)");
    return emitter_close(emitter);
}

/* The file that --calibration reads. */
static int calibrate_write(const struct calibrate_result *result, const char *path)
{
    const struct pcomp_header *first = &result->headers[0];
    double tick_ns = 1e9 / first->tick_hz;
    struct output_file file;
    if (!output_file_open(&file, path))
        return STATUS_BAD;
    calibration_text_begin(
        file.stream, first->clock < sizeof clock_names / sizeof *clock_names ? clock_names[first->clock] : "unknown");
    fprintf(file.stream, "tick_hz %.17g\n", first->tick_hz);
    for (int variant = 0; variant < PCOMP_VARIANTS; variant++) {
        struct calibrate_value parts[PARTS];
        if (!calibrate_has(result, variant))
            continue;
        for (int part = 0; part < PARTS; part++)
            parts[part] = calibrate_part(result, variant, part);
        calibration_text_variant(file.stream, (enum pcomp_variant)variant,
                                 &(struct tree_delta){.own = parts[0].ticks * tick_ns,
                                                      .descendant = parts[1].ticks * tick_ns,
                                                      .direct = parts[2].ticks * tick_ns,
                                                      .own_spread = parts[0].spread * tick_ns,
                                                      .descendant_spread = parts[1].spread * tick_ns,
                                                      .direct_spread = parts[2].spread * tick_ns});
    }
    return output_file_close(&file, true) ? STATUS_DONE : STATUS_BAD;
}

static uint64_t runs = 5;
static int clock_choice = -1, mpi = -1, format = EMIT_TEXT;
static const char *path, *host;
static const struct option_spec specs[] = {
    {"--clock", 0, OPTION_CHOICE, "NAME", CALIBRATE_CLOCKS " (default: the best)", &clock_choice, CALIBRATE_CLOCKS},
    {"--runs", 0, OPTION_COUNT, "N", "measure in N processes (default 5)", &runs, NULL},
    {"--output", 'o', OPTION_TEXT, "FILE", "write a file for `pcomp record --calibration`, or `pcomp replay`", &path,
     NULL},
    {"--mpi", 0, OPTION_CHOICE, "[=NAME]", "what a message costs, with mpich or openmpi", &mpi, CALIBRATE_MPIS},
    {"--host", 0, OPTION_TEXT, "HOST", "with --mpi: messages between this machine and HOST, too", &host, NULL},
    EMIT_FORMAT_SPEC(&format),
    {0},
};

static int calibrate_run(const struct operands *operands)
{
    (void)operands; /* there are none */
    if (mpi >= 0 && clock_choice >= 0)
        return message_misuse(
            "calibrate: --mpi, --clock: one or the other (messages are timed with the system's clock)");
    if (host && (mpi < 0 || !*host || strpbrk(host, ", \t:")))
        return mpi < 0 ? message_misuse("calibrate: --host: needs --mpi")
                       : message_misuse("calibrate: --host %s: is not the name of one machine", host);
    if (mpi >= 0)
        return calibrate_mpi(mpi, host, path, (enum emit_format)format);
    if (runs < 1 || runs > CALIBRATE_RUNS_MAX)
        return message_misuse("calibrate: --runs %" PRIu64 ": is out of range (1 to %d)", runs, CALIBRATE_RUNS_MAX);
    struct calibrate_result result = {NULL, 0};
    int status = STATUS_BAD;
    if (calibrate_measure(&result, (size_t)runs,
                          clock_choice < 0 ? NULL : clock_names[PCOMP_CLOCK_TSC + clock_choice])) {
        status = path ? calibrate_write(&result, path) : STATUS_DONE;
        if (status == STATUS_DONE && !(path && !strcmp(path, "-")))
            status = calibrate_show(&result, format);
    }
    free(result.headers);
    return status;
}

const struct command_usage cmd_calibrate = {
    .command = "calibrate",
    .summary = "what one measured call costs on this machine",
    .synopsis = "[OPTION...]",
    .purpose = "Measures what one measured call costs on this machine.",
    .options = specs,
    .operands = "nothing",
    .run = calibrate_run,
};
