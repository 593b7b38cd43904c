/* pcomp export: a profile, or a trace, in another tool's format. */
#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/base/text.h"
#include "reporters/cmd/command.h"
#include "reporters/export/export.h"
#include "reporters/export/export_chrome.h"
#include "reporters/report/report_common.h"

#include <math.h>

uint64_t export_clamp(double ns, struct export_result *result)
{
    if (!(ns > -0.5)) {
        if (ns < 0) {
            result->clamped -= ns;
            result->clamped_items++;
        }
        return 0;
    }
    return ns < 0 ? 0 : ns < 0x1p63 ? (uint64_t)llround(ns) : UINT64_MAX;
}

const char *export_clamp_text(const struct export_result *result, char *buffer, size_t size)
{
    char time[TEXT_NUMBER];
    if (!result->clamped_items && !result->clamped_calls)
        return NULL;
    int used = snprintf(buffer, size, "%llu exclusive time%s below zero, %s together, written as 0",
                        (unsigned long long)result->clamped_items, result->clamped_items == 1 ? "" : "s",
                        text_time(time, -result->clamped));
    if (result->clamped_calls && used > 0 && (size_t)used < size)
        snprintf(buffer + used, size - (size_t)used, "; inclusive times of calls below zero, too: %llu",
                 (unsigned long long)result->clamped_calls);
    return buffer;
}

const char *export_command(const struct export_request *request)
{
    const struct call_tree *tree = request->tree;
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main && tree->processes[i].command)
            return tree->processes[i].command;
    return request->dir;
}

enum { EXPORT_CHROME = 3 }; /* the first that needs no profile */

static int export_write(const struct export_request *request, int format, const char *path)
{
    static bool (*const writers[])(const struct export_request *, FILE *,
                                   struct export_result *) = {export_callgrind, export_folded, export_speedscope};
    struct output_file file;
    struct export_result result = {0};
    char clamped[200];
    if (!output_file_open(&file, path))
        return STATUS_BAD;
    bool good = writers[format](request, file.stream, &result);
    if (!output_file_close(&file, good))
        return STATUS_BAD;
    if (!good)
        return message_no_memory("export");
    if (export_clamp_text(&result, clamped, sizeof clamped))
        message_note("export: %s: the format has no negative numbers (pcomp report has the exact ones)", clamped);
    if (result.cut_paths)
        message_note("export: %llu paths are written without their middle: deeper than 1024 calls",
                     (unsigned long long)result.cut_paths);
    for (size_t i = 0; i < request->tree->warning_count; i++)
        message_note("note: %s", request->tree->warnings[i]);
    return STATUS_DONE;
}

/* The traces have no use for what chooses and derives parts of a profile. */
static int export_trace(const char *dir, const struct load_options *load, int times, const char *path)
{
    const char *given = times >= 0                   ? "--times"
                        : load->process              ? "--process"
                        : load->rank != LOAD_NO_RANK ? "--rank"
                        : load->thread               ? "--thread"
                        : load->model >= 0           ? "--model"
                                                     : NULL;
    if (given)
        return message_misuse("export: %s: is about profiles (chrome has the whole trace, measured and approximated)",
                              given);
    return export_chrome(dir, load->salvage, path);
}

int cmd_export(int argc, char **argv)
{
    struct load_options load = LOAD_OPTIONS;
    int format = -1, times = -1;
    const char *path = NULL;
    const struct option_spec specs[] = {
        {"--format", 0, OPTION_CHOICE, "NAME", "callgrind, folded, speedscope or chrome", &format,
         "callgrind|folded|speedscope|chrome"},
        {"--times", 0, OPTION_CHOICE, "WHICH", "compensated (default) or raw", &times, "compensated|raw"},
        {"--output", 'o', OPTION_TEXT, "FILE", "the file to write; - is standard output", &path, NULL},
        LOAD_OPTION_SPECS(load),
        {0},
    };
    const struct command_usage usage = {
        .command = "export",
        .synopsis = "DIR --format NAME [--times compensated|raw] -o FILE",
        .purpose = "Writes the profile, or the trace, in DIR (" DEFAULT_DATA_DIR ") as a file of another tool.",
        .options = specs,
        .operands_max = 1,
        .operands = "a data directory",
    };
    struct operands operands;
    int status = options_parse(&usage, argc, argv, &operands);
    if (status >= 0)
        return status;
    if (format < 0)
        return message_misuse("export: --format is missing (one of: callgrind, folded, speedscope, chrome)");
    if (!path)
        return message_misuse("export: -o is missing (-o FILE, or -o - for standard output)");
    struct export_request request = {.dir = operands.count ? operands.texts[0] : DEFAULT_DATA_DIR,
                                     .raw = times == REPORT_RAW};
    if (format == EXPORT_CHROME)
        return export_trace(request.dir, &load, times, path);
    struct call_tree *tree = report_load("export", request.dir, &load, true, &status);
    if (!tree)
        return status;
    request.tree = tree;
    status = export_write(&request, format, path);
    call_tree_free(tree);
    return status;
}
