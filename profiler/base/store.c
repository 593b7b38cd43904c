#include "profiler/base/store.h"

#include "profiler/base/raw_call.h"
#include "profiler/base/spin.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define TMPFS_MAGIC   0x01021994
#define MEMORY_FOLDER "/dev/shm"
#define MEMORY_MIN    (256u << 20) /* tmpfs with less room than this (containers often have 64 MB) is not used */
#define WINDOW_MAX    (16ull << 30)
#define PAGE          4096u
#define FREE_LISTS    24
#define SCRATCH_SIZE  (1u << 20)
#define EXTENT_MAX    (1u << 20) /* larger steps would stall the hook that needs them for milliseconds */

struct pcomp_header *store_header;
bool store_closed;

static struct spin lock;
static uint64_t reserved; /* bytes from the start that the file system has promised */
static char final_path[4200], live_path[4200];
static uint64_t text_chunk; /* address of the STRINGS chunk being filled */
static struct pcomp_chunk *free_chunks[FREE_LISTS];
static struct {
    struct pcomp_header *header;
    uint64_t reserved;
    struct pcomp_chunk *free_chunks[FREE_LISTS];
} kept; /* while the scratch store is in its place */

static bool is_tmpfs(const char *path)
{
    struct statfs fs;
    return statfs(path, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

static bool memory_folder_serves(void)
{
    struct statvfs fs;
    return is_tmpfs(MEMORY_FOLDER) && statvfs(MEMORY_FOLDER, &fs) == 0 &&
           (uint64_t)fs.f_bavail * fs.f_frsize >= MEMORY_MIN && access(MEMORY_FOLDER, W_OK | X_OK) == 0;
}

/* Sets the file's size to the greatest window that limits allow, and maps it. The file is sparse. */
static void *map_window(int fd, uint64_t *window)
{
    uint64_t size = WINDOW_MAX;
    struct rlimit limit;
    /* growing past RLIMIT_FSIZE would raise SIGXFSZ */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size)
        size = limit.rlim_cur / PAGE * PAGE;
    /* the program needs its address space itself */
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && space.rlim_cur / 8 < size)
        size = space.rlim_cur / 8 / PAGE * PAGE;
    for (; size >= STORE_MIN; size = size / 2 / PAGE * PAGE) {
        if (ftruncate(fd, (off_t)size) != 0)
            continue;
        /* readable only as far as it is reserved: whoever reads all memory (valgrind does) would fill the holes */
        void *map = mmap(NULL, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        if (map != MAP_FAILED) {
            *window = size;
            return map;
        }
    }
    if (limit.rlim_cur < STORE_MIN)
        errno = EFBIG;
    return NULL;
}

bool store_reserve(void *address, size_t size)
{
    uintptr_t from = (uintptr_t)address / PAGE * PAGE, to = ((uintptr_t)address + size + PAGE - 1) / PAGE * PAGE;
    if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (madvise((void *)from, to - from, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
    /* before Linux 5.14: ask the file system by name */
    int fd = open(live_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    int failed = posix_fallocate(fd, (off_t)(from - (uintptr_t)store_header), (off_t)(to - from));
    descriptor_close(fd);
    return failed == 0;
}

void store_random(unsigned char *to, size_t size)
{
    if (getrandom(to, size, GRND_NONBLOCK) != (ssize_t)size)
        memcpy(to, (const void *)getauxval(AT_RANDOM), size); /* 16 bytes */
}

const char *store_open(const char *directory, int pid, unsigned n, bool *exists)
{
    uint64_t unguessable; /* the folder is everybody's */
    *exists = false;
    if ((size_t)snprintf(final_path, sizeof(final_path), "%s/%d-%u.pcomp", directory, pid, n) >= sizeof(final_path))
        return "the name of the data directory is too long";
    bool apart = !is_tmpfs(directory) && memory_folder_serves();
    if (apart) {
        store_random((unsigned char *)&unguessable, sizeof(unguessable));
        snprintf(live_path, sizeof(live_path), MEMORY_FOLDER "/pcomp-%u-%016" PRIx64 "-%d-%u", (unsigned)geteuid(),
                 unguessable, pid, n);
        if (symlink(live_path, final_path) != 0) {
            *exists = errno == EEXIST;
            return "cannot create the profile file";
        }
    } else
        strcpy(live_path, final_path);
    int fd = open(live_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666 & (apart ? 0600 : 0666));
    if (fd < 0) {
        *exists = errno == EEXIST && !apart;
        int why = errno;
        if (apart)
            unlink(final_path);
        errno = why;
        return "cannot create the profile file";
    }
    uint64_t window = 0;
    struct pcomp_header *header = map_window(fd, &window);
    int why = errno;
    descriptor_close(fd);
    if (header) {
        store_header = header;
        reserved = 64 * 1024;
        if (!store_reserve(header, reserved)) {
            why = errno == EFAULT ? ENOSPC : errno;
            munmap(header, window);
            header = store_header = NULL;
        }
    }
    if (!header) {
        unlink(live_path);
        unlink(final_path);
        errno = why;
        return "no room for the profile file";
    }
    text_chunk = 0;
    pcomp_header_identify(header);
    header->base = (uint64_t)(uintptr_t)header;
    header->capacity = window;
    header->used = sizeof(struct pcomp_header);
    header->state = PCOMP_STATE_LIVE;
    return NULL;
}

const char *store_path(void)
{
    return final_path;
}

/* Free chunks (of stacks that grew, of threads that ended) by size, linked through reserved[0]. */
static struct pcomp_chunk **free_list(uint64_t size)
{
    return &free_chunks[(unsigned)(63 - __builtin_clzll(size / PAGE)) % FREE_LISTS];
}

/* Functions, modules and sampled frames are numbered in the order of their chunks in the file: a chunk that was used
 * before may lie before theirs. */
static bool may_reuse(uint32_t kind)
{
    return kind == PCOMP_CHUNK_THREAD || kind == PCOMP_CHUNK_NODES || kind == PCOMP_CHUNK_STACK ||
           kind == PCOMP_CHUNK_SPREADS;
}

static struct pcomp_chunk *reuse_chunk(uint64_t size)
{
    struct pcomp_chunk **list = free_list(size), *c = *list;
    if (!c || c->size != size)
        return NULL;
    *list = (struct pcomp_chunk *)(uintptr_t)c->reserved[0];
    memset(c->reserved, 0, sizeof(c->reserved)); /* its next kind may give them another meaning */
    memset(c + 1, 0, size - sizeof(*c));
    return c;
}

struct pcomp_chunk *store_chunk(uint32_t kind, uint64_t size, uint32_t owner, uint32_t record_size)
{
    size = (size + PAGE - 1) / PAGE * PAGE;
    struct pcomp_header *header = store_header;
    spin_lock(&lock);
    struct pcomp_chunk *c = may_reuse(kind) ? reuse_chunk(size) : NULL;
    bool old = c != NULL;
    if (!old) {
        uint64_t need = header->used + size;
        if (need > header->capacity) {
            __atomic_or_fetch(&header->stopped, PCOMP_STOPPED_FILE_SIZE, __ATOMIC_RELAXED);
            spin_unlock(&lock);
            return NULL;
        }
        if (need > reserved) {
            uint64_t extent = reserved / 4 > EXTENT_MAX ? EXTENT_MAX : reserved / 4 / PAGE * PAGE;
            uint64_t max = header->capacity - header->used;
            extent = extent < size ? size : extent;
            extent = extent > max ? max : extent;
            extent = (header->used + extent) - reserved;
            if (!store_reserve((char *)header + reserved, extent)) {
                __atomic_or_fetch(&header->stopped, PCOMP_STOPPED_NO_SPACE, __ATOMIC_RELAXED);
                spin_unlock(&lock);
                return NULL;
            }
            reserved += extent;
        }
        c = (struct pcomp_chunk *)((char *)header + header->used);
        c->size = size;
        c->magic = PCOMP_CHUNK_MAGIC;
    }
    c->owner = owner;
    c->record_size = record_size;
    c->count = c->capacity = 0;
    __atomic_store_n(&c->kind, kind, __ATOMIC_RELEASE);
    if (!old)
        __atomic_store_n(&header->used, header->used + size, __ATOMIC_RELEASE);
    spin_unlock(&lock);
    return c;
}

void store_free(struct pcomp_chunk *chunk)
{
    spin_lock(&lock);
    __atomic_store_n(&chunk->kind, PCOMP_CHUNK_FREE, __ATOMIC_RELEASE);
    struct pcomp_chunk **list = free_list(chunk->size);
    chunk->reserved[0] = (uint64_t)(uintptr_t)*list;
    *list = chunk;
    spin_unlock(&lock);
}

uint64_t store_text(const char *text, size_t length)
{
    struct pcomp_chunk *c = (struct pcomp_chunk *)(uintptr_t)text_chunk;
    if (!c || c->capacity - c->count < length + 1) {
        uint64_t size = sizeof(*c) + length + 1;
        c = store_chunk(PCOMP_CHUNK_STRINGS, size < PAGE ? PAGE : size, 0, 1);
        if (!c)
            return 0;
        c->capacity = (uint32_t)(c->size - sizeof(*c));
        text_chunk = (uint64_t)(uintptr_t)c;
    }
    char *to = (char *)(c + 1) + c->count;
    memcpy(to, text, length);
    to[length] = 0;
    __atomic_store_n(&c->count, c->count + (uint32_t)length + 1, __ATOMIC_RELEASE);
    return (uint64_t)(uintptr_t)to;
}

static bool write_all(int fd, const char *from, uint64_t size)
{
    while (size) {
        ssize_t n = write(fd, from, size > (1u << 20) ? (1u << 20) : size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        size -= (uint64_t)n;
    }
    return true;
}

/* The final file's header page takes the place of the memory's, so that late calls are counted where they are read. */
static void map_final_header(int fd)
{
    if (mmap(store_header, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        return; /* they are counted in the memory that nobody will read */
}

bool store_close(bool gone)
{
    struct pcomp_header *header = store_header;
    __atomic_store_n(&store_closed, true, __ATOMIC_SEQ_CST);
    uint64_t used = header->used;
    bool apart = strcmp(live_path, final_path) != 0;
    if (gone && apart)
        unlink(live_path);
    if (gone)
        return false;
    int live = apart ? -1 : open(final_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (live >= 0) {
        bool cut = true;
        /* what lies past `used` is reserved, never touched by a hook again once the threads are stopped */
        if (reserved > used)
            cut = mmap((char *)header + used, reserved - used, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
        cut = cut && ftruncate(live, (off_t)used) == 0;
        descriptor_close(live);
        return cut;
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < used)
        return false;
    char temporary[4300];
    char *slash = strrchr(final_path, '/');
    snprintf(temporary, sizeof(temporary), "%.*s/.%s.tmp", (int)(slash - final_path), final_path, slash + 1);
    int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return false;
    bool done = write_all(fd, (char *)header, used) && rename(temporary, final_path) == 0;
    if (done && apart)
        unlink(live_path);
    if (done)
        map_final_header(fd);
    else
        unlink(temporary);
    descriptor_close(fd);
    return done;
}

/* The header of a copy: closed now, so that no reader takes it for the live process. */
static bool write_copy(int fd, uint64_t tick)
{
    struct pcomp_header header = *store_header;
    header.state = PCOMP_STATE_CLOSED;
    header.end_tick = tick;
    return write_all(fd, (const char *)&header, sizeof(header)) &&
           write_all(fd, (const char *)(store_header + 1), header.used - sizeof(header));
}

int store_copy(const char *directory, uint64_t tick)
{
    char path[4400];
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < store_header->used)
        return EFBIG;
    snprintf(path, sizeof(path), "%s%s", directory, strrchr(final_path, '/'));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return errno;
    errno = 0;
    int failed = write_copy(fd, tick) ? 0 : errno ? errno : ENOSPC;
    descriptor_close(fd);
    if (failed)
        unlink(path);
    return failed;
}

void store_discard(void)
{
    if (!store_header)
        return;
    unlink(live_path);
    unlink(final_path);
    store_forget();
}

bool store_scratch_begin(void)
{
    struct pcomp_header *scratch = mmap(NULL, SCRATCH_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (scratch == MAP_FAILED)
        return false;
    kept.header = store_header;
    kept.reserved = reserved;
    memcpy(kept.free_chunks, free_chunks, sizeof(free_chunks));
    *scratch = *store_header; /* the sizes of records, the counters */
    scratch->used = sizeof(*scratch);
    scratch->capacity = reserved = SCRATCH_SIZE;
    scratch->node_count = 0;
    scratch->stopped = 0;
    memset(free_chunks, 0, sizeof(free_chunks));
    store_header = scratch;
    return true;
}

void store_scratch_end(void)
{
    munmap(store_header, SCRATCH_SIZE);
    store_header = kept.header;
    reserved = kept.reserved;
    memcpy(free_chunks, kept.free_chunks, sizeof(free_chunks));
}

void store_forget(void)
{
    if (store_header)
        munmap(store_header, store_header->capacity);
    store_header = NULL;
    store_closed = false;
    reserved = text_chunk = 0;
    memset(free_chunks, 0, sizeof(free_chunks));
    lock.taken = 0;
}
