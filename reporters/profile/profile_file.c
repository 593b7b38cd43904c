#include "reporters/profile/profile_file.h"
#include "compensation/numeric/array.h"
#include "reporters/profile/profile_check.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u

static bool read_at(int fd, void *to, uint64_t size, uint64_t offset)
{
    char *p = to;
    while (size) {
        ssize_t n = pread(fd, p, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        offset += (uint64_t)n;
        size -= (uint64_t)n;
    }
    return true;
}

static int open_profile(const char *path, uint64_t *size, char *error, size_t error_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        snprintf(error, error_size, "%s: cannot be read: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (!S_ISREG(st.st_mode)) {
        snprintf(error, error_size, "%s: cannot be read: not a regular file", path);
        close(fd);
        return -1;
    }
    *size = (uint64_t)st.st_size;
    return fd;
}

bool profile_file_read_header(const char *path, struct pcomp_header *header, char *error, size_t error_size)
{
    uint64_t size;
    int fd = open_profile(path, &size, error, error_size);
    if (fd < 0)
        return false;
    uint64_t raw[sizeof *header / sizeof(uint64_t)];
    uint64_t available = size < sizeof raw ? size : sizeof raw;
    bool ok = read_at(fd, raw, available, 0);
    if (!ok)
        snprintf(error, error_size, "%s: cannot be read: %s", path, strerror(errno));
    close(fd);
    return ok && profile_check_header(path, raw, available, header, error, error_size);
}

/* What is read of a chunk before the copy of a live file is taken. */
struct early {
    uint64_t offset;
    uint32_t kind, count;
};

static size_t list_chunks(int fd, const struct pcomp_header *h, uint64_t size, struct early **list)
{
    size_t count = 0, room = 0;
    *list = NULL;
    for (uint64_t offset = h->header_size; offset < size && size - offset >= PAGE;) {
        struct pcomp_chunk c;
        if (!read_at(fd, &c, sizeof c, offset) || !profile_check_chunk(&c, offset, size))
            break;
        if (!ARRAY_ROOM(*list, count, room))
            break;
        (*list)[count] = (struct early){.offset = offset, .kind = c.kind, .count = c.count};
        count++;
        offset += c.size;
    }
    return count;
}

/* Counts are read before what they count is copied, and counts of users before counts of what they use: nodes (newest
 * chunk first, parents being older), then functions, then the rest. So nothing in the copy leads past its end. */
static void read_counts(int fd, struct early *list, size_t count, uint32_t kind)
{
    for (size_t i = count; i-- > 0;)
        if (list[i].kind == kind)
            if (!read_at(fd, &list[i].count, sizeof list[i].count,
                         list[i].offset + offsetof(struct pcomp_chunk, count)))
                list[i].count = 0;
}

static bool copy_live(struct profile_file *file, int fd, uint64_t file_size)
{
    struct pcomp_header *h = &file->header;
    uint64_t size = h->used < file_size ? h->used : file_size;
    h->used = size;
    struct early *list;
    size_t count = list_chunks(fd, h, size, &list);
    read_counts(fd, list, count, PCOMP_CHUNK_NODES);
    read_counts(fd, list, count, PCOMP_CHUNK_FUNCTIONS);
    uint8_t *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED) {
        free(list);
        return false;
    }
    file->data = copy;
    file->size = file->map_size = size;
    file->mapped = true;
    bool ok = read_at(fd, copy, size, 0);
    for (size_t i = 0; ok && i < count; i++) {
        struct pcomp_chunk *c = (struct pcomp_chunk *)(copy + list[i].offset);
        if (c->kind != list[i].kind)
            continue;
        if ((c->kind == PCOMP_CHUNK_NODES || c->kind == PCOMP_CHUNK_FUNCTIONS) && c->count > list[i].count)
            c->count = list[i].count;
        /* Open frames once more, so that they are as new as the clock reading that closes them; counters, so that they
         * hold all calls that the nodes do. */
        if ((c->kind == PCOMP_CHUNK_STACK || c->kind == PCOMP_CHUNK_COUNTS) &&
            profile_check_chunk(c, list[i].offset, size))
            ok = read_at(fd, copy + list[i].offset, c->size, list[i].offset);
    }
    free(list);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    file->read_mono = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (!ok)
        errno = errno ? errno : EIO;
    return ok;
}

static struct profile_file *new_file(const char *path, bool salvage)
{
    struct profile_file *file = calloc(1, sizeof *file);
    if (file && !(file->path = strdup(path))) {
        free(file);
        file = NULL;
    }
    if (file)
        file->salvage = salvage;
    return file;
}

struct profile_file *profile_file_open(const char *path, enum profile_access access, bool salvage, char *error,
                                       size_t error_size)
{
    struct profile_file *file = new_file(path, salvage);
    if (!file) {
        snprintf(error, error_size, "%s: out of memory", path);
        return NULL;
    }
    uint64_t size;
    int fd = open_profile(path, &size, error, error_size);
    if (fd < 0) {
        profile_file_close(file);
        return NULL;
    }
    uint64_t raw[sizeof file->header / sizeof(uint64_t)];
    uint64_t available = size < sizeof raw ? size : sizeof raw;
    bool ok = read_at(fd, raw, available, 0);
    if (!ok)
        snprintf(error, error_size, "%s: cannot be read: %s", path, strerror(errno));
    ok = ok && profile_check_header(path, raw, available, &file->header, error, error_size);
    if (ok && access == PROFILE_LIVE) {
        ok = copy_live(file, fd, size);
        if (!ok)
            snprintf(error, error_size, "%s: cannot be read: %s", path, strerror(errno));
        size = file->size;
    } else if (ok) {
        file->size = file->header.used < size ? file->header.used : size;
        int at_once = file->size > PROFILE_KEPT_MAX ? 0 : MAP_POPULATE;
        void *map = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE | at_once, fd, 0);
        ok = map != MAP_FAILED;
        if (!ok)
            snprintf(error, error_size, "%s: cannot be mapped: %s", path, strerror(errno));
        file->data = ok ? map : NULL;
        file->map_size = file->size;
        file->mapped = ok;
    }
    close(fd);
    if (!ok || !profile_check_contents(file, size, access == PROFILE_LIVE, error, error_size)) {
        profile_file_close(file);
        return NULL;
    }
    profile_file_release(file, 0, file->size); /* read once by the checks; before the reader takes memory of its own */
    return file;
}

struct profile_file *profile_file_from_memory(const char *name, const void *data, uint64_t size, bool salvage,
                                              char *error, size_t error_size)
{
    struct profile_file *file = new_file(name, salvage);
    if (!file) {
        snprintf(error, error_size, "%s: out of memory", name);
        return NULL;
    }
    file->data = data;
    if (!profile_check_header(name, data, size, &file->header, error, error_size)) {
        profile_file_close(file);
        return NULL;
    }
    file->size = file->header.used < size ? file->header.used : size;
    if (!profile_check_contents(file, size, false, error, error_size)) {
        profile_file_close(file);
        return NULL;
    }
    return file;
}
