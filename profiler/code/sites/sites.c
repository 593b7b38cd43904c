#include "profiler/code/sites/sites.h"

#include "profiler/code/modules/loaded_modules.h"
#include "profiler/code/modules/modules.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/site_levels.h"
#include "profiler/code/sites/site_module.h"

#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE     4096u
#define SITE_MIN 5u /* bytes of the shortest */

static uint64_t hooks[2];
static const struct slot_probes *probes; /* of slots; NULL: hook calls lead to the hooks themselves */
static bool counting;
#if defined(__x86_64__)
static struct sites_found found;
#else
static const char elsewhere[] = "call sites can be turned off on x86-64 only";
static struct sites_found found = {.refused = 1, .why = elsewhere};
#endif

const char *sites_start(uint64_t enter, uint64_t exit)
{
#if !defined(__x86_64__)
    (void)enter;
    (void)exit;
    return elsewhere;
#else
    hooks[HOOK_ENTER] = enter;
    hooks[HOOK_EXIT] = exit;
    sites_synchronise_start();
    return NULL;
#endif
}

void sites_use_slots(const struct slot_probes *lead_to, bool count)
{
    probes = lead_to;
    counting = count;
}

/* --- modules ---------------------------------------------------------------------------------------------------------
 */

static struct module_sites *new_module(void)
{
    for (struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (!m->end)
            return m;
    return site_module_count < SITE_MODULES_MAX ? &site_modules[site_module_count++] : NULL;
}

static void refuse(const char *why, uint64_t where)
{
    found.refused++;
    found.why = why;
    found.where = where;
}

static void count_sites(const struct module_sites *m, uint32_t sign)
{
    for (uint32_t i = 0; i < m->count; i++)
        *(site_is_enter(&m->sites[i]) ? &found.enters : &found.exits) += sign;
}

static void find_hooks(struct module_sites *m, const struct module_code *code)
{
    uint64_t start, end;
    if (!code->index)
        site_find_hooks(m, &code->targets, code->start, code->end);
    for (uint32_t i = 0; code->index && i < code->functions; i++)
        if (module_code_function(code, i, &start, &end))
            site_find_hooks(m, &code->targets, start, end);
    site_drop_stubs(m);
}

static bool reads_sled(const struct sled_map *map, uint32_t i, const struct module_sites *m, struct sled *sled)
{
    const char *wrong = sled_map_read(map, i, m->start, m->end, sled);
    if (wrong) {
        found.bad_sleds++;
        found.why = wrong;
        found.where = m->start;
    }
    return !wrong;
}

/* Of `function`, whose sleds begin at the i-th: whether one is in front of a conditional jump. A probe there, or a sled
 * that is off, would change the flags, and the calls that do not leave the function there would have ended twice. */
static bool leaves_on_condition(const struct sled_map *map, uint32_t i, const struct module_sites *m, uint64_t function)
{
    struct sled sled;
    for (; i < map->count; i++)
        if (!sled_map_read(map, i, m->start, m->end, &sled)) {
            if (sled.function != function)
                return false;
            if (sled.conditional)
                return true;
        }
    return false;
}

static void refuse_function(const struct module_sites *m)
{
    found.bad_sleds++;
    found.why = "tail calls by conditional jumps (clang -Os)";
    found.where = m->start;
}

/* The sleds of one function stand together in the map, and become a ring. Returns what is wrong. */
static const char *add_sleds(struct module_sites *m, const struct sled_map *map)
{
    struct sled sled;
    uint64_t last = 0;
    struct site *ring = NULL;
    bool refused = false;
    for (uint32_t i = 0; i < map->count; i++) {
        if (!reads_sled(map, i, m, &sled))
            continue;
        if (sled.function != last) {
            refused = leaves_on_condition(map, i, m, sled.function);
            if (refused)
                refuse_function(m);
        }
        if (refused) {
            last = sled.function;
            ring = NULL;
            continue;
        }
        struct site *s = &m->sites[m->count];
        site_add_sled(m, &sled, !sites_ask());
        s->next = s;
        if (ring && sled.function == last) {
            s->next = ring->next;
            ring->next = s;
        }
        ring = s;
        last = sled.function;
        m->sleds++;
    }
    return m->count ? NULL : found.why;
}

/* How many slots the sleds need. */
static void count_sleds(const struct module_sites *m, const struct sled_map *map, uint32_t *enters, uint32_t *exits)
{
    struct sled sled;
    uint32_t bad = found.bad_sleds;
    for (uint32_t i = 0; i < map->count; i++)
        if (reads_sled(map, i, m, &sled))
            ++*(sled.kind == SLED_ENTER ? enters : exits);
    found.bad_sleds = bad;
}

/* Everything that is prepared before the program executes the alias. Returns what is wrong. */
static const char *prepare(struct module_sites *m, const struct module_code *code, const struct sled_map *map)
{
    const char *wrong = NULL;
    uint32_t enters = 0, exits = 0;
    bool hooked = code->targets.slot_count[HOOK_ENTER] || !map->count;
    if (hooked)
        find_hooks(m, code);
    for (uint32_t i = 0; probes && i < m->count; i++)
        ++*(site_is_enter(&m->sites[i]) ? &enters : &exits);
    if (map->count)
        count_sleds(m, map, &enters, &exits);
    if (probes && enters + exits)
        wrong = slots_make(&m->slots, m->start, m->end, enters, exits, counting, probes);
    if (wrong || (wrong = text_alias_copy(&m->alias, m->start, m->end)) != NULL)
        return wrong;
    if (probes)
        site_lead_hooks(m);
    if (map->count)
        wrong = add_sleds(m, map);
    if (!wrong && m->slots.alias.bytes)
        wrong = text_alias_execute(&m->slots.alias);
    return wrong ? wrong : text_alias_execute(&m->alias);
}

static void drop(struct module_sites *m)
{
    text_alias_drop(&m->alias);
    text_alias_drop(&m->slots.alias);
    if (m->sites)
        munmap(m->sites, m->mapped);
    m->sites = NULL;
    m->count = m->sleds = 0;
}

/* Registers the module and all of its sites; refused ones too, so that they are asked once. */
static void add_module(const struct module_code *code, const struct sled_map *map)
{
    struct module_sites *m = new_module();
    if (!m)
        return;
    *m = (struct module_sites){.start = code->start, .end = code->end};
    m->alias.start = m->start / PAGE * PAGE; /* sites are found before there is a alias */
    if (code->writable) {
        refuse("changing code that the program may write itself", m->start);
        return;
    }
    /* room for as many as there can be; what is not touched takes no memory */
    uint64_t max = (code->end - code->start) / SITE_MIN + map->count + 1;
    m->mapped = max * sizeof(struct site);
    void *room = mmap(NULL, m->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        refuse("memory for the list of call sites", m->start);
        return;
    }
    m->sites = room;
    const char *wrong = prepare(m, code, map);
    if (wrong) {
        if (m->slots.alias.bytes)                                                 /* no site leads there */
            munmap((void *)(uintptr_t)m->slots.alias.start, m->slots.alias.size); // NOLINT(performance-no-int-to-ptr)
        drop(m);
        refuse(wrong, m->start);
        return;
    }
    found.modules++;
    found.sleds += m->sleds;
}

bool sites_ask(void)
{
    return probes && (counting || found.filtering);
}

void sites_filter(void)
{
    found.filtering = true;
}

/* With the lock. */
static void register_module(uint64_t function, const struct sled_map *map)
{
    struct module_code code;
    if (site_module_at(function) || !module_code_find(function, hooks[HOOK_ENTER], hooks[HOOK_EXIT], &code))
        return;
    add_module(&code, map);
    const struct module_sites *m = site_module_at(function);
    if (m)
        count_sites(m, 1);
}

static bool knows_module(uint64_t function)
{
    spin_lock(&sites_lock);
    bool known = site_module_at(function) != NULL;
    spin_unlock(&sites_lock);
    return known;
}

static void register_now(void *function)
{
    static const struct sled_map none;
    spin_lock(&sites_lock);
    register_module(*(const uint64_t *)function, &none);
    spin_unlock(&sites_lock);
}

void sites_register(uint64_t function)
{
    if (!hooks[HOOK_ENTER] || knows_module(function))
        return;
    loaded_modules_hold(register_now, &function);
    call_frames_register_all(); /* with it other modules may have been loaded */
}

/* The executable segment that the first sled is in. */
static uint64_t code_of(const struct dl_phdr_info *info, const struct sled_map *map)
{
    struct sled sled;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + p->p_vaddr;
        for (uint32_t k = 0; p->p_type == PT_LOAD && (p->p_flags & PF_X) && k < map->count; k++)
            if (!sled_map_read(map, k, start, start + p->p_filesz, &sled))
                return start;
    }
    return 0;
}

