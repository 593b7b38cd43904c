#include "profiler/sites/text_twin.h"

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

const char *text_twin_make(struct text_twin *twin, uint64_t start, uint64_t end)
{
    struct rlimit limit;
    const char *wrong = NULL;
    twin->bytes = NULL;
    twin->start = start / PAGE * PAGE;
    twin->size = (end - twin->start + PAGE - 1) / PAGE * PAGE;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < twin->size)
        return "the limit on the size of files"; /* exceeding it raises a signal */
    int fd = new_file();
    if (fd < 0)
        return "anonymous files";
    void *bytes = MAP_FAILED;
    if (!write_all(fd, (const uint8_t *)(uintptr_t)twin->start, twin->size))
        wrong = "memory for a copy of the program's code";
    else if ((bytes = mmap(NULL, twin->size, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED ||
             madvise(bytes, twin->size, MADV_DONTFORK) != 0)
        wrong = "a second mapping of it";
    else if (!replace(twin->start, twin->size, fd))
        wrong = "executing it from an anonymous file";
    close(fd);
    if (!wrong)
        twin->bytes = bytes;
    else if (bytes != MAP_FAILED)
        munmap(bytes, twin->size);
    return wrong;
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
    if (twin->bytes)
        munmap(twin->bytes, twin->size);
    twin->bytes = NULL;
}
