/* The end of all sites, before the program forbids itself what a probe or a switch needs. */
#include "profiler/code/modules/modules.h"
#include "profiler/code/sites/module_code.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/code/sites/sites.h"

#include <sys/auxv.h>

struct segments {
    uint64_t enter, exit; /* the hooks */
    uint64_t starts[SITE_MODULES_MAX];
    uint32_t count;
};

/* Executable segments that call the hooks, or that these are linked into. */
static int list_segments(struct dl_phdr_info *info, size_t size, void *any)
{
    struct segments *found = any;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && found->count < SITE_MODULES_MAX)
            found->starts[found->count++] = start;
    }
    return 0;
}

static bool lies_in(uint64_t address, const struct module_code *code)
{
    return address >= code->start && address < code->end;
}

static bool calls_hooks(uint64_t start, const struct segments *found)
{
    struct module_code code;
    return module_code_find(start, found->enter, found->exit, &code) &&
           (code.targets.slot_count[HOOK_ENTER] ||
            (lies_in(found->enter, &code) && lies_in(getauxval(AT_ENTRY), &code))); /* linked statically */
}

static void turn_off(struct module_sites *m)
{
    if (!text_alias_open(&m->alias))
        return;
    for (const struct site *s = m->sites; s < m->sites + m->count; s++)
        if (*site_byte(m, s) == s->on)
            __atomic_store_n(site_byte(m, s), s->off, __ATOMIC_RELAXED);
    text_alias_shut(&m->alias);
}

void sites_end(uint64_t enter, uint64_t exit)
{
    static struct segments found; /* not on the stack of a thread that may have little of it */
    found = (struct segments){.enter = enter, .exit = exit};
    modules_each(list_segments, &found);
    for (uint32_t i = 0; i < found.count; i++)
        if (!site_module_at(found.starts[i]) && calls_hooks(found.starts[i], &found))
            sites_register(found.starts[i]);
    spin_lock(&sites_lock);
    for (struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (m->end && m->alias.bytes) {
            turn_off(m);
            text_alias_shut(&m->slots.alias);
        }
    sites_synchronise();
    spin_unlock(&sites_lock);
}
