#include "profiler/code/modules/text_twin.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif
#define PAGE 4096u

static int new_file(void)
{
    int fd = memfd_create("pcomp-text", MFD_CLOEXEC | MFD_EXEC);
    return fd >= 0 || errno != EINVAL ? fd : memfd_create("pcomp-text", MFD_CLOEXEC); /* before Linux 6.3 */
}

static bool write_all(int fd, const uint8_t *bytes, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        ssize_t n = write(fd, bytes + done, size - done);
        if (n <= 0)
            return false;
        done += (uint64_t)n;
    }
    return true;
}

/* Replaces the pages; mapped elsewhere first, since a refused mapping might leave a hole. */
static bool replace(uint64_t start, uint64_t size, int fd)
{
    void *text = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (text == MAP_FAILED)
        return false;
    void *place = (void *)(uintptr_t)start; // NOLINT(performance-no-int-to-ptr)
    if (mremap(text, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place)
        return true;
    munmap(text, size);
    return false;
}

/* The file with the first `size` bytes at `from` (NULL: zeros), mapped. */
static const char *begin(struct text_twin *twin, const uint8_t *from)
{
    struct rlimit limit;
    const char *wrong = NULL;
    twin->bytes = NULL;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < twin->size)
        return "the limit on the size of files"; /* exceeding it raises a signal */
    twin->fd = new_file();
    if (twin->fd < 0)
        return "anonymous files";
    void *bytes = MAP_FAILED;
    if (from ? !write_all(twin->fd, from, twin->size) : ftruncate(twin->fd, (off_t)twin->size) != 0)
        wrong = "memory for a copy of the program's code";
    else if ((bytes = mmap(NULL, twin->size, PROT_READ | PROT_WRITE, MAP_SHARED, twin->fd, 0)) == MAP_FAILED ||
             madvise(bytes, twin->size, MADV_DONTFORK) != 0)
        wrong = "a second mapping of it";
    if (!wrong) {
        twin->bytes = bytes;
        return NULL;
    }
    if (bytes != MAP_FAILED)
        munmap(bytes, twin->size);
    close(twin->fd);
    return wrong;
}

const char *text_twin_copy(struct text_twin *twin, uint64_t start, uint64_t end)
{
    twin->start = start / PAGE * PAGE;
    twin->size = (end - twin->start + PAGE - 1) / PAGE * PAGE;
    return begin(twin, (const uint8_t *)(uintptr_t)twin->start);
}

const char *text_twin_blank(struct text_twin *twin, uint64_t start, uint64_t size)
{
    twin->start = start;
    twin->size = size;
    return begin(twin, NULL);
}

const char *text_twin_execute(struct text_twin *twin)
{
    bool done = replace(twin->start, twin->size, twin->fd);
    close(twin->fd);
    twin->fd = -1;
    if (!done) {
        text_twin_drop(twin);
        return "executing it from an anonymous file";
    }
    text_twin_shut(twin);
    return NULL;
}

const char *text_twin_make(struct text_twin *twin, uint64_t start, uint64_t end)
{
    const char *wrong = text_twin_copy(twin, start, end);
    return wrong ? wrong : text_twin_execute(twin);
}

bool text_twin_open(const struct text_twin *twin)
{
    return mprotect(twin->bytes, twin->size, PROT_READ | PROT_WRITE) == 0;
}

void text_twin_shut(const struct text_twin *twin)
{
    mprotect(twin->bytes, twin->size, PROT_READ);
}

void text_twin_drop(struct text_twin *twin)
{
    if (twin->bytes) {
        munmap(twin->bytes, twin->size);
        if (twin->fd >= 0)
            close(twin->fd);
    }
    twin->bytes = NULL;
}
