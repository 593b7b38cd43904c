/* pcomp info: what is in a data directory, also of a live or killed process; how this pcomp was built. */
#include "profiler/format/names.h"
#include "reporters/base/library_path.h"
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/cmd/command.h"
#include "reporters/info/info_modules.h"
#include "reporters/info/info_traces.h"
#include "reporters/launch/record_counters.h"
#include "reporters/profile/data_directory.h"
#include "reporters/profile/profile_file.h"
#include "reporters/profile/replay_info.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"
#include "reporters/report/report_how.h"
#include "reporters/tree/cost_sums.h"

#include "pcomp_config.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* --- A data directory -------------------------------------------------------------------------------------------- */

static const char *const clock_names[] = {PCOMP_CLOCK_NAMES};
static const char *const info_states[] = {"ended", "running", "starting", "denied", "gone"};

/* "no space, node limit"; "" when nothing stopped. */
static const char *info_stopped(unsigned bits, char *buffer, size_t size)
{
    static const char *const reasons[] = {
        "no space",    "file size limit", "node limit", "depth limit", "no memory for a thread",
        "trace limit", "memory budget",   "locked in"};
    size_t used = 0;
    *buffer = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons && used < size; i++)
        if (bits & 1u << i)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", reasons[i]);
    return buffer;
}

static const char *info_state(const struct data_file *file, const struct pcomp_header *header)
{
    if (file->status == DATA_ENDED && header)
        return header->state == PCOMP_STATE_CLOSED ? "closed" : "killed";
    return info_states[file->status];
}

static const struct tree_process *info_process(const struct call_tree *tree, const struct data_file *file)
{
    for (size_t i = 0; tree && i < tree->process_count; i++)
        if (tree->processes[i].file && !strcmp(tree->processes[i].file, file->path))
            return &tree->processes[i];
    return NULL;
}

static void info_row(struct emitter *emitter, const struct call_tree *tree, const struct data_file *file, int *status)
{
    struct pcomp_header header;
    struct stat size = {0};
    char error[512] = "", stopped[128], text[TEXT_NUMBER], boot[TEXT_NUMBER];
    bool known = file->status != DATA_GONE && file->status != DATA_STARTING &&
                 profile_file_read_header(file->path, &header, error, sizeof error);
    const struct tree_process *process = info_process(tree, file);
    if (*error) {
        message_failure("%s", error);
        *status = STATUS_BAD;
    }
    stat(file->path, &size);
    emitter_row(emitter);
    emit_name(emitter, file->path);
    emit_count(emitter, (uint64_t)(known ? header.pid : file->pid));
    emit_shown(emitter, "%d", known ? header.pid : file->pid);
    if (known && header.rank >= 0)
        emit_count(emitter, (uint64_t)header.rank);
    else
        emit_null(emitter);
    emit_name(emitter, info_state(file, known ? &header : NULL));
    if (known)
        emit_count(emitter, header.used);
    else
        emit_null(emitter);
    emit_shown(emitter, "%s", known ? text_bytes(text, header.used) : "-");
    emit_count(emitter, (uint64_t)size.st_size);
    for (int i = 0; i < 4; i++)
        if (known)
            emit_count(emitter, i == 0   ? header.thread_count
                                : i == 1 ? header.node_count
                                : i == 2 ? header.lost_calls
                                         : header.late_calls);
        else
            emit_null(emitter);
    emit_time(emitter, known ? (double)header.startup_ns : NAN);
    emit_name(emitter, known && header.clock < 5 ? clock_names[header.clock] : NULL);
    emit_real(emitter, known ? header.tick_hz : NAN);
    char options[sizeof header.options + 1] = "", host[sizeof header.host + 1] = "";
    if (known) {
        memcpy(options, header.options, sizeof header.options);
        memcpy(host, header.host, sizeof header.host);
    }
    emit_name(emitter, known ? options : NULL);
    emit_name(emitter, known ? host : NULL);
    emit_name(emitter, info_stopped(known ? header.stopped : 0, stopped, sizeof stopped));
    emit_name(emitter, process ? process->executable : NULL);
    emit_name(emitter, process ? process->command : NULL);
    snprintf(boot, sizeof boot, "%s", known && *stopped ? "(stopped early)" : "");
    emit_remark(emitter, boot);
    emitter_row_end(emitter);
}

