#include "instrument/mpi/mpi_pages.h"

#include <errno.h>
#include <sys/mman.h>

void *pages_new(size_t bytes)
{
    int kept = errno;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = kept;
    return pages == MAP_FAILED ? NULL : pages;
}

void pages_free(void *pages, size_t bytes)
{
    if (!pages)
        return;
    int kept = errno;
    munmap(pages, bytes);
    errno = kept;
}
