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
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNSURE = 2 }; /* the ends of an interval this many times apart deserve a warning */
enum { SAMPLES_MAX = 64, ARGUMENTS = 12 };

/* How two processes are started; what it is called differs where only one MPI is installed. */
static const struct launcher {
    const char *name;                 /* of the MPI */
    const char *commands[3];          /* the first there is */
    const char *arguments[ARGUMENTS]; /* both processes here */
    const char *apart[ARGUMENTS];     /* one here, one on another machine; behind it the names of both */
    const char *hosts;                /* these, as a format */
} launchers[] = {
    {"mpich",
     {"mpirun.mpich", "mpiexec.hydra", "mpirun"},
     {"-n", "2", NULL},
     {"-n", "2", "-ppn", "1", "-hosts", NULL},
     "%s,%s"},
    /* Two processes that spin on less than two processors would measure the scheduler. */
    {"openmpi",
     {"mpirun.openmpi", "orterun", "mpirun"},
     {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2", NULL},
     {"--mca", "mpi_yield_when_idle", "1", "-n", "2", "--host", NULL},
     "%s:1,%s:1"},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

struct measured {
    const char *host; /* of one process; NULL: both are here */
    char mpi[128];    /* name and version */
    int nodes;        /* that the processes were on */
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
        if (sscanf(line, "mpi %127[^\n]", measured->mpi) == 1 || sscanf(line, "nodes %d", &measured->nodes) == 1 ||
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
static bool run_helper(const struct launcher *launcher, const char *command, const char *helper, const char *host,
                       const char *result)
{
    static char root[] = "OMPI_ALLOW_RUN_AS_ROOT=1", confirm[] = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
    char *const set[] = {root, confirm, NULL};
    char *arguments[ARGUMENTS + 5] = {(char *)command}, here[HOST_NAME_MAX + 1] = "", hosts[1024];
    size_t count = 1;
    struct run_result run = {0};
    for (const char *const *argument = host ? launcher->apart : launcher->arguments; *argument; argument++)
        arguments[count++] = (char *)*argument;
    gethostname(here, sizeof here - 1);
    snprintf(hosts, sizeof hosts, launcher->hosts, here, host ? host : "");
    if (host)
        arguments[count++] = hosts;
    arguments[count++] = (char *)helper;
    arguments[count] = (char *)result;
    if (!freopen("/dev/null", "r", stdin) || !run_launch(command, arguments, set, NULL, &run) || run.exit_status) {
        const char *why = run.exec_errno ? strerror(run.exec_errno) : "", *colon = run.exec_errno ? ": " : "";
        if (host)
            message_failure("calibrate: %s: a process of %s here and one on %s could not be measured%s%s (can %s start "
                            "processes there, and has %s this machine's files?)",
                            command, launcher->name, host, colon, why, launcher->name, host);
        else
            message_failure("calibrate: %s: two processes of %s could not be measured%s%s (is %s installed as a "
                            "whole?)",
                            command, launcher->name, colon, why, launcher->name);
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
    } else if (run_helper(launcher, command, helper, measured->host, result)) {
        good = read_measured(result, measured) &&
               comm_fit(&measured->model, measured->samples, measured->count, measured->waits);
        if (good) {
            take_threshold(measured);
            take_copies(measured);
        } else
            message_failure("calibrate: %s: left no figures (its message is above)", helper);
        if (good && measured->host && measured->nodes < 2) {
            message_failure(
                "calibrate: --host %s: is this machine to %s: messages between nodes cannot be measured there",
                measured->host, launcher->name);
            good = false;
        }
    }
    free(result);
    scratch_dir_remove(scratch);
    return good;
}

/* With the MPI asked for, or the first for which all is there: in this machine, then from it to the host of `apart`.
 * False after a message. */
static bool measure(int mpi, struct measured *measured, struct measured *apart)
{
    for (int i = 0; i < LAUNCHERS; i++) {
        if (mpi && mpi != i + 1)
            continue;
        char *helper = pingpong_path_find(launchers[i].name), *command = launcher_find(&launchers[i]);
        bool there = helper && command, good = there && measure_with(&launchers[i], command, helper, measured) &&
                                               (!apart->host || measure_with(&launchers[i], command, helper, apart));
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

static void show_rows(struct emitter *emitter, const struct measured *measured, bool say_nodes)
{
    for (size_t i = 0; i < measured->count; i++) {
        uint64_t bytes = measured->samples[i].bytes;
        emitter_row(emitter);
        emit_count(emitter, bytes);
        emit_time(emitter, measured->samples[i].time);
        emit_time(emitter, comm_time(&measured->model, bytes));
        emit_time(emitter, measured->copies[i]);
        emit_flag(emitter, measured->waits[i]);
        emit_name(emitter, is_rendezvous(&measured->model, bytes) ? "rendezvous" : "eager");
        if (say_nodes)
            emit_count(emitter, measured->host ? 2 : 1);
        emitter_row_end(emitter);
    }
}

static void show_messages(struct emitter *emitter, const struct measured *measured, const struct measured *apart)
{
    static const struct emit_column columns[] = {
        {"bytes", NULL, "bytes", EMIT_COUNT, 0},     {"time", NULL, "one way", EMIT_TIME, 0},
        {"fitted", NULL, "fitted", EMIT_TIME, 0},    {"copy", NULL, "copy", EMIT_TIME, 0},
        {"waits", NULL, "send waits", EMIT_FLAG, 0}, {"protocol", NULL, "protocol", EMIT_NAME, 0},
        {"nodes", NULL, "nodes", EMIT_COUNT, 0},
    };
    size_t count = sizeof columns / sizeof *columns;
    emitter_table(emitter, "messages", columns, apart->host ? count : count - 1, true);
    show_rows(emitter, measured, apart->host);
    show_rows(emitter, apart, true);
    emitter_table_end(emitter);
}

static void show_line(struct emitter *emitter, const char *of, const char *name, const struct comm_line *line)
{
    char key[64], start[TEXT_NUMBER], residual[TEXT_NUMBER];
    const char *const parts[] = {"start", "per_byte", "residual"};
    const double values[] = {line->start, line->per_byte, line->residual};
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "%s%s|%s", of, name, parts[i]);
        emitter_field_real(emitter, key, values[i]);
    }
    emitter_text(emitter, "%-10s S = %s, γ = %.4g ns a byte (%.3g GB/s), residual %s", name,
                 text_time(start, line->start), line->per_byte, line->per_byte > 0 ? 1 / line->per_byte : INFINITY,
                 text_time(residual, line->residual));
}

/* The distance of two processes of a node (h·H of 1993) is that of the pairs that there are here. */
static void show_pairs(struct emitter *emitter)
{
    const char *only = processor_pair_only(processor_pairs("/sys/devices/system/cpu"));
    emitter_field_text(emitter, "pair", only);
    if (only)
        emitter_text(emitter, "the processes lie %s: others of a node cannot be seen here, and count as much", only);
    else
        emitter_text(emitter, "%s",
                     "pairs of processors differ here, and the MPI chose one: the replay takes all of a node for "
                     "that one (bind the processes to measure another)");
}

static void show_model(struct emitter *emitter, const char *of, const struct comm_model *model)
{
    const char *const keys[] = {"threshold", "threshold_least", "threshold_most"};
    const uint64_t values[] = {model->threshold, model->threshold_min, model->threshold_max};
    char key[64];
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "%s%s", of, keys[i]);
        emitter_field_count(emitter, key, values[i]);
    }
    show_line(emitter, of, "eager", &model->eager);
    if (!model->threshold) {
        emitter_text(emitter, "no break between protocols was found");
        return;
    }
    show_line(emitter, of, "rendezvous", &model->rendezvous);
    emitter_text(emitter, "rendezvous from %" PRIu64 " bytes on (between %" PRIu64 " and %" PRIu64 ")",
                 model->threshold, model->threshold_min, model->threshold_max);
}

static void note_unsure(struct emitter *emitter, const char *where, const struct comm_model *model)
{
    if (model->threshold_max > UNSURE * model->threshold_min)
        emitter_note(emitter,
                     "the size from which messages%s go by rendezvous is not sure: times and sends leave it between "
                     "%" PRIu64 " and %" PRIu64 " bytes (measure again, with two processors that have nothing else to "
                     "do)",
                     where, model->threshold_min, model->threshold_max);
}

static int show(const struct measured *measured, const struct measured *apart, enum emit_format format)
{
    struct emitter *emitter = emitter_open(format, stdout, "pcomp-communication/1");
    if (!emitter)
        return message_no_memory("calibrate");
    emitter_field_text(emitter, "mpi", measured->mpi);
    emitter_field_text(emitter, "unit", "ns");
    emitter_text(emitter, "%s, two processes on this machine: C = S + n·γ for a message of n bytes", measured->mpi);
    show_model(emitter, "", &measured->model);
    show_pairs(emitter);
    if (apart->host) {
        emitter_text(emitter, "%s", "");
        emitter_text(emitter, "between this machine and %s", apart->host);
        emitter_field_text(emitter, "between_nodes|host", apart->host);
        show_model(emitter, "between_nodes|", &apart->model);
    }
    emitter_text(emitter, "%s", "");
    show_messages(emitter, measured, apart);
    note_unsure(emitter, "", &measured->model);
    note_unsure(emitter, " between nodes", &apart->model);
    return emitter_close(emitter);
}

int calibrate_mpi(int mpi, const char *host, const char *path, enum emit_format format)
{
    struct measured measured = {.count = 0}, apart = {.host = host};
    if (!measure(mpi, &measured, &apart))
        return STATUS_BAD;
    struct output_file file;
    if (path && !output_file_open(&file, path))
        return STATUS_BAD;
    if (path) {
        comm_file_write(file.stream, measured.mpi, &measured.model, &apart.model);
        if (!output_file_close(&file, true))
            return STATUS_BAD;
    }
    return path && !strcmp(path, "-") ? STATUS_DONE : show(&measured, &apart, format);
}
