#include "profiler/code/modules/executable.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char link_of_kernel[] = "/proc/self/exe";

/* The kernel loaded no interpreter, though the program asks for one. */
static bool is_run_by_loader(void)
{
    const ElfW(Phdr) *p = (const ElfW(Phdr) *)getauxval(AT_PHDR); // NOLINT(performance-no-int-to-ptr)
    unsigned long count = getauxval(AT_PHNUM);
    if (getauxval(AT_BASE) || !p)
        return false;
    while (count && p->p_type != PT_INTERP) {
        count--;
        p++;
    }
    return count;
}

const char *executable_file(char buffer[EXECUTABLE_PATH])
{
    if (!is_run_by_loader() && access(link_of_kernel, F_OK) == 0)
        return link_of_kernel;
    const char *name = (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)
    return name && realpath(name, buffer) ? buffer : "";
}

const char *executable_path(char buffer[EXECUTABLE_PATH])
{
    const char *file = executable_file(buffer);
    if (file != link_of_kernel)
        return file;
    ssize_t n = readlink(file, buffer, EXECUTABLE_PATH - 1);
    buffer[n > 0 ? n : 0] = 0;
    return buffer;
}
