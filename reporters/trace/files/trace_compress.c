#include "reporters/trace/files/trace_compress.h"

#include "reporters/trace/files/trace_file.h"
#include "reporters/trace/files/trace_source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define PAGE         4096u
#define SEGMENT_SIZE (4u << 20) /* before compression */
#define LEVEL        3
#define SKIPPED_MIN  8 /* bytes of a frame that holds nothing */

struct compressor {
    struct trace_file *from;
    FILE *to;
    ZSTD_CCtx *context;
    char *segment, *packed; /* buffers */
    size_t packed_size;
};

/* One frame, which tells the size of what it holds. */
static bool write_frame(struct compressor *c, const void *bytes, size_t size, char *error, size_t error_size)
{
    size_t packed = ZSTD_compress2(c->context, c->packed, c->packed_size, bytes, size);
    if (ZSTD_isError(packed)) {
        snprintf(error, error_size, "%s: %s", c->from->path, ZSTD_getErrorName(packed));
        return false;
    }
    if (fwrite(c->packed, packed, 1, c->to) == 1)
        return true;
    snprintf(error, error_size, "%s: cannot be compressed: %s", c->from->path, strerror(errno));
    return false;
}

/* The records in new segments, in order of time, without gaps. */
static bool write_segments(struct compressor *c, struct pcomp_trace_header *header, char *error, size_t error_size)
{
    struct pcomp_trace_segment *s = (struct pcomp_trace_segment *)c->segment;
    for (header->segments = 0;;) {
        uint64_t used = 0, first_event = trace_file_event(c->from);
        while (SEGMENT_SIZE - sizeof *s - used >= sizeof(struct pcomp_event_long)) {
            int64_t n = trace_file_read(c->from, c->segment + sizeof *s + used, SEGMENT_SIZE - sizeof *s - used, error,
                                        error_size);
            if (n < 0)
                return false;
            if (!n)
                break;
            used += (uint64_t)n;
        }
        if (!used)
            return true;
        uint64_t size = (sizeof *s + used + PAGE - 1) / PAGE * PAGE;
        memset(c->segment + sizeof *s + used, 0, size - sizeof *s - used);
        *s = (struct pcomp_trace_segment){.magic = PCOMP_TRACE_SEGMENT_MAGIC,
                                          .size = size,
                                          .sequence = ++header->segments,
                                          .first_event = first_event,
                                          .used = used,
                                          .alpha_spread = c->from->alpha_spread};
        header->size += size;
        if (!write_frame(c, c->segment, (size_t)size, error, error_size))
            return false;
    }
}

/* The header's frame comes first, but tells the number of segments; what is left of the room kept for it is a frame
 * that holds nothing. */
static bool write_all(struct compressor *c, char *error, size_t error_size)
{
    struct pcomp_trace_header header = c->from->header;
    long room = (long)ZSTD_compressBound(sizeof header) + SKIPPED_MIN, at;
    header.header_size = sizeof header;
    header.segment_header_size = sizeof(struct pcomp_trace_segment);
    header.size = sizeof header;
    if (fseek(c->to, room, SEEK_SET) != 0 || !write_segments(c, &header, error, error_size))
        return false;
    if (fseek(c->to, 0, SEEK_SET) != 0 || !write_frame(c, &header, sizeof header, error, error_size))
        return false;
    at = ftell(c->to);
    uint32_t skipped[] = {ZSTD_MAGIC_SKIPPABLE_START, (uint32_t)(room - at - SKIPPED_MIN)};
    if (at > 0 && fwrite(skipped, sizeof skipped, 1, c->to) == 1)
        return true;
    snprintf(error, error_size, "%s: cannot be compressed: %s", c->from->path, strerror(errno));
    return false;
}

static bool compress_into(struct compressor *c, const char *temporary, char *error, size_t error_size)
{
    c->packed_size = ZSTD_compressBound(SEGMENT_SIZE);
    c->to = fopen(temporary, "wxe");
    c->context = ZSTD_createCCtx();
    c->segment = aligned_alloc(PAGE, SEGMENT_SIZE);
    c->packed = malloc(c->packed_size);
    if (!c->to || !c->context || !c->segment || !c->packed) {
        snprintf(error, error_size, "%s: %s", temporary, c->to ? "out of memory" : strerror(errno));
        return false;
    }
    ZSTD_CCtx_setParameter(c->context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(c->context, ZSTD_c_windowLog, TRACE_WINDOW_LOG);
    ZSTD_CCtx_setParameter(c->context, ZSTD_c_checksumFlag, 1);
    return write_all(c, error, error_size);
}

bool trace_compress(const char *path, uint64_t *before, uint64_t *after, char *error, size_t error_size)
{
    char temporary[PATH_MAX], final[PATH_MAX];
    struct stat st;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    struct compressor c = {.from = trace_file_open(path, false, error, error_size)};
    if (!c.from)
        return false;
    snprintf(temporary, sizeof temporary, "%.*s.%s.tmp", folder, path, path + folder);
    snprintf(final, sizeof final, "%s" TRACE_COMPRESSED, path);
    bool good = compress_into(&c, temporary, error, error_size);
    if (c.to && fclose(c.to) != 0 && good) {
        snprintf(error, error_size, "%s: %s", temporary, strerror(errno));
        good = false;
    }
    *before = stat(path, &st) ? 0 : (uint64_t)st.st_size;
    *after = stat(temporary, &st) ? 0 : (uint64_t)st.st_size;
    if (good && rename(temporary, final) != 0) {
        snprintf(error, error_size, "%s: %s", final, strerror(errno));
        good = false;
    }
    if (good)
        unlink(path);
    else if (c.to)
        unlink(temporary);
    ZSTD_freeCCtx(c.context);
    free(c.segment);
    free(c.packed);
    trace_file_close(c.from);
    return good;
}
