#include "reporters/trace/files/trace_write.h"

#include "profiler/format/profile_format.h"
#include "reporters/trace/files/file_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096u

size_t trace_segment_size(size_t records)
{
    return (sizeof(struct pcomp_trace_segment) + records + PAGE - 1) / PAGE * PAGE;
}

void trace_writer_path(const char *from, const char *to, char path[TRACE_WRITER_PATH])
{
    const char *name = strrchr(from, '/');
    name = name ? name + 1 : from;
    const char *end = strstr(name, PCOMP_TRACE_SUFFIX);
    size_t length = end ? (size_t)(end - name) + strlen(PCOMP_TRACE_SUFFIX) : strlen(name);
    snprintf(path, TRACE_WRITER_PATH, "%s/%.*s", to, (int)length, name);
}

static bool write_all(struct pooled_file *file, const void *data, size_t size, uint64_t offset)
{
    int fd = pooled_file_use(file);
    bool good = fd >= 0;
    for (const char *at = data; good && size;) {
        ssize_t written = pwrite(fd, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written ? errno : ENOSPC;
            good = false;
            break;
        }
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    if (fd >= 0)
        pooled_file_done(file);
    return good;
}

bool trace_writer_open(struct trace_writer *w, const char *path, const struct pcomp_trace_header *header, char *error,
                       size_t error_size)
{
    *w = (struct trace_writer){.header = *header, .path = strdup(path)};
    memcpy(w->header.magic, PCOMP_TRACE_MAGIC, sizeof w->header.magic);
    w->header.version = PCOMP_TRACE_VERSION;
    w->header.endian = PCOMP_ENDIAN;
    w->header.header_size = sizeof w->header;
    w->header.segment_header_size = sizeof(struct pcomp_trace_segment);
    w->header.segments = 0;
    w->header.size = sizeof w->header;
    w->file = pooled_file_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (w->path && w->file)
        return true;
    snprintf(error, error_size, "%s: cannot be written: %s", path, strerror(errno));
    pooled_file_close(w->file);
    free(w->path);
    *w = (struct trace_writer){.file = NULL};
    return false;
}

bool trace_writer_segment(struct trace_writer *w, struct pcomp_trace_segment *segment, size_t size,
                          uint64_t first_event)
{
    size_t whole = trace_segment_size(size), used = sizeof *segment + size;
    *segment = (struct pcomp_trace_segment){.magic = PCOMP_TRACE_SEGMENT_MAGIC,
                                            .size = whole,
                                            .sequence = ++w->header.segments,
                                            .first_event = first_event,
                                            .used = size};
    memset((char *)segment + used, 0, whole - used);
    if (!write_all(w->file, segment, whole, w->header.size))
        return false;
    w->header.size += whole;
    return true;
}

bool trace_writer_close(struct trace_writer *w)
{
    if (!w->file)
        return true;
    bool good = write_all(w->file, &w->header, sizeof w->header, 0);
    int why = errno;
    if (!pooled_file_close(w->file) && good) {
        good = false;
        why = errno;
    }
    free(w->path);
    *w = (struct trace_writer){.file = NULL};
    errno = why;
    return good;
}
