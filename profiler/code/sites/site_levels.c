/* Levels of functions: sites are reached, their slots get the counter of their function, and what its level says. */
#include "profiler/code/sites/site_levels.h"

#include "profiler/code/arch/x86_64/kept_vectors.h"
#include "profiler/code/sites/site_module.h"

#include <string.h>
#include <sys/mman.h>

#define FUNCTIONS_MAX (1u << 20)
#define WAITING_MAX   4096u
#define DUE_MIN       64u /* sites that wait before it pays to resolve them ... */
#define CALLS_BEFORE  4u  /* calls of a site that is worth to be resolved */
#define DUE_SHARE     4u  /* ... or this part of all that were resolved */

static struct function_sites {
    struct site *ring; /* any of its sites; NULL: none was reached */
    uint8_t level;     /* enum site_level */
    bool waiting;      /* the sites are still as the level before wants them */
} * functions;         /* FUNCTIONS_MAX; NULL: no memory, or not needed yet */

static struct site *reached[WAITING_MAX];
static uint32_t changed[WAITING_MAX];
static uint32_t reached_count, changed_count, resolved, repeated_calls, resolves_without_change;
static bool changed_all; /* more than fit: all functions are looked at */

static bool make_functions(void)
{
    if (functions)
        return true;
    void *room = mmap(NULL, FUNCTIONS_MAX * sizeof(*functions), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return false;
    __atomic_store_n(&functions, room, __ATOMIC_RELEASE);
    return true;
}

/* Threads read them without the lock. */
static void set_flags(struct site *s, unsigned flags)
{
    __atomic_store_n(&s->flags, (uint8_t)flags, __ATOMIC_RELAXED);
}

/* --- what waits ------------------------------------------------------------------------------------------------------
 */

static void add_to_ring(struct function_sites *f, struct site *s)
{
    if (!s->next)
        s->next = s;
    if (f->ring) { /* two rings with their successors exchanged are one */
        struct site *after = f->ring->next;
        f->ring->next = s->next;
        s->next = after;
    }
    f->ring = s;
}

/* A sled knows the others of its function; of hook calls each comes by itself. */
static void assign(struct site *s, uint32_t function)
{
    struct site *at = s;
    do
        at->function = function + 1;
    while (at->next && (at = at->next) != s);
    add_to_ring(&functions[function], s);
}

static uint32_t enough(void)
{
    uint32_t share = __atomic_load_n(&resolved, __ATOMIC_RELAXED) / DUE_SHARE;
    return share > DUE_MIN ? share : DUE_MIN;
}

bool site_is_reached(const struct site *s)
{
    return __atomic_load_n(&s->flags, __ATOMIC_RELAXED) & (SITE_PENDING | SITE_RESOLVED);
}

bool site_should_be_reached(struct site *s)
{
    uint8_t calls_before = __atomic_load_n(&s->calls_before, __ATOMIC_RELAXED);
    if (calls_before < CALLS_BEFORE) /* not in one step: one more or less is the same */
        __atomic_store_n(&s->calls_before, ++calls_before, __ATOMIC_RELAXED);
    return calls_before == CALLS_BEFORE;
}

bool sites_reach(struct site *s, uint32_t function)
{
    if (site_is_reached(s))
        return __atomic_add_fetch(&repeated_calls, 1, __ATOMIC_RELAXED) <= enough();
    spin_lock(&sites_lock);
    if (!site_is_reached(s) && function < FUNCTIONS_MAX && reached_count < WAITING_MAX && make_functions()) {
        if (!s->function)
            assign(s, function);
        reached[reached_count++] = s;
        set_flags(s, s->flags | SITE_PENDING);
    }
    bool due = reached_count == WAITING_MAX || reached_count > enough();
    spin_unlock(&sites_lock);
    return !due;
}

void sites_set_level(uint32_t function, enum site_level level)
{
    spin_lock(&sites_lock);
    if (function < FUNCTIONS_MAX && make_functions() && functions[function].level != level) {
        __atomic_store_n(&functions[function].level, (uint8_t)level, __ATOMIC_RELAXED);
        if (!functions[function].waiting && functions[function].ring) {
            functions[function].waiting = true;
            if (changed_count < WAITING_MAX)
                changed[changed_count++] = function;
            else
                changed_all = true;
        }
    }
    spin_unlock(&sites_lock);
}

enum site_level sites_level(uint32_t function)
{
    const struct function_sites *f = __atomic_load_n(&functions, __ATOMIC_ACQUIRE);
    return f && function < FUNCTIONS_MAX ? __atomic_load_n(&f[function].level, __ATOMIC_RELAXED) : SITE_TIMED;
}

/* --- settling --------------------------------------------------------------------------------------------------------
 */

static void shut_all(void)
{
    for (struct module_sites *m = site_modules; m < site_modules + site_module_count; m++) {
        text_alias_shut(&m->slots.alias);
        text_alias_shut(&m->alias);
    }
}

/* Turns the site on or off for good, as long as nobody else has written there. */
static void turn(struct module_sites *m, struct site *s, bool on)
{
    uint8_t flags = (uint8_t)(on ? s->flags & ~SITE_OUT : s->flags | SITE_OUT);
    if (flags == s->flags)
        return;
    if (text_alias_open(&m->alias)) {
        uint8_t *byte = site_byte(m, s);
        if (*byte == (on ? s->off : s->on))
            __atomic_store_n(byte, on ? s->on : s->off, __ATOMIC_RELAXED);
    }
    set_flags(s, flags);
}

static void obey(struct site *s)
{
    struct module_sites *m = site_module_of(s);
    enum site_level level = functions[s->function - 1].level;
    if (!m || !m->alias.bytes)
        return;
    if (site_is_enter(s) && s->slot && text_alias_open(&m->slots.alias))
        slot_time(&m->slots, s->slot, level == SITE_TIMED);
    turn(m, s, site_is_enter(s) ? level != SITE_OFF : level == SITE_TIMED);
}

static void obey_ring(struct function_sites *f)
{
    struct site *s = f->ring;
    f->waiting = false;
    if (!s)
        return;
    do
        obey(s);
    while ((s = s->next) != f->ring);
}

/* The sites that can be resolved come first. Another thread may have reached one since the caller made counters.
 * Returns how many. */
static uint32_t with_counters(uint32_t counted)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < reached_count; i++)
        if (reached[i]->function <= counted) { /* its id plus 1 */
            struct site *s = reached[i];
            reached[i] = reached[ready];
            reached[ready++] = s;
        }
    return ready;
}

