#include "profiler/code/modules/modules.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/store.h"
#include "profiler/code/modules/executable.h"
#include "profiler/code/modules/loaded_modules.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULES_MAX   65536u
#define MODULES_CHUNK 16384u

static struct pcomp_module *records[MODULES_MAX];
static uint32_t count;
static struct pcomp_chunk *chunk;

struct wanted {
    struct pcomp_module found;
    const char *name;
};

struct visit {
    uint64_t address;
    void (*function)(const struct dl_phdr_info *, void *);
    void *argument;
};

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * note, struct pcomp_module *m)
{
    const char *at = (const char *)(info->dlpi_addr + note->p_vaddr), *end = at + note->p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof(*n), *desc = name + ((n->n_namesz + 3u) & ~3u);
        const char *next = desc + ((n->n_descsz + 3u) & ~3u);
        if (next > end || next < desc)
            return;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
            n->n_descsz <= sizeof(m->build_id)) {
            m->build_id_size = n->n_descsz;
            memcpy(m->build_id, desc, n->n_descsz);
            return;
        }
        at = next;
    }
}

static void extent(const struct dl_phdr_info *info, uint64_t *start, uint64_t *end)
{
    *start = UINT64_MAX;
    *end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uint64_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, to = from + info->dlpi_phdr[i].p_memsz;
            *start = from < *start ? from : *start;
            *end = to > *end ? to : *end;
        }
}

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct visit *v = argument;
    uint64_t start, end;
    (void)size;
    extent(info, &start, &end);
    if (v->address < start || v->address >= end)
        return 0;
    v->function(info, v->argument);
    return 1;
}

/* The program itself, as the kernel tells: before main of a static program the list of modules is empty. */
static struct dl_phdr_info own_headers(void)
{
    struct dl_phdr_info self = {.dlpi_name = "", .dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM)};
    self.dlpi_phdr = (const ElfW(Phdr) *)(uintptr_t)getauxval(AT_PHDR);
    for (int i = 0; self.dlpi_phdr && i < self.dlpi_phnum; i++)
        if (self.dlpi_phdr[i].p_type == PT_PHDR)
            self.dlpi_addr = (ElfW(Addr))self.dlpi_phdr - self.dlpi_phdr[i].p_vaddr;
    return self;
}

bool module_headers(uint64_t address, void (*function)(const struct dl_phdr_info *, void *), void *argument)
{
    struct visit v = {address, function, argument};
    if (loaded_modules_each(look, &v))
        return true;
    struct dl_phdr_info self = own_headers();
    return self.dlpi_phdr && look(&self, sizeof(self), &v);
}

static int is_any(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)info;
    (void)size;
    (void)argument;
    return 1;
}

void modules_each(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    struct dl_phdr_info self = own_headers();
    if (loaded_modules_each(is_any, NULL))
        loaded_modules_each(visit, argument);
    else if (self.dlpi_phdr)
        visit(&self, sizeof(self), argument);
}

static void describe(const struct dl_phdr_info *info, void *argument)
{
    struct wanted *w = argument;
    w->name = info->dlpi_name;
    w->found = (struct pcomp_module){.bias = info->dlpi_addr};
    extent(info, &w->found.start, &w->found.end);
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && !w->found.build_id_size)
            read_build_id(info, &info->dlpi_phdr[i], &w->found);
}

static bool find_loaded(uint64_t address, struct wanted *w)
{
    return module_headers(address, describe, w);
}

uint32_t module_known(uint64_t address)
{
    for (uint32_t i = count; i-- > 0;)
        if (!records[i]->unloaded && address >= records[i]->start && address < records[i]->end)
            return i;
    return MODULE_NONE;
}

static const char *record_path(const struct pcomp_module *m)
{
    return m->path_link ? (const char *)(uintptr_t)m->path_link : ""; // NOLINT(performance-no-int-to-ptr)
}

/* The record of the same module from when it was loaded before, at the same place. In a trace, whose events have
 * addresses alone, another module may not have lain there in between. */
static uint32_t loaded_again(const struct pcomp_module *m, const char *path)
{
    for (uint32_t i = count; i-- > 0;) {
        struct pcomp_module *r = records[i];
        if (r->unloaded && r->start == m->start && r->end == m->end && r->bias == m->bias &&
            r->file_size == m->file_size && r->file_mtime_ns == m->file_mtime_ns &&
            r->build_id_size == m->build_id_size && !memcmp(r->build_id, m->build_id, m->build_id_size) &&
            !strcmp(record_path(r), path)) {
            r->unloaded = 0;
            r->gone_tick = 0;
            return i;
        }
        if (config.trace && r->start < m->end && m->start < r->end)
            return MODULE_NONE;
    }
    return MODULE_NONE;
}

