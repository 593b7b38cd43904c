#include "reporters/calibrate/calibrate_mpi.h"

#include "reporters/base/library_path.h"
#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/base/text.h"
#include "reporters/calibrate/comm_file.h"
#include "reporters/calibrate/processor_pairs.h"
#include "reporters/launch/run_launch.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNSURE = 2 }; /* the ends of an interval this many times apart deserve a warning */
enum { SAMPLES_MAX = 64, ARGUMENTS = 12 };

/* How two processes are started; what it is called differs where only one MPI is installed. */
static const struct launcher {
    const char *name;        /* of the MPI */
    const char *commands[3]; /* the first there is */
    const char *arguments[ARGUMENTS];
} launchers[] = {
    {"mpich", {"mpirun.mpich", "mpiexec.hydra", "mpirun"}, {"-n", "2", NULL}},
    /* Two processes that spin on less than two processors would measure the scheduler. */
    {"openmpi",
     {"mpirun.openmpi", "orterun", "mpirun"},
     {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2", NULL}},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

struct measured {
    char mpi[128]; /* name and version */
    size_t count;
    struct comm_sample samples[SAMPLES_MAX];
    double copies[SAMPLES_MAX];
    uint8_t waits[SAMPLES_MAX];
    uint64_t eager, rendezvous; /* the largest size that did not wait, the smallest that did; 0: none */
    struct comm_model model;
};

/* --- Measuring --------------------------------------------------------------------------------------------------- */

static char *launcher_find(const struct launcher *launcher)
{
    char *path = NULL;
    for (size_t i = 0; i < sizeof launcher->commands / sizeof *launcher->commands && !path; i++)
        path = run_find(launcher->commands[i]);
    return path;
}

static bool read_measured(const char *path, struct measured *measured)
{
    char line[512];
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        struct comm_sample sample;
        double copy;
        int waits;
        if (sscanf(line, "mpi %127[^\n]", measured->mpi) == 1 ||
            sscanf(line, "protocol %" SCNu64 " %" SCNu64, &measured->eager, &measured->rendezvous) == 2)
            continue;
        if (measured->count < SAMPLES_MAX &&
            sscanf(line, "message %" SCNu64 " %lf %d %lf", &sample.bytes, &sample.time, &waits, &copy) == 4) {
            measured->samples[measured->count] = sample;
            measured->copies[measured->count] = copy;
            measured->waits[measured->count++] = waits != 0;
        }
    }
    if (file)
        fclose(file);
    return measured->count > 0;
}

/* Runs the helper. False after a message. */
static bool run_helper(const struct launcher *launcher, const char *command, const char *helper, const char *result)
{
    static char root[] = "OMPI_ALLOW_RUN_AS_ROOT=1", confirm[] = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
    char *const set[] = {root, confirm, NULL};
    char *arguments[ARGUMENTS + 4] = {(char *)command};
    size_t count = 1;
    struct run_result run = {0};
    for (const char *const *argument = launcher->arguments; *argument; argument++)
        arguments[count++] = (char *)*argument;
    arguments[count++] = (char *)helper;
    arguments[count] = (char *)result;
    if (!freopen("/dev/null", "r", stdin) || !run_launch(command, arguments, set, NULL, &run) || run.exit_status) {
        message_failure("calibrate: %s: two processes of %s could not be measured%s%s (is %s installed as a whole?)",
                        command, launcher->name, run.exec_errno ? ": " : "",
                        run.exec_errno ? strerror(run.exec_errno) : "", launcher->name);
        return false;
    }
    return true;
}

/* The sizes that were tried one by one tell the threshold better than those whose times were measured. */
static void take_threshold(struct measured *measured)
{
    struct comm_model *model = &measured->model;
    if (!measured->rendezvous || measured->eager >= measured->rendezvous)
        return;
    model->threshold = model->threshold_max = measured->rendezvous;
    model->threshold_min = measured->eager + 1;
}

/* The table of copy times has fewer sizes than were measured: every other one, from the largest down. */
static void take_copies(struct measured *measured)
{
    size_t step = (measured->count + COMM_COPIES - 1) / COMM_COPIES;
    for (size_t i = (measured->count - 1) % step; i < measured->count; i += step)
        measured->model.copy[measured->model.copies++] =
            (struct comm_copy){measured->samples[i].bytes, measured->copies[i]};
}

static bool measure_with(const struct launcher *launcher, const char *command, const char *helper,
                         struct measured *measured)
{
    char *scratch = scratch_dir_make(), *result = NULL;
    bool good = false;
    if (!scratch)
        message_failure("calibrate: temporary directory: %s (set TMPDIR)", strerror(errno));
    else if (asprintf(&result, "%s/messages", scratch) < 0) {
        result = NULL;
        message_no_memory("calibrate");
    } else if (run_helper(launcher, command, helper, result)) {
        good = read_measured(result, measured) &&
               comm_fit(&measured->model, measured->samples, measured->count, measured->waits);
        if (good) {
            take_threshold(measured);
            take_copies(measured);
        } else
            message_failure("calibrate: %s: left no figures (its message is above)", helper);
    }
    free(result);
    scratch_dir_remove(scratch);
    return good;
}

/* With the MPI asked for, or the first for which all is there. False after a message. */
static bool measure(int mpi, struct measured *measured)
{
    for (int i = 0; i < LAUNCHERS; i++) {
        if (mpi && mpi != i + 1)
            continue;
        char *helper = pingpong_path_find(launchers[i].name), *command = launcher_find(&launchers[i]);
        bool there = helper && command, good = there && measure_with(&launchers[i], command, helper, measured);
        free(helper);
        free(command);
        if (there)
            return good;
    }
    if (mpi)
        message_failure("calibrate: --mpi=%s: is not installed here, or was not when pcomp was built",
                        launchers[mpi - 1].name);
    else
        message_failure("calibrate: --mpi: no MPI is installed here, or none was when pcomp was built");
    return false;
}

/* --- Showing ----------------------------------------------------------------------------------------------------- */

static bool is_rendezvous(const struct comm_model *model, uint64_t bytes)
{
    return model->threshold && bytes >= model->threshold;
}

static void show_messages(struct emitter *emitter, const struct measured *measured)
{
    static const struct emit_column columns[] = {
        {"bytes", NULL, "bytes", EMIT_COUNT, 0},     {"time", NULL, "one way", EMIT_TIME, 0},
        {"fitted", NULL, "fitted", EMIT_TIME, 0},    {"copy", NULL, "copy", EMIT_TIME, 0},
        {"waits", NULL, "send waits", EMIT_FLAG, 0}, {"protocol", NULL, "protocol", EMIT_NAME, 0},
    };
    emitter_table(emitter, "messages", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < measured->count; i++) {
        uint64_t bytes = measured->samples[i].bytes;
        emitter_row(emitter);
        emit_count(emitter, bytes);
        emit_time(emitter, measured->samples[i].time);
        emit_time(emitter, comm_time(&measured->model, bytes));
        emit_time(emitter, measured->copies[i]);
        emit_flag(emitter, measured->waits[i]);
        emit_name(emitter, is_rendezvous(&measured->model, bytes) ? "rendezvous" : "eager");
        emitter_row_end(emitter);
    }
    emitter_table_end(emitter);
}

static void show_line(struct emitter *emitter, const char *name, const struct comm_line *line)
{
    char key[64], start[TEXT_NUMBER], residual[TEXT_NUMBER];
    const char *const parts[] = {"start", "per_byte", "residual"};
    const double values[] = {line->start, line->per_byte, line->residual};
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "%s|%s", name, parts[i]);
        emitter_field_real(emitter, key, values[i]);
    }
    emitter_text(emitter, "%-10s S = %s, γ = %.4g ns a byte (%.3g GB/s), residual %s", name,
                 text_time(start, line->start), line->per_byte, line->per_byte > 0 ? 1 / line->per_byte : INFINITY,
                 text_time(residual, line->residual));
}