/* Of what execution it is the replay, if it is one. */
static void info_replay(struct emitter *emitter, const struct replay_info *info)
{
    emitter_field_text(emitter, "replay|measured", info->measured);
    emitter_field_text(emitter, "replay|model", info->model);
    emitter_field_text(emitter, "replay|bound", info->bound);
    emitter_field_text(emitter, "replay|how", info->how);
    emitter_text(emitter, "replay of %s, model %s", info->measured, info->how);
}

/* Who samples call stacks, and the signal that the program cannot use meanwhile. */
static void info_sampler(struct emitter *emitter, const struct pcomp_header *header)
{
    static const char *const names[] = {"none", "timer", "perf"};
    bool known = header->sampler < sizeof names / sizeof *names;
    char period[TEXT_NUMBER], why[sizeof header->sampler_why + 1] = "";
    memcpy(why, header->sampler_why, sizeof header->sampler_why);
    emitter_field_text(emitter, "sampler|name", known ? names[header->sampler] : "unknown");
    emitter_field_count(emitter, "sampler|signal", header->sampler_signal);
    emitter_field_text(emitter, "sampler|why", *why ? why : NULL);
    if (known && header->sampler)
        emitter_text(emitter, "%s sampled by %s every %s of a thread's processor time, with signal %u%s%s",
                     header->flags & PCOMP_FLAG_TRACE ? "program counters" : "call stacks",
                     header->sampler != PCOMP_SAMPLER_PERF ? "a timer"
                     : header->sample_tick_ns              ? "the kernel (perf, and a timer each tick)"
                                                           : "the kernel (perf)",
                     text_time(period, (double)header->sample_period_ns), header->sampler_signal, *why ? ": " : "",
                     why);
    else if (*why)
        emitter_text(emitter, "no call stacks sampled: %s", why);
}

/* How calls are measured, and what the run started from. */
static void info_mode(struct emitter *emitter, const struct pcomp_header *header)
{
    if (header->flags & PCOMP_FLAG_REPLAYED) {
        emitter_field_text(emitter, "mode", "replayed");
        return;
    }
    if (header->flags & PCOMP_FLAG_TRACE) {
        emitter_field_text(emitter, "mode", "trace");
        bool counts = header->count_cost > 0; /* in place */
        emitter_text(emitter, "mode trace: every %s recorded%s",
                     counts                 ? "synchronisation, and calls of rare functions,"
                     : header->trace_budget ? "synchronisation, and calls within a budget,"
                                            : "call and synchronisation",
                     counts ? "; of hot functions calls are counted" : "");
        return;
    }
    char a[TEXT_NUMBER], b[TEXT_NUMBER], fitted[sizeof header->fitted + 1] = "";
    double fixed_ns = 1e9 / header->tick_hz / (1 << PCOMP_FIX_SHIFT);
    if (header->flags & PCOMP_FLAG_FITTED)
        memcpy(fitted, header->fitted, sizeof header->fitted);
    bool counts = header->flags & PCOMP_FLAG_COUNTS;
    emitter_field_text(emitter, "mode", counts ? "auto" : "full");
    emitter_field_text(emitter, "fitted", *fitted ? fitted : NULL);
    if (counts) {
        emitter_text(emitter, "mode auto: a call counted in place costs %s, a timed call %s",
                     text_time(a, (double)header->count_cost * fixed_ns),
                     text_time(b, (double)header->delta_start[PCOMP_VARIANT_REPEAT].descendant * fixed_ns));
        info_sampler(emitter, header);
    } else {
        emitter_text(emitter, "mode full: every call timed");
    }
    if (*fitted)
        emitter_text(emitter, "calibration fitted to: %s", fitted);
}

/* Whether events were recorded, and no calls counted. */
static bool is_traced(const struct data_directory *data)
{
    struct pcomp_header header;
    char error[512];
    for (size_t i = 0; i < data->file_count; i++)
        if (data->files[i].status != DATA_GONE && data->files[i].status != DATA_STARTING &&
            profile_file_read_header(data->files[i].path, &header, error, sizeof error))
            return (header.flags & PCOMP_FLAG_TRACE) && !(header.flags & PCOMP_FLAG_REPLAYED);
    return false;
}

static void info_cost(struct emitter *emitter, const struct call_tree *tree)
{
    struct cost_sums sums;
    char line[COST_LINE];
    if (tree->how.replayed || !cost_sums_make(&sums, tree))
        return;
    emitter_field_real(emitter, "cost|total", sums.all.total);
    emitter_field_real(emitter, "cost|own", sums.all.own);
    emitter_field_real(emitter, "cost|percent", 100 * sums.all.share);
    emitter_text(emitter, "%s", cost_sums_line(&sums, line));
    cost_sums_free(&sums);
}