/* Whether the program executes the alias at [start, end): another thread may have unloaded the module, and a third one
 * loaded the next to the same place, before anybody was told. The module there is loaded. With the lock. */
static bool executes_alias(const struct module_sites *m)
{
    const struct site *s = m->sites;
    return !m->alias.bytes || !m->count ||
           !memcmp((const void *)(uintptr_t)(m->alias.start + s->start), // NOLINT(performance-no-int-to-ptr)
                   m->alias.bytes + s->start, s->length);
}

static void forget(struct module_sites *m)
{
    count_sites(m, UINT32_MAX); /* minus one */
    found.modules -= m->alias.bytes != NULL;
    found.sleds -= m->sleds;
    site_levels_forget(m);
    uint64_t slots = m->slots.alias.bytes ? m->slots.alias.start : 0;
    if (slots)
        munmap((void *)(uintptr_t)slots, m->slots.alias.size); // NOLINT(performance-no-int-to-ptr)
    drop(m);
    *m = (struct module_sites){0};
}

/* A module that is known, but loaded anew since, is forgotten. */
static bool is_known(const struct dl_phdr_info *info)
{
    bool known = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        bool code = p->p_type == PT_LOAD && (p->p_flags & PF_X);
        struct module_sites *m = code ? site_module_at(info->dlpi_addr + p->p_vaddr) : NULL;
        if (m && executes_alias(m))
            known = true;
        else if (m)
            forget(m);
    }
    return known;
}

