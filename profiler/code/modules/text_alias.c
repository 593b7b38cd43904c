#include "profiler/code/modules/text_alias.h"

#include "profiler/base/raw_call.h"

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
    /* UCX, below an MPI, has an mremap of its own that drops the place. */
    if (raw_call6(SYS_mremap, (long)(uintptr_t)text, (long)size, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED, (long)start,
                  0) == (long)start)
        return true;
    munmap(text, size);
    return false;
}

/* The file with the first `size` bytes at `from` (NULL: zeros), mapped. */
static const char *begin(struct text_alias *alias, const uint8_t *from)
{
    struct rlimit limit;
    const char *wrong = NULL;
    alias->bytes = NULL;
    alias->open = false;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < alias->size)
        return "the limit on the size of files"; /* exceeding it raises a signal */
    alias->fd = new_file();
    if (alias->fd < 0)
        return "anonymous files";
    void *bytes = MAP_FAILED;
    if (from ? !write_all(alias->fd, from, alias->size) : ftruncate(alias->fd, (off_t)alias->size) != 0)
        wrong = "memory for a copy of the program's code";
    else if ((bytes = mmap(NULL, alias->size, PROT_READ | PROT_WRITE, MAP_SHARED, alias->fd, 0)) == MAP_FAILED ||
             madvise(bytes, alias->size, MADV_DONTFORK) != 0)
        wrong = "a second mapping of it";
    if (!wrong) {
        alias->bytes = bytes;
        alias->open = true;
        return NULL;
    }
    if (bytes != MAP_FAILED)
        munmap(bytes, alias->size);
    descriptor_close(alias->fd);
    return wrong;
}

const char *text_alias_copy(struct text_alias *alias, uint64_t start, uint64_t end)
{
    alias->start = start / PAGE * PAGE;
    alias->size = (end - alias->start + PAGE - 1) / PAGE * PAGE;
    return begin(alias, (const uint8_t *)(uintptr_t)alias->start);
}

const char *text_alias_blank(struct text_alias *alias, uint64_t start, uint64_t size)
{
    alias->start = start;
    alias->size = size;
    return begin(alias, NULL);
}

const char *text_alias_execute(struct text_alias *alias)
{
    bool done = replace(alias->start, alias->size, alias->fd);
    descriptor_close(alias->fd);
    alias->fd = -1;
    if (!done) {
        text_alias_drop(alias);
        return "executing it from an anonymous file";
    }
    text_alias_shut(alias);
    return NULL;
}

const char *text_alias_make(struct text_alias *alias, uint64_t start, uint64_t end)
{
    const char *wrong = text_alias_copy(alias, start, end);
    return wrong ? wrong : text_alias_execute(alias);
}

bool text_alias_open(struct text_alias *alias)
{
    if (!alias->open)
        alias->open = alias->bytes && mprotect(alias->bytes, alias->size, PROT_READ | PROT_WRITE) == 0;
    return alias->open;
}

void text_alias_shut(struct text_alias *alias)
{
    if (alias->open)
        alias->open = mprotect(alias->bytes, alias->size, PROT_READ) != 0;
}

void text_alias_drop(struct text_alias *alias)
{
    if (alias->bytes) {
        munmap(alias->bytes, alias->size);
        if (alias->fd >= 0)
            descriptor_close(alias->fd);
    }
    alias->bytes = NULL;
    alias->open = false;
}