/* Functions by level, and the counters; of calls that no counter is sure of a warning tells. */
static void info_counts(struct emitter *emitter, const struct call_tree *tree)
{
    const struct tree_counting *counting = &tree->counting;
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    if (!counting->any)
        return;
    report_counts_fields(emitter, tree);
    char sampled[64] = "";
    if (counting->sampled)
        snprintf(sampled, sizeof sampled, " (%u in windows alone)", counting->sampled);
    emitter_text(emitter, "%u timed, %u counted%s, %u off functions; levels fell %s time%s; %s of counters",
                 counting->timed, counting->counted, sampled, counting->off, text_count(a, counting->falls),
                 counting->falls == 1 ? "" : "s", text_bytes(b, counting->bytes));
    if (counting->inexact)
        emitter_text(emitter, "%s calls were counted without locks: inexact", text_count(c, counting->inexact));
    report_counts_text(emitter, tree);
}

static void info_head(struct emitter *emitter, const struct data_directory *data, const struct call_tree *tree)
{
    struct pcomp_header header;
    struct replay_info replay;
    char error[512], when[64] = "", a[TEXT_NUMBER], b[TEXT_NUMBER];
    emitter_field_text(emitter, "dir", data->path);
    emitter_field_text(emitter, "run_id", *data->run_id ? data->run_id : NULL);
    emitter_text(emitter, "%s: run %s, %zu process%s", data->path, *data->run_id ? data->run_id : "(no id)",
                 data->file_count, data->file_count == 1 ? "" : "es");
    if (replay_info_read(data->path, &replay))
        info_replay(emitter, &replay);
    for (size_t i = 0; i < data->file_count; i++) {
        if (data->files[i].status == DATA_GONE || data->files[i].status == DATA_STARTING ||
            !profile_file_read_header(data->files[i].path, &header, error, sizeof error))
            continue;
        time_t seconds = (time_t)(header.real0_ns / 1000000000u);
        struct tm local;
        if (localtime_r(&seconds, &local))
            strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %z", &local);
        char options[sizeof header.options + 1] = "", host[sizeof header.host + 1] = "";
        memcpy(options, header.options, sizeof header.options);
        memcpy(host, header.host, sizeof header.host);
        emitter_field_text(emitter, "started", when);
        emitter_field_text(emitter, "host", host);
        emitter_text(emitter, "started %s on %s, options: %s", when, host, *options ? options : "(none)");
        emitter_text(emitter, "clock %s at %sHz; start-up of the measurement took %s",
                     header.clock < 5 ? clock_names[header.clock] : "unknown", text_count_short(a, header.tick_hz),
                     text_time(b, (double)header.startup_ns));
        info_mode(emitter, &header);
        break;
    }
    if (tree && !is_traced(data)) {
        const struct tree_totals *all = &tree->total_all_threads;
        size_t functions = 0, paths = tree->node_count ? tree->node_count - 1 - (tree->counting.function != 0) : 0;
        for (size_t i = 0; i < tree->function_count; i++)
            functions += tree->functions[i].calls > 0;
        emitter_field_count(emitter, "calls", all->calls);
        emitter_field_count(emitter, "call_paths", paths);
        emitter_field_count(emitter, "functions", functions);
        emitter_field_count(emitter, "lost_events", tree->total.lost_events);
        emitter_text(emitter, "%s calls of %zu functions on %zu call paths", text_count(a, all->calls), functions,
                     paths);
        info_counts(emitter, tree);
        info_cost(emitter, tree);
    } else if (tree) {
        struct trace_sums sums = info_traces_sum(data->path);
        report_trace_budget_text(emitter, "", tree);
        report_trace_budget_fields(emitter, "", tree);
        emitter_field_count(emitter, "held_calls", sums.suppressed);
        if (sums.suppressed)
            emitter_text(emitter, "%s calls of functions that are called most were counted and not recorded",
                         text_count(a, sums.suppressed));
        emitter_field_real(emitter, "cost|total", sums.cost);
        emitter_text(emitter, "observed cost: %s for recording %s events (pcomp report --view cost has the rest)",
                     text_time(a, sums.cost), text_count(b, sums.events));
    }
    info_modules(emitter, data);
    emitter_text(emitter, "%s", "");
}