static struct pcomp_module *new_record(void)
{
    if (count == MODULES_MAX)
        return NULL;
    if (!chunk || chunk->count == chunk->capacity) {
        chunk = store_chunk(PCOMP_CHUNK_MODULES, MODULES_CHUNK, 0, sizeof(struct pcomp_module));
        if (!chunk)
            return NULL;
        chunk->capacity = (MODULES_CHUNK - sizeof(*chunk)) / sizeof(struct pcomp_module);
    }
    return (struct pcomp_module *)(chunk + 1) + chunk->count;
}

/* The path that the linker's name of a module stands for, in a buffer that the next call uses again. */
static const char *path_of(const char *name)
{
    static char path[EXECUTABLE_PATH];
    if (!name || !*name) /* the executable has no name there */
        return executable_path(path);
    return name[0] != '/' && strchr(name, '/') && realpath(name, path) ? path : name;
}

static uint32_t add(struct wanted *w)
{
    const char *name = path_of(w->name);
    struct stat st;
    if (stat(name, &st) == 0) {
        w->found.file_size = (uint64_t)st.st_size;
        w->found.file_mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    }
    uint32_t before = loaded_again(&w->found, name);
    struct pcomp_module *record = before == MODULE_NONE ? new_record() : NULL;
    if (!record)
        return before;
    w->found.path_link = store_text(name, strlen(name));
    *record = w->found;
    records[count] = record;
    __atomic_store_n(&chunk->count, chunk->count + 1, __ATOMIC_RELEASE);
    return count++;
}

uint32_t module_of(uint64_t address)
{
    struct wanted w = {0};
    uint32_t id = module_known(address);
    return id != MODULE_NONE || !find_loaded(address, &w) ? id : add(&w);
}

static int register_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)argument;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            struct wanted w = {0};
            struct visit v = {info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, describe, &w};
            if (v.address != getauxval(AT_SYSINFO_EHDR) && module_known(v.address) == MODULE_NONE &&
                look(info, size, &v))
                add(&w);
            break;
        }
    return 0;
}

/* How many modules were ever loaded and unloaded; 0 and 0 where the loader's lock is not taken. */
struct loads {
    unsigned long long adds, subs;
};

static int read_loads(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    *(struct loads *)argument = (struct loads){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

static struct loads loads_now(void)
{
    struct loads now = {0, 0};
    loaded_modules_each(read_loads, &now);
    return now;
}

bool modules_register_all(void)
{
    static unsigned long long registered; /* how many modules had ever been loaded */
    unsigned long long adds = loads_now().adds;
    if (count && adds == registered)
        return false;
    module_of(getauxval(AT_ENTRY)); /* the program itself, which may not be in the list yet */
    loaded_modules_each(register_module, NULL);
    registered = adds;
    return true;
}

struct pcomp_module *module_record(uint32_t id)
{
    return id < count ? records[id] : NULL;
}

const char *module_path(uint32_t id)
{
    const struct pcomp_module *m = module_record(id);
    return m ? record_path(m) : "";
}

/* Another module may lie where it was, and be as large. */
static bool is_loaded(const struct pcomp_module *m)
{
    struct wanted w = {0};
    return find_loaded(m->start, &w) && w.found.bias == m->bias && w.found.end == m->end &&
           w.found.build_id_size == m->build_id_size && !memcmp(w.found.build_id, m->build_id, m->build_id_size) &&
           (m->build_id_size || !strcmp(path_of(w.name), record_path(m)));
}

void modules_drop_unloaded(void (*gone)(uint64_t start, uint64_t end))
{
    static unsigned long long dropped; /* how many modules had ever been unloaded */
    struct loads now = loads_now();
    if (now.adds && now.subs == dropped)
        return;
    dropped = now.subs;
    for (uint32_t i = 0; i < count; i++) {
        struct pcomp_module *m = records[i];
        if (m->unloaded || is_loaded(m))
            continue;
        m->gone_tick = clock_read(config.clock);
        m->unloaded = 1;
        gone(m->start, m->end);
    }
}

static int has_no_interpreter(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    (void)argument;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_INTERP)
            return -1;
    return 1; /* the program comes first; a return value ends the list */
}

bool modules_program_is_static(void)
{
    return loaded_modules_each(has_no_interpreter, NULL) == 1;
}

void modules_forget(void)
{
    count = 0;
    chunk = NULL;
}
