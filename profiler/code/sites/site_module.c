#include "profiler/code/sites/site_module.h"

#include "profiler/code/arch/x86_64/spin_loop.h"

#include <linux/membarrier.h>
#include <stddef.h>
#include <string.h>
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

static const struct slots *slots_at(uint64_t pc)
{
    for (const struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (pc - m->slots.alias.start < m->slots.alias.size)
            return &m->slots;
    return NULL;
}

bool sites_in_slot(uint64_t pc)
{
    return slots_at(pc) != NULL;
}

/* Of a call or a jump at `code`, and (with `off`) of what takes its place: where it leads to. */
static uint64_t target_at(const uint8_t *code, uint64_t pc, bool off)
{
    bool prefix = *code == 0x67 || *code == 0xf2 || *code == 0x81;
    int32_t distance;
    code += prefix;
    memcpy(&distance, code + 1, sizeof(distance));
    bool leads = *code == 0xe8 || *code == 0xe9 || (off && *code == 0xa9);
    return leads ? pc + prefix + 5 + (uint64_t)(int64_t)distance : 0;
}

static enum site_leads slot_leads(uint64_t pc)
{
    const struct slots *slots = slots_at(pc);
    return !slots ? SITE_LEADS_NOWHERE : slots_lead_to_probe(slots, pc) ? SITE_LEADS_TO_PROBE : SITE_COUNTS;
}

enum site_leads site_leads(uint64_t pc, bool off)
{
    enum site_leads leads = slot_leads(pc);
    if (leads != SITE_LEADS_NOWHERE || !spin_try(&sites_lock))
        return leads;
    const struct module_sites *m = site_module_at(pc);
    if (m && m->alias.bytes && pc + 8 <= m->end) {
        const uint8_t *code = m->alias.bytes + (pc - m->alias.start);
        leads = slot_leads(target_at(code, pc, false));
        if (leads == SITE_LEADS_NOWHERE && off && slot_leads(target_at(code, pc, true)) != SITE_LEADS_NOWHERE)
            leads = SITE_COUNTS; /* nothing is recorded where it is off */
    }
    spin_unlock(&sites_lock);
    return leads;
}

bool site_pauses(uint64_t pc)
{
    bool pauses = false;
    if (!spin_try(&sites_lock))
        return false;
    const struct module_sites *m = site_module_at(pc);
    if (m && m->alias.bytes && pc >= m->alias.start && pc < m->end)
        pauses = spin_loop_pauses(m->alias.bytes, m->end - m->alias.start, pc - m->alias.start);
    spin_unlock(&sites_lock);
    return pauses;
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