/* A replay's directory of three data directories. */
static int info_bounds(const char *dir, const struct replay_info *replay, int format)
{
    struct emitter *emitter = emitter_open((enum emit_format)format, stdout, "pcomp-info/1");
    if (!emitter)
        return message_no_memory("info");
    emitter_field_text(emitter, "dir", dir);
    emitter_text(emitter, "%s: bounds of a replay: lower, upper and model, each a data directory", dir);
    info_replay(emitter, replay);
    return emitter_close(emitter);
}

/* Whether there is something to show: a header that can be read, or the reason why there is none. */
static bool info_is_readable(const struct data_directory *data)
{
    struct pcomp_header header;
    char error[512];
    for (size_t i = 0; i < data->file_count; i++)
        if (data->files[i].status == DATA_GONE || data->files[i].status == DATA_STARTING ||
            profile_file_read_header(data->files[i].path, &header, error, sizeof error))
            return true;
    return !data->file_count;
}

static int info_directory(const char *dir, const struct load_options *load, int format)
{
    static const struct emit_column columns[] = {
        {"file", NULL, NULL, EMIT_NAME, 0},          {"pid", NULL, "process", EMIT_COUNT, 0},
        {"rank", NULL, "rank", EMIT_COUNT, 7},       {"state", NULL, "state", EMIT_NAME, 0},
        {"used_bytes", NULL, "size", EMIT_COUNT, 1}, {"file_bytes", NULL, NULL, EMIT_COUNT, 0},
        {"threads", NULL, "threads", EMIT_COUNT, 2}, {"nodes", NULL, "paths", EMIT_COUNT, 3},
        {"lost_calls", NULL, "lost", EMIT_COUNT, 5}, {"late_calls", NULL, "late", EMIT_COUNT, 6},
        {"startup", NULL, NULL, EMIT_TIME, 0},       {"clock", NULL, NULL, EMIT_NAME, 0},
        {"tick_hz", NULL, NULL, EMIT_REAL, 0},       {"options", NULL, NULL, EMIT_NAME, 0},
        {"host", NULL, NULL, EMIT_NAME, 0},          {"stopped", NULL, "stopped by", EMIT_NAME, 4},
        {"executable", NULL, NULL, EMIT_NAME, 0},    {"command", NULL, "command", EMIT_NAME, 0},
    };
    struct data_directory data;
    struct replay_info replay;
    char error[1024] = "";
    if (replay_info_read(dir, &replay) && !strcmp(replay.bound, "all"))
        return info_bounds(dir, &replay, format);
    int status = STATUS_DONE, loaded = STATUS_DONE;
    if (!data_directory_open(dir, true, &data, error, sizeof error))
        return message_failure("%s", error);
    struct call_tree *tree = data.file_count ? report_load("info", dir, load, false, &loaded) : NULL;
    if (!tree && !info_is_readable(&data)) { /* report_load has said why */
        data_directory_close(&data);
        return loaded;
    }
    struct emitter *emitter = emitter_open((enum emit_format)format, stdout, "pcomp-info/1");
    if (emitter) {
        info_head(emitter, &data, tree);
        emitter_table(emitter, "processes", columns, sizeof columns / sizeof *columns, true);
        for (size_t i = 0; i < data.file_count; i++)
            info_row(emitter, tree, &data.files[i], &status);
        emitter_table_end(emitter);
        if (is_traced(&data)) {
            int listed = info_traces(emitter, &data, load->salvage);
            status = status ? status : listed;
        } else if (tree) {
            report_threads(emitter, tree);
            report_notes(emitter, tree);
        }
        int closed = emitter_close(emitter);
        status = status ? status : closed;
    } else
        status = message_no_memory("info");
    call_tree_free(tree);
    data_directory_close(&data);
    return status ? status : loaded;
}

/* --- The build --------------------------------------------------------------------------------------------------- */

static bool unwind_loads(void)
{
    static const char *const names[] = {"libunwind.so.8", "libunwind.so"};
    for (size_t i = 0; i < 2; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        if (library) {
            dlclose(library);
            return true;
        }
    }
    return false;
}

static void info_line(struct emitter *emitter, const char *key, const char *title, const char *value)
{
    emitter_field_text(emitter, key, value);
    emitter_text(emitter, "%-16s  %s", title, value ? value : "not found");
}

