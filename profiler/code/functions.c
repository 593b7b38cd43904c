#include "profiler/code/functions.h"

#include "profiler/base/config.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"
#include "profiler/code/filter.h"
#include "profiler/code/modules/loaded_modules.h"
#include "profiler/code/modules/modules.h"
#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/sites.h"

#include <string.h>
#include <sys/mman.h>

#define CHUNK_SIZE    32768u
#define TABLE_FIRST   4096u
#define ADDRESS_GONE  ((uint64_t)1 << 63) /* with the address in a slot: the function was unloaded */
#define CHUNKS_MAX    2048u
#define HASH_MULTIPLY 0x9e3779b97f4a7c15u

struct slot {
    uint64_t address; /* 0 empty; written last */
    uint32_t id;
    uint32_t skipped;
};

struct table {
    uint64_t mask;
    struct slot slots[];
};

static struct spin lock;
static struct table *table; /* read without lock; a grown table replaces it, the old one stays mapped */
static uint64_t used;
static struct pcomp_chunk *chunk, *chunks[CHUNKS_MAX]; /* the one that is filled, all */
static uint32_t next_id, chunk_count;
static bool closed;

static uint64_t slot_index(uint64_t address)
{
    return ((address & ~ADDRESS_GONE) * HASH_MULTIPLY) >> 20;
}

static struct slot *probe(struct table *t, uint64_t address)
{
    for (uint64_t i = slot_index(address);; i++) {
        struct slot *s = &t->slots[i & t->mask];
        uint64_t found = __atomic_load_n(&s->address, __ATOMIC_ACQUIRE);
        if (found == address || !found)
            return s;
    }
}

/* Functions of several modules may have been at one address. */
static struct slot *free_slot(struct table *t, uint64_t address)
{
    uint64_t i = slot_index(address);
    while (t->slots[i & t->mask].address)
        i++;
    return &t->slots[i & t->mask];
}

static struct table *new_table(uint64_t slots)
{
    size_t size = sizeof(struct table) + slots * sizeof(struct slot);
    struct table *t = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        return NULL;
    t->mask = slots - 1;
    return t;
}

static bool make_room(void)
{
    if (table && used * 2 <= table->mask)
        return true;
    struct table *t = new_table(table ? (table->mask + 1) * 2 : TABLE_FIRST);
    if (!t)
        return false;
    for (uint64_t i = 0; table && i <= table->mask; i++)
        if (table->slots[i].address && !(config.trace && table->slots[i].address & ADDRESS_GONE))
            *free_slot(t, table->slots[i].address) = table->slots[i];
    __atomic_store_n(&table, t, __ATOMIC_RELEASE);
    return true;
}

static struct pcomp_function *new_record(uint32_t *id)
{
    if (!chunk || chunk->count == chunk->capacity) {
        struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_FUNCTIONS, CHUNK_SIZE, 0, sizeof(struct pcomp_function));
        if (!c || chunk_count == CHUNKS_MAX)
            return NULL;
        chunks[chunk_count++] = c;
        c->capacity = (CHUNK_SIZE - sizeof(*c)) / sizeof(struct pcomp_function);
        chunk = c;
    }
    *id = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);
    return (struct pcomp_function *)(chunk + 1) + chunk->count;
}

static void publish_record(void)
{
    __atomic_store_n(&chunk->count, chunk->count + 1, __ATOMIC_RELEASE);
}

/* With the lock. NULL: there is none. */
static struct pcomp_function *record_of(uint32_t id)
{
    for (uint32_t i = 0, first = 0; i < chunk_count; first += chunks[i++]->capacity)
        if (id - first < chunks[i]->count)
            return (struct pcomp_function *)(chunks[i] + 1) + (id - first);
    return NULL;
}

/* The slot of a function whose module is loaded again, where it was before. */
static struct slot *loaded_again(uint64_t address, const char *region)
{
    uint32_t module = region ? MODULE_NONE : module_known(address);
    for (uint64_t i = slot_index(address); table->slots[i & table->mask].address; i++) {
        struct slot *s = &table->slots[i & table->mask];
        if (s->address != (address | ADDRESS_GONE))
            continue;
        const struct pcomp_function *f = record_of(s->id);
        bool is_region = f && f->flags & PCOMP_FUNCTION_REGION;
        if (f && is_region == (region != NULL) && f->module == module &&
            (!region || (f->name_link &&
                         !strcmp((const char *)(uintptr_t)f->name_link, region)))) // NOLINT(performance-no-int-to-ptr)
            return s;
    }
    return NULL;
}

