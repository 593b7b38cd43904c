#include "profiler/code/sites/site_module.h"

#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

struct spin sites_lock;
struct module_sites site_modules[SITE_MODULES_MAX];
uint32_t site_module_count;
static bool sync_core;

struct module_sites *site_module_at(uint64_t address)
{
    for (struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (address >= m->start && address < m->end)
            return m;
    return NULL;
}

struct module_sites *site_module_of(const struct site *s)
{
    for (struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (s >= m->sites && s < m->sites + m->count)
            return m;
    return NULL;
}

bool sites_in_slot(uint64_t pc)
{
    for (const struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (pc - m->slots.alias.start < m->slots.alias.size)
            return true;
    return false;
}

void sites_synchronise_start(void)
{
    sync_core = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

/* Every processor that runs a thread of this process has dropped what it decoded, too. Where the system call is not
 * offered, shutting the alias has interrupted them all. */
void sites_synchronise(void)
{
    if (sync_core)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}
