/* pcomp export: a profile, or a trace, in another tool's format. */
#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/base/text.h"
#include "reporters/cmd/command.h"
#include "reporters/export/export.h"
#include "reporters/export/export_forest.h"
#include "reporters/export/export_trace.h"
#include "reporters/report/report_common.h"

#include <math.h>

typedef bool write_profile(const struct export_request *request, FILE *out, struct export_result *result);
typedef int write_trace(const char *dir, bool salvage, const struct export_window *window, const char *path);

#define PROFILE_FORMAT(name, merged) {#name, export_##name, NULL, merged},
#define TRACE_FORMAT(name)           {#name, NULL, export_##name, false},
static const struct export_format {
    const char *name;
    write_profile *profile; /* NULL: it is of traces */
    write_trace *trace;
    bool merged; /* of all threads */
} formats[] = {EXPORT_PROFILE_FORMATS(PROFILE_FORMAT) EXPORT_TRACE_FORMATS(TRACE_FORMAT)};
static const char format_choices[] = EXPORT_PROFILE_FORMATS(OPTION_CHOICE_OF) EXPORT_TRACE_FORMATS(OPTION_CHOICE_OF);

struct export_options {
    struct load_options load;
    int format, times;
    const char *path, *from, *to, *min;
};

static int export_write(const struct export_request *request, const struct export_format *format, const char *path)
{
    struct output_file file;
    struct export_result result = {0};
    char clamped[200];
    if (!output_file_open(&file, path))
        return STATUS_BAD;
    bool good = format->profile(request, file.stream, &result);
    if (!output_file_close(&file, good))
        return STATUS_BAD;
    if (!good)
        return message_no_memory("export");
    if (export_clamp_text(&result, clamped, sizeof clamped))
        message_note("export: %s: the format has no negative numbers (pcomp report has the exact ones)", clamped);
    if (result.cut_paths)
        message_note("export: %llu paths are written without their middle: deeper than %d calls",
                     (unsigned long long)result.cut_paths, EXPORT_DEPTH);
    for (size_t i = 0; i < request->tree->warning_count; i++)
        message_note("note: %s", request->tree->warnings[i]);
    return STATUS_DONE;
}

static int export_profile(const char *dir, const struct export_options *options)
{
    const struct export_format *format = &formats[options->format];
    struct load_options load = options->load;
    int status = STATUS_DONE;
    const char *given = options->from ? "--from" : options->to ? "--to" : options->min ? "--min-duration" : NULL;
    if (given)
        return message_misuse("export: %s: is about traces, and %s is a format of profiles (perfetto and chrome are of "
                              "traces)",
                              given, format->name);
    load.by_thread = !format->merged;
    struct call_tree *tree = report_load("export", dir, &load, true, &status);
    if (!tree)
        return status;
    const struct export_request request = {.tree = tree, .dir = dir, .raw = options->times == REPORT_RAW};
    status = export_write(&request, format, options->path);
    call_tree_free(tree);
    return status;
}

/* -1 to go on, else the exit status. */
static int read_time(const char *option, const char *text, double *ns)
{
    if (!text || text_time_read(text, ns))
        return -1;
    return message_misuse("export: %s %s: is no time (give one like 1.5ms; without a unit it is seconds)", option,
                          text);
}

/* The traces have no use for what chooses and derives parts of a profile. */
static int export_events(const char *dir, const struct export_options *options)
{
    const struct load_options *load = &options->load;
    const char *format = formats[options->format].name;
    const char *given = options->times >= 0          ? "--times"
                        : load->process              ? "--process"
                        : load->rank != LOAD_NO_RANK ? "--rank"
                        : load->thread               ? "--thread"
                        : load->model >= 0           ? "--model"
                                                     : NULL;
    if (given)
        return message_misuse("export: %s: is about profiles (%s has the whole trace, measured and approximated)",
                              given, format);
    struct export_window window = {.window = {.to = INFINITY}, .asked = options->from};
    int status = read_time("--from", options->from, &window.window.from);
    status = status < 0 ? read_time("--to", options->to, &window.window.to) : status;
    status = status < 0 ? read_time("--min-duration", options->min, &window.window.min) : status;
    if (status >= 0)
        return status;
    if (window.window.to <= window.window.from)
        return message_misuse("export: --to %s: is not behind --from %s", options->to,
                              options->from ? options->from : "0");
    return formats[options->format].trace(dir, load->salvage, &window, options->path);
}

static struct export_options given = {.load = LOAD_OPTIONS, .format = -1, .times = -1};
static const struct option_spec specs[] = {
    {"--format", 0, OPTION_CHOICE, "NAME", format_choices + 1, &given.format, format_choices + 1},
    {"--times", 0, OPTION_CHOICE, "WHICH", "compensated (default) or raw", &given.times, "compensated|raw"},
    {"--output", 'o', OPTION_TEXT, "FILE", "the file to write; - is standard output", &given.path, NULL},
    {"--from", 0, OPTION_TEXT, "TIME", "traces: what lies behind it: 1.5ms; without a unit, seconds", &given.from,
     NULL},
    {"--to", 0, OPTION_TEXT, "TIME", "traces: what lies before it", &given.to, NULL},
    {"--min-duration", 0, OPTION_TEXT, "TIME", "traces: leave out what takes less", &given.min, NULL},
    LOAD_OPTION_SPECS(given.load),
    {0},
};

static int export_run(const struct operands *operands)
{
    if (given.format < 0)
        return message_misuse("export: --format is missing (pcomp export --help lists the formats)");
    if (!given.path)
        return message_misuse("export: -o is missing (-o FILE, or -o - for standard output)");
    const char *dir = operand_directory(operands);
    return formats[given.format].profile ? export_profile(dir, &given) : export_events(dir, &given);
}

const struct command_usage cmd_export = {
    .command = "export",
    .summary = "write a profile or a trace in another tool's format",
    .synopsis = "DIR --format NAME [--times compensated|raw] -o FILE",
    .purpose = "Writes the profile, or the trace, in DIR (" DEFAULT_DATA_DIR ") as a file of another tool.",
    .options = specs,
    OPERAND_DIRECTORY,
    .run = export_run,
};
