#include "profiler/code/modules/loaded_modules.h"

#include "profiler/base/raw_call.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

static bool unlocked; /* the lock may be one that nobody holds any more */

void loaded_modules_fork(void)
{
    __atomic_store_n(&unlocked, true, __ATOMIC_RELAXED);
}

void loaded_modules_change(void)
{
    __atomic_store_n(&unlocked, false, __ATOMIC_RELAXED);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35 */
#pragma weak _dl_find_object

/* Whether a word there can be read: the kernel looks at it before it refuses an operation that there is none of. */
static bool is_readable(uint64_t address)
{
    return raw_call(SYS_rt_sigprocmask, -1, (long)(address & ~UINT64_C(7)), 0, sizeof(uint64_t)) != -EFAULT;
}

/* The headers of the program are told by the kernel; those of a library lie at its beginning, unless a thread was about
 * to map or unmap it. */
static bool find_headers(const struct link_map *m, struct dl_phdr_info *info)
{
    struct dl_find_object found;
    info->dlpi_addr = m->l_addr;
    info->dlpi_name = m->l_name;
    if (!m->l_ld || _dl_find_object(m->l_ld, &found) || found.dlfo_link_map != m)
        return false;
    const ElfW(Ehdr) *header = found.dlfo_map_start;
    if (!m->l_prev) {
        info->dlpi_phdr = (const ElfW(Phdr) *)(uintptr_t)getauxval(AT_PHDR); // NOLINT(performance-no-int-to-ptr)
        info->dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
        return info->dlpi_phdr != NULL;
    }
    uint64_t start = (uint64_t)(uintptr_t)header;
    if (!is_readable(start) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(ElfW(Phdr)) ||
        !is_readable(start + header->e_phoff + (uint64_t)header->e_phnum * sizeof(ElfW(Phdr)) - 1))
        return false;
    info->dlpi_phdr = (const ElfW(Phdr) *)((const char *)header + header->e_phoff);
    info->dlpi_phnum = header->e_phnum;
    return true;
}

/* The program's map is the first. */
static const struct link_map *first_map(void)
{
    struct dl_find_object found;
    uint64_t entry = getauxval(AT_ENTRY);
    if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)entry, &found)) // NOLINT(performance-no-int-to-ptr)
        return NULL;
    return found.dlfo_link_map;
}

static int each_without_lock(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    int result = 0;
    for (const struct link_map *m = first_map(); m && !result; m = m->l_next) {
        struct dl_phdr_info info = {0};
        if (find_headers(m, &info))
            result = visit(&info, sizeof(info), argument);
    }
    return result;
}

static bool can_do_without(void)
{
    return first_map() != NULL;
}
#else
static int each_without_lock(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    return dl_iterate_phdr(visit, argument);
}

static bool can_do_without(void)
{
    return false;
}
#endif

int loaded_modules_each(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    if (__atomic_load_n(&unlocked, __ATOMIC_RELAXED) && can_do_without())
        return each_without_lock(visit, argument);
    return dl_iterate_phdr(visit, argument);
}

struct locked_work {
    void (*work)(void *argument);
    void *argument;
    bool done;
};

static int work_once(struct dl_phdr_info *info, size_t size, void *any)
{
    struct locked_work *h = any;
    (void)info;
    (void)size;
    h->done = true;
    h->work(h->argument);
    return 1;
}

void loaded_modules_hold(void (*work)(void *argument), void *argument)
{
    struct locked_work h = {work, argument, false};
    loaded_modules_each(work_once, &h);
    if (!h.done) /* a static program before it knows itself */
        work(argument);
}
