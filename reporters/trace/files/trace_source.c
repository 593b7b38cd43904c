#include "reporters/trace/files/trace_source.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/sorted.h"
#include "reporters/trace/files/file_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

struct frame {
    size_t at, size;          /* in the compressed file */
    uint64_t offset, content; /* of what it holds */
};

struct trace_source {
    struct pooled_file *file; /* NULL: all of it is mapped */
    uint64_t size;
    const uint8_t *map; /* of a compressed file; NULL: it is not compressed */
    size_t map_size;
    struct frame *frames;
    size_t frame_count;
    ZSTD_DCtx *context;
    size_t frame;      /* being decompressed */
    ZSTD_inBuffer in;  /* of it */
    uint64_t position; /* offset of the next byte that the context gives */
};

static bool list_frames(struct trace_source *s, const char *path, char *error, size_t error_size)
{
    size_t room = 0;
    for (size_t at = 0; at < s->map_size;) {
        unsigned long long content = ZSTD_getFrameContentSize(s->map + at, s->map_size - at);
        size_t size = ZSTD_findFrameCompressedSize(s->map + at, s->map_size - at);
        if (ZSTD_isError(size) || content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN ||
            content > UINT64_MAX / 4 - s->size) {
            snprintf(error, error_size, "%s: offset 0x%zx: expected a whole zstd frame that tells its size, found %s",
                     path, at, ZSTD_isError(size) ? ZSTD_getErrorName(size) : "another");
            return false;
        }
        if (s->frame_count == TRACE_FRAMES_MAX || !ARRAY_ROOM(s->frames, s->frame_count, room)) {
            snprintf(error, error_size, "%s: out of memory", path);
            return false;
        }
        s->frames[s->frame_count++] = (struct frame){at, size, s->size, content};
        s->size += content;
        at += size;
    }
    s->frame = s->frame_count;
    s->context = ZSTD_createDCtx();
    if (!s->context)
        snprintf(error, error_size, "%s: out of memory", path);
    return s->context != NULL;
}

static bool open_compressed(struct trace_source *s, int fd, const char *path, char *error, size_t error_size)
{
    s->map_size = (size_t)s->size;
    s->size = 0;
    void *map = mmap(NULL, s->map_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    s->map = map;
    return list_frames(s, path, error, error_size);
}

/* PATH, or PATH.zst, whose name is then put into compressed. NULL with errno. */
static struct pooled_file *open_either(const char **path, char *compressed, size_t size)
{
    struct pooled_file *file = pooled_file_open(*path, O_RDONLY, 0);
    if (file || errno != ENOENT || (size_t)snprintf(compressed, size, "%s" TRACE_COMPRESSED, *path) >= size)
        return file;
    file = pooled_file_open(compressed, O_RDONLY, 0);
    if (file)
        *path = compressed;
    return file;
}

struct trace_source *trace_source_open(const char *path, char *error, size_t error_size)
{
    char compressed[PATH_MAX];
    struct stat st;
    struct trace_source *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, error_size, "%s: out of memory", path);
        return NULL;
    }
    s->file = open_either(&path, compressed, sizeof compressed);
    uint32_t magic = 0;
    int fd = s->file ? pooled_file_use(s->file) : -1;
    bool good = fd >= 0 && fstat(fd, &st) == 0;
    if (!good || !S_ISREG(st.st_mode)) {
        snprintf(error, error_size, "%s: %s", path, good ? "is no file" : strerror(errno));
        good = false;
    } else {
        s->size = (uint64_t)st.st_size;
        if (pread(fd, &magic, sizeof magic, 0) == (ssize_t)sizeof magic && magic == TRACE_ZSTD_MAGIC)
            good = open_compressed(s, fd, path, error, error_size);
    }
    if (fd >= 0)
        pooled_file_done(s->file);
    if (s->map) {
        pooled_file_close(s->file);
        s->file = NULL;
    }
    if (!good) {
        trace_source_close(s);
        return NULL;
    }
    return s;
}

void trace_source_close(struct trace_source *s)
{
    ZSTD_freeDCtx(s->context);
    if (s->map)
        munmap((void *)(uintptr_t)s->map, s->map_size);
    pooled_file_close(s->file);
    free(s->frames);
    free(s);
}

uint64_t trace_source_size(const struct trace_source *s)
{
    return s->size;
}

/* The frame that holds `offset`, which is below the size. */
static size_t frame_of(const struct trace_source *s, uint64_t offset)
{
    size_t behind;
    SORTED_FIND(behind, s->frame_count, s->frames[behind].offset <= offset);
    return behind ? behind - 1 : 0;
}

/* Gives the next `size` bytes of the frame that begins at `first`. Fewer: it is damaged behind them. zstd leaves a
 * buffer empty that would hold a whole frame, where the frame is damaged anywhere: it never gets one. */
static size_t decompress(struct trace_source *s, uint64_t first, void *buffer, size_t size)
{
    ZSTD_outBuffer out = {buffer, s->position == first && size > 1 ? size - 1 : size, 0};
    while (out.pos < size) {
        size_t before = out.pos, result = ZSTD_decompressStream(s->context, &out, &s->in);
        if (ZSTD_isError(result) || (out.pos == before && s->in.pos == s->in.size))
            break;
        out.size = size;
    }
    s->position += out.pos;
    return out.pos;
}

/* To `offset`, which lies in this frame. False: it is damaged before. */
static bool go_to(struct trace_source *s, size_t frame, uint64_t offset)
{
    const struct frame *f = &s->frames[frame];
    if (frame != s->frame || offset < s->position) {
        s->frame = frame;
        s->in = (ZSTD_inBuffer){s->map + f->at, f->size, 0};
        s->position = f->offset;
        ZSTD_DCtx_reset(s->context, ZSTD_reset_session_only);
    }
    while (s->position < offset) {
        char passed[16384];
        uint64_t left = offset - s->position;
        size_t size = left < sizeof passed ? (size_t)left : sizeof passed;
        if (decompress(s, f->offset, passed, size) < size)
            return false;
    }
    return true;
}

static int64_t read_compressed(struct trace_source *s, uint64_t offset, char *buffer, size_t size)
{
    size_t done = 0;
    while (done < size && offset + done < s->size) {
        size_t frame = frame_of(s, offset + done);
        const struct frame *f = &s->frames[frame];
        uint64_t left = f->offset + f->content - (offset + done);
        size_t wanted = left < size - done ? (size_t)left : size - done;
        size_t got = go_to(s, frame, offset + done) ? decompress(s, f->offset, buffer + done, wanted) : 0;
        done += got;
        if (got == wanted)
            continue;
        s->frame = s->frame_count;
        errno = EIO;
        return done ? (int64_t)done : -1;
    }
    return (int64_t)done;
}

int64_t trace_source_read(struct trace_source *s, uint64_t offset, void *buffer, size_t size)
{
    size_t done = 0;
    if (s->map)
        return read_compressed(s, offset, buffer, size);
    int fd = pooled_file_use(s->file);
    bool good = fd >= 0;
    while (good && done < size) {
        ssize_t n = pread(fd, (char *)buffer + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        good = n >= 0;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (fd >= 0)
        pooled_file_done(s->file);
    return good ? (int64_t)done : -1;
}
