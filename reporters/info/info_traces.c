#include "reporters/info/info_traces.h"

#include "reporters/base/message.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text.h"
#include "reporters/profile/profile_file.h"
#include "reporters/trace/files/trace_compress.h"
#include "reporters/trace/files/trace_source.h"
#include "reporters/trace/trace_directory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct data_file *profile_of(const struct data_directory *data, int pid, unsigned image)
{
    for (size_t i = 0; i < data->file_count; i++)
        if (data->files[i].pid == pid && data->files[i].image == image)
            return &data->files[i];
    return NULL;
}

/* The profile of the process that wrote DIR/<pid>-<n>.<location>.trace; *name is set to the file's name. */
static const struct data_file *profile_of_trace(const struct data_directory *data, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    int pid;
    unsigned image;
    *name = slash ? slash + 1 : path;
    return sscanf(*name, "%9d-%9u.", &pid, &image) == 2 ? profile_of(data, pid, image) : NULL;
}

static bool is_written(const struct data_file *profile)
{
    return profile &&
           (profile->status == DATA_LIVE || profile->status == DATA_STARTING || profile->status == DATA_DENIED);
}

/* The length of "<pid>-<n>.<location>.trace", without what compressing adds; 0: it is another name. */
static int trace_name_length(const char *name)
{
    unsigned pid, image, location;
    int end = 0;
    if (sscanf(name, "%9u-%9u.%9u" PCOMP_TRACE_SUFFIX "%n", &pid, &image, &location, &end) != 3 || !end)
        return 0;
    return !name[end] || !strcmp(name + end, TRACE_COMPRESSED) ? end : 0;
}

/* One file after the other: there may be more than can be open. */
struct trace_sums info_traces_sum(const char *dir)
{
    struct trace_sums sums = {0};
    char path[4300], error[1024];
    DIR *stream = opendir(dir);
    for (struct dirent *e; stream && (e = readdir(stream));) {
        int length = trace_name_length(e->d_name);
        if (!length || (size_t)snprintf(path, sizeof path, "%s/%.*s", dir, length, e->d_name) >= sizeof path)
            continue;
        struct trace_file *file = trace_file_open(path, true, error, sizeof error);
        if (!file)
            continue;
        sums.events += trace_file_events(file) - file->first_event;
        sums.lost += file->header.lost;
        sums.untold += file->header.flags & PCOMP_TRACE_CLOSED ? 0 : file->header.lost;
        sums.suppressed += file->header.suppressed;
        sums.cost += (double)(trace_file_events(file) - file->first_event) *
                     (double)alpha_in_context(file->header.alpha[PCOMP_EVENT_ENTER], 1, &file->context) /
                     (1 << PCOMP_FIX_SHIFT) * trace_file_tick_ns(file);
        sums.locations++;
        trace_file_close(file);
    }
    if (stream)
        closedir(stream);
    return sums;
}

uint64_t info_traces_lost(const char *dir, const struct trace_sums *sums)
{
    struct data_directory data;
    char error[1024];
    uint64_t lost = sums->untold;
    if (!data_directory_open(dir, false, &data, error, sizeof error))
        return sums->lost;
    for (size_t i = 0; i < data.file_count; i++) {
        struct pcomp_header header;
        if (profile_file_read_header(data.files[i].path, &header, error, sizeof error))
            lost += header.lost_calls;
    }
    data_directory_close(&data);
    return lost;
}

static uint64_t bytes_on_disk(const char *path, bool *compressed)
{
    struct stat st;
    char other[4300];
    *compressed = stat(path, &st) != 0;
    if (!*compressed)
        return (uint64_t)st.st_size;
    snprintf(other, sizeof other, "%s" TRACE_COMPRESSED, path);
    return stat(other, &st) ? 0 : (uint64_t)st.st_size;
}

