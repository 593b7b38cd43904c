#include "reporters/export/export_trace.h"

#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/base/text.h"

#include <stdlib.h>

static int no_such_part(const struct export_window *window, double longest)
{
    char all[TEXT_NUMBER];
    return message_failure("export: --from %s: is behind the end of the trace, which lasts %s", window->asked,
                           text_time(all, longest));
}

static bool write_all(struct trace_slices *slices, const struct export_window *window, const char *dir,
                      const struct export_trace_writer *writer, FILE *out, char *error, size_t error_size)
{
    uint32_t count;
    const char *const *names = trace_slices_names(slices, &count);
    char *clean = text_clean(dir);
    snprintf(error, error_size, "out of memory");
    bool good = clean && writer->begin(writer->sink.context, out, clean, names, count) &&
                trace_slices_report(slices, &window->window, &writer->sink, error, error_size) &&
                writer->end(writer->sink.context);
    writer->close(writer->sink.context);
    free(clean);
    return good;
}

int export_trace(const char *dir, bool salvage, const struct export_window *window, const char *path,
                 const struct export_trace_writer *writer)
{
    struct output_file file;
    char error[1024] = "";
    struct trace_slices *slices = trace_slices_open(dir, salvage, "export", error, sizeof error);
    if (!slices)
        return message_failure("export: %s", error);
    int status = STATUS_BAD;
    if (window->asked && window->window.from >= trace_slices_longest(slices)) {
        status = no_such_part(window, trace_slices_longest(slices));
    } else if (output_file_open(&file, path)) {
        bool good = write_all(slices, window, dir, writer, file.stream, error, sizeof error);
        bool kept = output_file_close(&file, good);
        if (!good)
            status = message_failure("export: %s", error);
        else if (kept)
            status = STATUS_DONE;
    }
    trace_slices_close(slices);
    return status;
}