/* With the lock. */
static struct function_info add(uint64_t address, const char *region)
{
    struct function_info info = {PCOMP_FUNCTION_BEYOND, false};
    struct slot *s = make_room() ? probe(table, address) : NULL;
    struct slot *again = NULL;
    struct pcomp_function *f = NULL;
    if (s && s->address)
        info = (struct function_info){s->id, s->skipped};
    else if (s && (again = loaded_again(address, region)) != NULL) {
        info = (struct function_info){again->id, again->skipped};
        __atomic_store_n(&again->address, address, __ATOMIC_RELEASE);
    } else if (s && !closed && (f = new_record(&info.id))) {
        f->address = address;
        f->module = MODULE_NONE;
        if (region) {
            f->flags = PCOMP_FUNCTION_REGION;
            f->name_link = store_text(region, strlen(region));
            info.skipped = filter_skips_region(region);
        } else {
            f->module = module_known(address);
            info.skipped = filter_skips(f->module, address);
        }
        if (info.skipped)
            f->flags |= PCOMP_FUNCTION_SKIPPED;
        if (info.skipped && !region && sites_ask()) {
            f->flags |= PCOMP_FUNCTION_OFF;
            sites_set_level(info.id, SITE_OFF);
        }
        publish_record();
        s->id = info.id;
        s->skipped = info.skipped;
        used++;
        __atomic_store_n(&s->address, address, __ATOMIC_RELEASE);
    }
    return info;
}

static void register_module(void *address)
{
    spin_lock(&lock);
    module_of(*(const uint64_t *)address);
    spin_unlock(&lock);
}

/* Before the lock is taken: nobody who has it waits for the loader. */
static void register_module_of(uint64_t address)
{
    spin_lock(&lock);
    bool is_known = module_known(address) != MODULE_NONE;
    spin_unlock(&lock);
    if (!is_known)
        functions_register_module(address);
    sites_register(address);
}

void functions_register_module(uint64_t address)
{
    loaded_modules_hold(register_module, &address);
}

static struct function_info find(uint64_t address, const char *region)
{
    struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    struct slot *s = t ? probe(t, address) : NULL;
    if (s && __atomic_load_n(&s->address, __ATOMIC_ACQUIRE) == address)
        return (struct function_info){s->id, s->skipped};
    if (!region)
        register_module_of(address);
    spin_lock(&lock);
    struct function_info info = add(address, region);
    spin_unlock(&lock);
    return info;
}

uint32_t function_known_id(uint64_t address)
{
    struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    const struct slot *s = t ? probe(t, address) : NULL;
    return s && __atomic_load_n(&s->address, __ATOMIC_ACQUIRE) == address ? s->id : PCOMP_FUNCTION_ROOT;
}

bool function_is_known(uint64_t address)
{
    return function_known_id(address) != PCOMP_FUNCTION_ROOT;
}

static __thread bool calibrating;

void functions_calibrating(bool on)
{
    calibrating = on;
}

struct function_info function_find(uint64_t address)
{
    if (calibrating)
        return (struct function_info){PCOMP_FUNCTION_FIRST, false};
    return find(address, NULL);
}

struct function_info function_find_region(const char *name)
{
    return find((uint64_t)(uintptr_t)name, name);
}

static void register_modules(void *any)
{
    spin_lock(&lock);
    *(bool *)any = modules_register_all();
    spin_unlock(&lock);
}

bool functions_register_modules(void)
{
    bool any = false;
    loaded_modules_hold(register_modules, &any);
    return any;
}

uint32_t functions_count(void)
{
    return __atomic_load_n(&next_id, __ATOMIC_RELAXED);
}

void function_mark(uint32_t id, uint32_t flags)
{
    spin_lock(&lock);
    struct pcomp_function *f = record_of(id);
    if (f)
        f->flags |= flags;
    spin_unlock(&lock);
}

bool function_is_region(uint32_t id)
{
    spin_lock(&lock);
    const struct pcomp_function *f = record_of(id);
    bool is_region = f && f->flags & PCOMP_FUNCTION_REGION;
    spin_unlock(&lock);
    return is_region;
}

uint64_t function_address(uint32_t id)
{
    spin_lock(&lock);
    const struct pcomp_function *f = record_of(id);
    uint64_t address = f ? f->address : 0;
    spin_unlock(&lock);
    return address;
}

static void (*gone_next)(uint64_t start, uint64_t end);

static void forget_range(uint64_t start, uint64_t end)
{
    gone_next(start, end);
    sites_forget(start, end);
    call_frames_forget(start, end);
    for (uint64_t i = 0; table && i <= table->mask; i++) {
        struct slot *s = &table->slots[i];
        if (s->address >= start && s->address < end)
            __atomic_store_n(&s->address, s->address | ADDRESS_GONE, __ATOMIC_RELEASE);
    }
}

static void drop_unloaded(void *gone)
{
    spin_lock(&lock);
    gone_next = *(void (**)(uint64_t, uint64_t))gone;
    modules_drop_unloaded(forget_range);
    spin_unlock(&lock);
}

void functions_drop_unloaded(void (*gone)(uint64_t start, uint64_t end))
{
    loaded_modules_hold(drop_unloaded, &gone);
}

void functions_start(void)
{
    lock.taken = 0;
    table = NULL;
    used = 0;
    chunk = NULL;
    next_id = chunk_count = 0;
    closed = false;
    modules_forget();
    for (const char *const *name = (const char *const[]){"[root]", "[beyond limit]", NULL}; *name; name++) {
        uint32_t id;
        struct pcomp_function *f = new_record(&id);
        if (!f)
            return;
        f->module = MODULE_NONE;
        f->name_link = store_text(*name, strlen(*name));
        publish_record();
    }
}

void functions_close(void)
{
    spin_lock(&lock);
    closed = true;
    spin_unlock(&lock);
}