/* The distance of two processes (h·H of 1993) is that of the pairs that there are here. */
static void show_pairs(struct emitter *emitter)
{
    const char *only = processor_pair_only(processor_pairs("/sys/devices/system/cpu"));
    emitter_field_text(emitter, "pair", only);
    if (only)
        emitter_text(emitter,
                     "the processes lie %s: farther or nearer pairs cannot be seen here, and count as much "
                     "(h·H = 0)",
                     only);
    else
        emitter_text(emitter, "%s",
                     "pairs of processors differ here, and the MPI chose one: the replay takes all for "
                     "that one (h·H = 0; bind the processes to measure another)");
}

static int show(const struct measured *measured, enum emit_format format)
{
    const struct comm_model *model = &measured->model;
    struct emitter *emitter = emitter_open(format, stdout, "pcomp-communication/1");
    if (!emitter)
        return message_no_memory("calibrate");
    emitter_field_text(emitter, "mpi", measured->mpi);
    emitter_field_text(emitter, "unit", "ns");
    emitter_field_count(emitter, "threshold", model->threshold);
    emitter_field_count(emitter, "threshold_least", model->threshold_min);
    emitter_field_count(emitter, "threshold_most", model->threshold_max);
    emitter_text(emitter, "%s, two processes on this machine: C = S + n·γ for a message of n bytes", measured->mpi);
    show_line(emitter, "eager", &model->eager);
    if (model->threshold) {
        show_line(emitter, "rendezvous", &model->rendezvous);
        emitter_text(emitter, "rendezvous from %" PRIu64 " bytes on (between %" PRIu64 " and %" PRIu64 ")",
                     model->threshold, model->threshold_min, model->threshold_max);
    } else
        emitter_text(emitter, "no break between protocols was found");
    show_pairs(emitter);
    emitter_text(emitter, "%s", "");
    show_messages(emitter, measured);
    if (model->threshold_max > UNSURE * model->threshold_min)
        emitter_note(
            emitter,
            "the size from which messages go by rendezvous is not sure: times and sends leave it between %" PRIu64
            " and %" PRIu64 " bytes (measure again, with two processors that have nothing else to do)",
            model->threshold_min, model->threshold_max);
    return emitter_close(emitter);
}

int calibrate_mpi(int mpi, const char *path, enum emit_format format)
{
    struct measured measured = {.count = 0};
    if (!measure(mpi, &measured))
        return STATUS_BAD;
    struct output_file file;
    if (path && !output_file_open(&file, path))
        return STATUS_BAD;
    if (path) {
        comm_file_write(file.stream, measured.mpi, &measured.model);
        if (!output_file_close(&file, true))
            return STATUS_BAD;
    }
    return path && !strcmp(path, "-") ? STATUS_DONE : show(&measured, format);
}