static void trace_row(struct emitter *emitter, const struct data_directory *data, const struct trace_location *location,
                      double tick_ns)
{
    char text[TEXT_NUMBER];
    const char *name;
    const struct pcomp_trace_header *h = &location->file->header;
    const struct data_file *profile = profile_of_trace(data, location->file->path, &name);
    bool compressed;
    uint64_t bytes = bytes_on_disk(location->file->path, &compressed), events = trace_file_events(location->file);
    emitter_row(emitter);
    emit_name(emitter, location->name);
    emit_name(emitter, name);
    emit_count(emitter, (uint64_t)h->pid);
    emit_shown(emitter, "%d", h->pid);
    emit_count(emitter, (uint64_t)h->tid);
    emit_shown(emitter, "%d", h->tid);
    emit_name(emitter, *h->name ? h->name : NULL);
    emit_name(emitter, h->flags & PCOMP_TRACE_APPROXIMATED ? "replayed"
                       : h->flags & PCOMP_TRACE_CLOSED     ? "closed"
                       : is_written(profile)               ? "running"
                                                           : "killed");
    emit_count(emitter, events - location->file->first_event);
    emit_count(emitter, location->file->first_event);
    emit_count(emitter, h->lost);
    emit_count(emitter, h->suppressed);
    emit_count(emitter, bytes);
    emit_shown(emitter, "%s", text_bytes(text, bytes));
    emit_flag(emitter, compressed);
    emit_time(emitter, (double)alpha_in_context(h->alpha[PCOMP_EVENT_ENTER], 1, &location->file->context) /
                           (1 << PCOMP_FIX_SHIFT) * tick_ns);
    emit_remark(emitter, location->file->damage ? "(damaged)" : compressed ? "(compressed)" : "");
    emitter_row_end(emitter);
}

int info_traces(struct emitter *emitter, const struct data_directory *data, bool salvage)
{
    static const struct emit_column columns[] = {
        {"name", NULL, "location", EMIT_NAME, 0},
        {"file", NULL, "trace", EMIT_NAME, 6},
        {"pid", NULL, NULL, EMIT_COUNT, 0},
        {"tid", NULL, NULL, EMIT_COUNT, 0},
        {"thread", NULL, "thread", EMIT_NAME, 5},
        {"state", NULL, "state", EMIT_NAME, 0},
        {"events", NULL, "events", EMIT_COUNT, 0},
        {"overwritten", NULL, "overwritten", EMIT_COUNT, 4},
        {"lost", NULL, "lost", EMIT_COUNT, 0},
        {"held", NULL, NULL, EMIT_COUNT, 0},
        {"file_bytes", NULL, "size", EMIT_COUNT, 1},
        {"compressed", NULL, NULL, EMIT_FLAG, 0},
        {"alpha", NULL, "an event costs", EMIT_TIME, 3},
    };
    struct trace_directory traces;
    char error[1024] = "", a[TEXT_NUMBER];
    uint64_t lost = 0;
    if (!trace_directory_open(data->path, salvage, &traces, error, sizeof error))
        return message_failure("%s", error);
    emitter_text(emitter, "%s", "");
    emitter_table(emitter, "traces", columns, sizeof columns / sizeof *columns, false);
    for (uint32_t i = 0; i < traces.count; i++) {
        trace_row(emitter, data, &traces.locations[i], traces.tick_ns);
        lost += traces.locations[i].file->header.lost;
    }
    emitter_table_end(emitter);
    for (uint32_t i = 0; i < traces.warning_count; i++)
        emitter_note(emitter, "%s", traces.warnings[i]);
    if (lost)
        emitter_note(emitter, "%s events were not kept (--trace-limit, or no room): what came after is missing",
                     text_count(a, lost));
    trace_directory_close(&traces);
    return STATUS_DONE;
}

/* --- Compressing -------------------------------------------------------------------------------------------------- */

int info_traces_compress(const char *dir)
{
    struct data_directory data;
    char error[1024], path[4300], a[TEXT_NUMBER], b[TEXT_NUMBER];
    uint64_t before = 0, after = 0, one, other;
    size_t done = 0, running = 0;
    int status = STATUS_DONE;
    if (!data_directory_open(dir, true, &data, error, sizeof error))
        return message_failure("%s", error);
    DIR *stream = opendir(dir);
    terminal_progress_begin("compressing the traces");
    for (struct dirent *e; stream && (e = readdir(stream));) {
        const char *name;
        int length = trace_name_length(e->d_name);
        if (!length || e->d_name[length] || (size_t)snprintf(path, sizeof path, "%s/%s", dir, e->d_name) >= sizeof path)
            continue;
        if (is_written(profile_of_trace(&data, path, &name)))
            running++;
        else if (trace_compress(path, &one, &other, error, sizeof error)) {
            before += one;
            after += other;
            done++;
        } else {
            terminal_progress_end();
            status = message_failure("%s", error);
        }
    }
    terminal_progress_end();
    if (stream)
        closedir(stream);
    data_directory_close(&data);
    if (running)
        message_note("%s: %zu traces are still being written, and stay as they are", dir, running);
    printf("%s: %zu traces compressed, %s instead of %s\n", dir, done, text_bytes(a, after), text_bytes(b, before));
    return fflush(stdout) == 0 ? status : STATUS_BAD;
}