/* Whether the module has sleds, or a map that is wrong, and is not registered yet. */
static bool has_new_sleds(const struct dl_phdr_info *info, struct sled_map *map, const char **wrong)
{
    bool is_vdso = info->dlpi_addr && info->dlpi_addr == getauxval(AT_SYSINFO_EHDR);
    if (is_vdso || is_known(info))
        return false;
    *wrong = sled_map_find(info, map);
    return map->count || *wrong;
}

static int find_sleds_of(struct dl_phdr_info *info, size_t size, void *any)
{
    struct sled_map map;
    const char *wrong;
    (void)size;
    *(bool *)any |= has_new_sleds(info, &map, &wrong);
    return *(bool *)any;
}

static void find_sleds(void *any)
{
    spin_lock(&sites_lock);
    modules_each(find_sleds_of, any);
    spin_unlock(&sites_lock);
}

bool sites_find_sleds(void)
{
    bool any = false;
    loaded_modules_hold(find_sleds, &any);
    return any;
}

static int register_sleds_of(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct sled_map map;
    const char *wrong;
    (void)size;
    (void)unused;
    if (!has_new_sleds(info, &map, &wrong))
        return 0;
    uint64_t code = map.count ? code_of(info, &map) : 0;
    if (map.count && !code)
        wrong = "a sled map none of whose entries is right";
    if (code)
        register_module(code, &map);
    if (wrong)
        refuse(wrong, info->dlpi_phnum ? info->dlpi_addr + info->dlpi_phdr[0].p_vaddr : 0);
    return 0;
}

static void register_all_sleds(void *unused)
{
    (void)unused;
    spin_lock(&sites_lock);
    modules_each(register_sleds_of, NULL);
    spin_unlock(&sites_lock);
}

void sites_register_sleds(void)
{
    if (hooks[HOOK_ENTER])
        loaded_modules_hold(register_all_sleds, NULL);
}

struct question {
    const struct module_sites *module;
    bool is_code, executed; /* code is loaded there; it is the alias */
};

static void answer(const struct dl_phdr_info *info, void *argument)
{
    struct question *q = argument;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + p->p_vaddr;
        q->is_code |= p->p_type == PT_LOAD && (p->p_flags & PF_X) && start <= q->module->start &&
                      start + p->p_memsz >= q->module->end;
    }
    q->executed = q->is_code && executes_alias(q->module);
}

/* The next module may be there already, with sites of its own. With the lock. */
static bool is_executed(const struct module_sites *m)
{
    struct question q = {m, false, false};
    module_headers(m->start, answer, &q);
    return q.executed && m->alias.bytes && m->count;
}

void sites_forget(uint64_t start, uint64_t end)
{
    spin_lock(&sites_lock);
    for (struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (m->end && m->start >= start && m->end <= end && !is_executed(m))
            forget(m);
    spin_unlock(&sites_lock);
}

static const char *make_own(struct module_sites *m)
{
    const char *wrong = text_alias_make(&m->alias, m->start, m->end);
    if (!wrong && m->slots.alias.bytes) {
        struct text_alias *t = &m->slots.alias;
        wrong = text_alias_make(t, t->start, t->start + t->size);
    }
    return wrong;
}

/* All slots ask again, and all sites are on. */
static void reset(struct module_sites *m)
{
    for (struct site *s = m->sites; s < m->sites + m->count; s++) {
        s->flags = 0;
        s->function = 0;
        if (s->kind == SITE_HOOK_ENTER || s->kind == SITE_HOOK_EXIT)
            s->next = NULL;
    }
    if (text_alias_open(&m->slots.alias)) {
        for (struct site *s = m->sites; s < m->sites + m->count; s++)
            if (s->slot) {
                slot_resolve(&m->slots, s->slot, s->kind, !sites_ask());
                if (site_is_enter(s))
                    slot_time(&m->slots, s->slot, true);
            }
        text_alias_shut(&m->slots.alias);
    }
    if (!text_alias_open(&m->alias))
        return;
    for (const struct site *s = m->sites; s < m->sites + m->count; s++)
        if (*site_byte(m, s) == s->off)
            __atomic_store_n(site_byte(m, s), s->on, __ATOMIC_RELAXED);
    text_alias_shut(&m->alias);
}

void sites_fork(void)
{
    sites_lock.taken = 0; /* perhaps by a thread that is not in this process */
    site_levels_fork();
    for (struct module_sites *m = site_modules; m < site_modules + site_module_count; m++) {
        if (!m->alias.bytes)
            continue;
        const char *wrong = make_own(m);
        if (!wrong)
            reset(m);
        else {
            refuse(wrong, m->start);
            found.modules--;
        }
    }
}

struct sites_found sites_known(void)
{
    spin_lock(&sites_lock);
    struct sites_found copy = found;
    spin_unlock(&sites_lock);
    return copy;
}
