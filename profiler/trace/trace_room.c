#include "profiler/trace/trace_room.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define PAGE 4096u

uint64_t trace_size_limit(void)
{
    struct rlimit limit; /* writing past it would raise SIGXFSZ */
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur / PAGE * PAGE
                                                                                   : UINT64_MAX / 2;
}

/* Writing zeroes takes half the time that reserving and touching pages takes, since the kernel then works on many at
 * once; more than this at once would make pages so large that mapping them for writing is slow again. */
bool trace_write_zeroes(int fd, uint64_t offset, uint64_t size)
{
    static const char zeroes[65536] = "";
    while (size) {
        uint64_t piece = sizeof(zeroes) - offset % sizeof(zeroes);
        ssize_t n = pwrite(fd, zeroes, piece < size ? piece : size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        offset += (uint64_t)n;
        size -= (uint64_t)n;
    }
    return true;
}

static bool populate(char *map, uint64_t size)
{
    if (madvise(map, size, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
    for (uint64_t at = 0; at < size; at += PAGE) /* before Linux 5.14; room there is */
        __atomic_fetch_or((uint64_t *)(map + at), 0, __ATOMIC_RELAXED);
    return true;
}

void *trace_map_part(int fd, uint64_t offset, uint64_t size)
{
    char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    if (map != MAP_FAILED && populate(map, size))
        return map;
    if (map != MAP_FAILED)
        munmap(map, size);
    return NULL;
}

/* Writes inside the file. Not with pwrite: the program may have set a limit of the size of files to less since, and
 * then any writing raises SIGXFSZ. */
bool trace_overwrite(int fd, const void *from, uint64_t size, uint64_t offset)
{
    struct stat st; /* a file that found no room for its header is shorter */
    if (fstat(fd, &st) != 0 || (uint64_t)st.st_size < offset + size)
        return false;
    uint64_t begin = offset / PAGE * PAGE, mapped = offset - begin + size;
    char *map = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin);
    if (map == MAP_FAILED)
        return false;
    memcpy(map + (offset - begin), from, size);
    munmap(map, mapped);
    return true;
}