static int info_build(int format)
{
    char papi[64] = "", text[200];
    struct emitter *emitter = emitter_open((enum emit_format)format, stdout, "pcomp-build/1");
    if (!emitter)
        return message_no_memory("info");
    bool papi_loads = record_counters_papi(papi, sizeof papi) != NULL, unwind = unwind_loads();
    char *library = library_path_find(), *helper = helper_path_find();
    if (format == EMIT_CSV) {
        const struct emit_column columns[] = {{"key", NULL, NULL, EMIT_NAME, 0}, {"value", NULL, NULL, EMIT_NAME, 0}};
        const char *const pairs[][2] = {{"version", PCOMP_VERSION},
                                        {"compiler", PCOMP_COMPILER},
                                        {"build_type", PCOMP_BUILD_TYPE},
                                        {"papi_built", HAVE_PAPI ? "true" : "false"},
                                        {"papi_loads", papi_loads ? "true" : "false"},
                                        {"libunwind_built", HAVE_LIBUNWIND ? "true" : "false"},
                                        {"libunwind_loads", unwind ? "true" : "false"},
                                        {"mpi", PCOMP_MPIS},
                                        {"elfutils", dwfl_version(NULL)},
                                        {"library", library},
                                        {"helper", helper}};
        emitter_table(emitter, "build", columns, 2, true);
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            emitter_row(emitter);
            emit_name(emitter, pairs[i][0]);
            emit_name(emitter, pairs[i][1]);
            emitter_row_end(emitter);
        }
        emitter_table_end(emitter);
    }
    info_line(emitter, "version", "pcomp", PCOMP_VERSION);
    info_line(emitter, "compiler", "compiler", PCOMP_COMPILER);
    info_line(emitter, "build_type", "build type", PCOMP_BUILD_TYPE);
    emitter_field_flag(emitter, "papi|built", HAVE_PAPI);
    emitter_field_flag(emitter, "papi|loads", papi_loads);
    snprintf(text, sizeof text, "%s%s%s", HAVE_PAPI ? "built in" : "not built in (papi.h was missing)",
             !HAVE_PAPI   ? ""
             : papi_loads ? ", loads: "
                          : ", does not load (apt-get install libpapi7.0)",
             papi);
    emitter_text(emitter, "%-16s  %s", "PAPI", text);
    emitter_field_flag(emitter, "libunwind|built", HAVE_LIBUNWIND);
    emitter_field_flag(emitter, "libunwind|loads", unwind);
    emitter_text(emitter, "%-16s  %s%s", "libunwind",
                 HAVE_LIBUNWIND ? "built in" : "not built in (libunwind.h was missing)",
                 !HAVE_LIBUNWIND ? ""
                 : unwind        ? ", loads"
                                 : ", does not load (apt-get install libunwind8)");
    info_line(emitter, "mpi", "MPI",
              *PCOMP_MPIS ? PCOMP_MPIS : "not built in (mpich, ompi-c: not known to pkg-config)");
    info_line(emitter, "elfutils", "elfutils", dwfl_version(NULL));
    info_line(emitter, "jansson", "jansson", jansson_version_str());
    info_line(emitter, "library", "library", library);
    info_line(emitter, "helper", "helper", helper);
    info_line(emitter, "default_data", "data directory", DEFAULT_DATA_DIR);
    free(library);
    free(helper);
    return emitter_close(emitter);
}

static struct load_options part = {.rank = LOAD_NO_RANK, .model = -1, .as_recorded = true, .want_costs = true};
static bool build, compress;
static int format_given = EMIT_TEXT;
static const struct option_spec specs[] = {
    {"--build", 0, OPTION_FLAG, NULL, "how this pcomp was built and what it finds here", &build, NULL},
    {"--compress", 0, OPTION_FLAG, NULL, "compress the traces of ended processes in place", &compress, NULL},
    SALVAGE_SPEC(&part.salvage),
    EMIT_FORMAT_SPEC(&format_given),
    {0},
};

static int info_run(const struct operands *operands)
{
    if (build && operands->count)
        return message_misuse("info: --build %s: one or the other (--build takes no directory)", operands->texts[0]);
    if (build && compress)
        return message_misuse("info: --build --compress: one or the other");
    if (compress)
        return info_traces_compress(operand_directory(operands));
    return build ? info_build(format_given) : info_directory(operand_directory(operands), &part, format_given);
}

const struct command_usage cmd_info = {
    .command = "info",
    .summary = "what is in a data directory; how pcomp was built",
    .synopsis = "[OPTION...] [DIR | --build]",
    .purpose = "Tells what is in DIR (" DEFAULT_DATA_DIR "), also of a running or killed program.",
    .options = specs,
    OPERAND_DIRECTORY,
    .run = info_run,
};