void sites_resolve(uint32_t counted)
{
    spin_lock(&sites_lock);
    uint32_t ready = with_counters(counted);
    if (!ready && !changed_count) {
        if (++resolves_without_change >= SITE_RESOLVES_OPEN)
            shut_all();
        spin_unlock(&sites_lock);
        return;
    }
    for (uint32_t i = 0; i < ready; i++) {
        struct module_sites *m = site_module_of(reached[i]);
        if (!m || !text_alias_open(&m->slots.alias))
            continue;
        if (site_is_enter(reached[i]) && m->slots.counting)
            slot_number(&m->slots, reached[i]->slot, reached[i]->function - 1);
        if (reached[i]->kind != SITE_HOOK_ENTER && reached[i]->kind != SITE_HOOK_EXIT)
            obey_ring(&functions[reached[i]->function - 1]); /* its exits, too */
        else
            obey(reached[i]);
    }
    for (uint32_t i = 0; i < changed_count; i++)
        obey_ring(&functions[changed[i]]);
    for (uint32_t f = 0; changed_all && f < FUNCTIONS_MAX; f++)
        if (functions[f].waiting)
            obey_ring(&functions[f]);
    sites_synchronise(); /* the numbers are there before any thread uses one */
    for (uint32_t i = 0; i < ready; i++) {
        struct module_sites *m = site_module_of(reached[i]);
        if (m && m->slots.alias.open)
            slot_resolve(&m->slots, reached[i]->slot, reached[i]->kind, true);
        set_flags(reached[i], (uint8_t)((reached[i]->flags & ~SITE_PENDING) | SITE_RESOLVED));
    }
    __atomic_store_n(&resolved, resolved + ready, __ATOMIC_RELAXED);
    __atomic_store_n(&repeated_calls, 0, __ATOMIC_RELAXED);
    reached_count -= ready;
    memmove(reached, reached + ready, reached_count * sizeof(struct site *));
    changed_count = 0;
    changed_all = false;
    resolves_without_change = 0;
    sites_synchronise();
    spin_unlock(&sites_lock);
}

uint64_t sites_function(const struct site *s)
{
    const struct module_sites *m = site_module_of(s);
    return m ? slot_function(&m->slots, s->slot, s->kind) : 0;
}

static bool keeps(const struct site *s)
{
    const struct module_sites *m = site_module_of(s);
    uint64_t behind = (uint64_t)s->start + s->length;
    return m && m->alias.bytes && behind < m->alias.size &&
           kept_vectors_return(m->alias.bytes + behind, m->alias.size - behind);
}

uint32_t sites_keeping(uint32_t function)
{
    bool enters = false, exits = false;
    spin_lock(&sites_lock);
    const struct site *first = functions && function < FUNCTIONS_MAX ? functions[function].ring : NULL, *s = first;
    do {
        enters |= s && s->kind == SITE_HOOK_ENTER && keeps(s);
        exits |= s && s->kind == SITE_HOOK_EXIT && keeps(s);
    } while (s && (s = s->next) != first);
    spin_unlock(&sites_lock);
    return (uint32_t)enters + (uint32_t)exits;
}

/* --- ends ------------------------------------------------------------------------------------------------------------
 */

static bool is_in(const struct module_sites *m, const struct site *s)
{
    return s >= m->sites && s < m->sites + m->count;
}

/* Takes the module's sites out of the ring that `s` is in. */
static void leave_ring(const struct module_sites *m, const struct site *s)
{
    struct function_sites *f = &functions[s->function - 1];
    struct site *kept = NULL, *next;
    struct site *first = f->ring;
    if (!first || first->function != s->function)
        return;
    struct site *at = first;
    do {
        next = at->next;
        if (!is_in(m, at)) {
            at->next = kept ? kept->next : at;
            if (kept)
                kept->next = at;
            kept = at;
        }
        at = next;
    } while (at != first);
    f->ring = kept;
}

void site_levels_forget(const struct module_sites *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reached_count; i++)
        if (!is_in(m, reached[i]))
            reached[kept++] = reached[i];
    reached_count = kept;
    for (struct site *s = m->sites; functions && s < m->sites + m->count; s++)
        if (s->function && functions[s->function - 1].ring)
            leave_ring(m, s);
}

void site_levels_fork(void)
{
    reached_count = changed_count = resolved = repeated_calls = 0;
    changed_all = false;
    if (functions)
        madvise(functions, FUNCTIONS_MAX * sizeof(*functions), MADV_DONTNEED);
}
