#include "profiler/sites/sites.h"

#include "profiler/sites/call_frames.h"
#include "profiler/sites/instruction.h"
#include "profiler/sites/module_code.h"
#include "profiler/sites/text_twin.h"
#include "profiler/spin.h"

#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULES_MOST 256u
#define SITE_LEAST   5u /* bytes of the shortest */
#define STUBS_MOST   4u /* of both hooks in one module */
#define STUB_SIZE    16u
#define AHEAD        32u /* sites that are fetched ahead: nearly each lies in a cache line of its own */

struct site {
    uint32_t at; /* the byte that changes, from the start of the twin */
    uint8_t on, off;
    uint8_t hook;
    bool held; /* stays on */
};

struct function_range { /* from the start of the segment */
    uint32_t start, end;
};

/* What is known of a module is copied: it may be unloaded while the thread that switches looks at it. */
struct module_sites {
    struct text_twin twin;
    uint64_t start, end;              /* executable segment; end 0: free */
    uint64_t walked;                  /* without unwind table: from here on it has been decoded */
    struct function_range *functions; /* that the unwind table names, sorted */
    uint32_t function_count;          /* 0: there is no such table */
    struct site *sites;               /* behind them */
    uint64_t mapped;                  /* bytes of both */
    uint64_t stubs[STUBS_MOST];
    uint32_t stub_count;
    uint32_t count;
};

static struct spin lock;
static struct module_sites modules[MODULES_MOST];
static uint32_t used;
static uint64_t hooks[2];
static struct sites_found found;
static bool all_off, sync_core;

const char *sites_start(uint64_t enter, uint64_t exit)
{
#if !defined(__x86_64__)
    (void)enter;
    (void)exit;
    return "call sites can be removed on x86-64 only";
#else
    hooks[HOOK_ENTER] = enter;
    hooks[HOOK_EXIT] = exit;
    sync_core = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
    return NULL;
#endif
}

static struct module_sites *module_at(uint64_t function)
{
    for (struct module_sites *m = modules; m < modules + used; m++)
        if (function >= m->start && function < m->end)
            return m;
    return NULL;
}

/* --- finding ---------------------------------------------------------------------------------------------------------
 */

static void add_site(struct module_sites *m, const uint8_t *at, const struct hook_call *call)
{
    m->sites[m->count++] = (struct site){.at = (uint32_t)((uint64_t)(uintptr_t)at + call->byte - m->twin.start),
                                         .on = call->on,
                                         .off = call->off,
                                         .hook = (uint8_t)call->hook};
}

static void know_stub(struct module_sites *m, uint64_t stub)
{
    for (unsigned i = 0; i < m->stub_count; i++)
        if (m->stubs[i] == stub)
            return;
    if (m->stub_count < STUBS_MOST)
        m->stubs[m->stub_count++] = stub;
}

/* Decodes one instruction after the other, as far as they are known. */
static void walk(struct module_sites *m, const struct hook_targets *targets, uint64_t from, uint64_t to)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)from, *end = (const uint8_t *)(uintptr_t)to;
    unsigned opcode, length;
    struct hook_call call;
    for (; at < end && (length = instruction_length(at, (uint64_t)(end - at), &opcode)); at += length)
        if (hook_call_recognise(targets, at, length, opcode, &call)) {
            add_site(m, at, &call);
            if (call.stub)
                know_stub(m, call.stub);
        }
}

/* Without an unwind table: from a function on to what has been decoded already. */
static void walk_from(struct module_sites *m, const struct module_code *code, uint64_t function)
{
    if (function >= m->walked)
        return;
    walk(m, &code->targets, function, m->walked);
    m->walked = function;
}

static void count_sites(const struct module_sites *m, uint32_t first, uint32_t sign)
{
    for (uint32_t i = first; i < m->count; i++)
        *(m->sites[i].hook == HOOK_ENTER ? &found.enters : &found.exits) += sign;
}

/* The jumps of the stubs are no sites of their own. */
static void drop_stubs(struct module_sites *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        uint64_t address = m->twin.start + m->sites[i].at;
        bool is_stub = false;
        for (unsigned k = 0; k < m->stub_count; k++)
            is_stub |= address - m->stubs[k] < STUB_SIZE;
        if (!is_stub)
            m->sites[kept++] = m->sites[i];
    }
    m->count = kept;
}

static void find_sites(struct module_sites *m, const struct module_code *code, uint64_t function)
{
    uint64_t start, end;
    if (!code->index)
        walk_from(m, code, function);
    for (uint32_t i = 0; code->index && i < code->functions; i++)
        if (module_code_function(code, i, &start, &end))
            walk(m, &code->targets, start, end);
    drop_stubs(m);
}

/* --- switching -------------------------------------------------------------------------------------------------------
 */

static uint32_t put(const struct module_sites *m, uint32_t first, uint64_t from, uint64_t to, bool on,
                    uint32_t *left_alone)
{
    uint32_t changed = 0;
    if (!text_twin_open(&m->twin))
        return 0;
    for (const struct site *s = m->sites + first, *end = m->sites + m->count; s < end; s++) {
        uint64_t address = m->twin.start + s->at;
        if (end - s > AHEAD)
            __builtin_prefetch(m->twin.bytes + s[AHEAD].at, 1);
        bool turn_on = on || s->held;
        uint8_t *byte = m->twin.bytes + s->at, new = turn_on ? s->on : s->off, old = turn_on ? s->off : s->on;
        if (m->function_count && address >= to) /* they are sorted */
            break;
        if (address < from || address >= to || *byte == new)
            continue;
        if (*byte == old) {
            __atomic_store_n(byte, new, __ATOMIC_RELAXED);
            changed++;
        } else
            ++*left_alone;
    }
    text_twin_shut(&m->twin);
    return changed;
}

/* Every processor that runs a thread of this process has dropped what it decoded, too. Where the system call is not
 * offered, shutting the twin has interrupted them all. */
void sites_synchronise(void)
{
    if (sync_core)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

/* Of the sites from `start` on; NULL: none. They are sorted where there is an unwind table, and elsewhere nobody asks.
 */
static struct site *first_site(const struct module_sites *m, uint64_t start)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->twin.start + m->sites[middle].at < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count ? &m->sites[low] : NULL;
}

bool sites_enter_first(uint64_t start, uint64_t end)
{
    spin_lock(&lock);
    const struct module_sites *m = module_at(start);
    const struct site *first = m ? first_site(m, start) : NULL;
    bool is = first && first->hook == HOOK_ENTER && m->twin.start + first->at < end;
    spin_unlock(&lock);
    return is;
}

bool sites_follow(uint64_t address, uint64_t bytes)
{
    spin_lock(&lock);
    const struct module_sites *m = module_at(address);
    const struct site *next = m ? first_site(m, address) : NULL;
    bool follows = next && m->twin.start + next->at - address <= bytes;
    spin_unlock(&lock);
    return follows;
}

/* The function that `address` lies in. False: none that is known. */
static bool function_around(const struct module_sites *m, uint64_t address, uint64_t *start, uint64_t *end)
{
    uint32_t low = 0, high = m->function_count, at = (uint32_t)(address - m->start);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->functions[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || at >= m->functions[low - 1].end)
        return false;
    *start = m->start + m->functions[low - 1].start;
    *end = m->start + m->functions[low - 1].end;
    return true;
}

void sites_each_function(void (*visit)(uint64_t function))
{
    spin_lock(&lock);
    for (const struct module_sites *m = modules; m < modules + used; m++)
        for (uint32_t i = 0; m->twin.bytes && i < m->function_count; i++) {
            uint64_t start = m->start + m->functions[i].start;
            const struct site *first = first_site(m, start);
            if (first && first->hook == HOOK_ENTER && m->twin.start + first->at < m->start + m->functions[i].end)
                visit(start);
        }
    spin_unlock(&lock);
}

bool sites_change_at(uint64_t address)
{
    spin_lock(&lock);
    const struct module_sites *m = module_at(address);
    bool change = m && m->twin.bytes;
    spin_unlock(&lock);
    return change;
}

/* --- enter hooks that stay on ----------------------------------------------------------------------------------------
 */

struct candidate {
    uint64_t start, end;
    uint32_t index; /* in the caller's arrays */
    bool can;       /* be alone */
};

static struct candidate *candidate_at(struct candidate *sorted, uint32_t count, uint64_t start)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sorted[low].start == start ? &sorted[low] : NULL;
}

/* Strikes out the functions to which other code than calls and jumps refers: as an argument of hooks, where they are
 * inlined; their own does. And those that call themselves. One look at all of the code. */
static void strike_out(const struct module_sites *m, struct candidate *sorted, uint32_t count)
{
    for (uint64_t at = m->start + 2; at + 4 <= m->end; at++) {
        const uint8_t *bytes = m->twin.bytes + (at - m->twin.start);
        bool relative = (bytes[-1] & 0xc7) == 0x05, absolute = (bytes[-1] & 0xf8) == 0xb8;
        bool call = (bytes[-1] & 0xfe) == 0xe8;
        if (!relative && !absolute && !call)
            continue;
        int32_t value;
        __builtin_memcpy(&value, bytes, sizeof(value));
        uint64_t target = absolute ? (uint32_t)value : at + 4 + (uint64_t)(int64_t)value;
        struct candidate *c = target >= sorted[0].start ? candidate_at(sorted, count, target) : NULL;
        if (c && call == (at >= c->start && at < c->end))
            c->can = false;
    }
}

static void find_alone_in(const struct module_sites *m, const uint64_t *functions, uint32_t count, bool *alone)
{
    static struct candidate sorted[SITES_ALONE_MOST];
    uint32_t used_here = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct candidate c = {0, 0, i, true};
        const struct site *first;
        if (functions[i] < m->start || functions[i] >= m->end || !function_around(m, functions[i], &c.start, &c.end) ||
            c.start != functions[i] || !(first = first_site(m, c.start)) || first->hook != HOOK_ENTER ||
            m->twin.start + first->at >= c.end)
            continue;
        uint32_t at = used_here++;
        for (; at && sorted[at - 1].start > c.start; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = c;
    }
    if (used_here)
        strike_out(m, sorted, used_here);
    for (uint32_t k = 0; k < used_here; k++)
        alone[sorted[k].index] = sorted[k].can;
}

void sites_find_alone(const uint64_t *functions, uint32_t count, bool *alone)
{
    spin_lock(&lock);
    for (uint32_t i = 0; i < count; i++)
        alone[i] = false;
    for (const struct module_sites *m = modules; m < modules + used; m++)
        if (m->twin.bytes && m->function_count)
            find_alone_in(m, functions, count, alone);
    spin_unlock(&lock);
}

void sites_hold_enter(uint64_t function)
{
    spin_lock(&lock);
    const struct module_sites *m = module_at(function);
    struct site *first = m ? first_site(m, function) : NULL;
    if (first)
        first->held = true;
    spin_unlock(&lock);
}

static void hold_now(uint64_t function, bool held)
{
    uint64_t start, end;
    uint32_t ignored = 0;
    spin_lock(&lock);
    const struct module_sites *m = module_at(function);
    if (m && m->twin.bytes && function_around(m, function, &start, &end)) {
        struct site *first = first_site(m, start);
        first->held = held;
        put(m, (uint32_t)(first - m->sites), start, end, false, &ignored);
    }
    spin_unlock(&lock);
}

void sites_hold_enter_now(uint64_t function)
{
    hold_now(function, true);
}

void sites_release_enter(uint64_t function)
{
    hold_now(function, false);
}

uint32_t sites_switch(uint64_t from, uint64_t to, bool on, uint32_t *left_alone)
{
    uint32_t changed = 0;
    spin_lock(&lock);
    if (from == 0 && to == UINT64_MAX)
        all_off = !on;
    for (const struct module_sites *m = modules; m < modules + used; m++)
        if (m->twin.bytes && m->start < to && m->end > from)
            changed += put(m, 0, from, to, on, left_alone);
    sites_synchronise();
    spin_unlock(&lock);
    return changed;
}

/* --- modules ---------------------------------------------------------------------------------------------------------
 */

static struct module_sites *new_module(void)
{
    for (struct module_sites *m = modules; m < modules + used; m++)
        if (!m->end)
            return m;
    return used < MODULES_MOST ? &modules[used++] : NULL;
}

static void refuse(const char *why)
{
    found.refused++;
    found.why = why;
}

static void copy_functions(struct module_sites *m, const struct module_code *code)
{
    uint64_t start, end;
    for (uint32_t i = 0; code->index && i < code->functions; i++)
        if (module_code_function(code, i, &start, &end))
            m->functions[m->function_count++] =
                (struct function_range){(uint32_t)(start - m->start), (uint32_t)(end - m->start)};
}

/* Registers the module and all of its sites; refused ones too, so that they are asked once. */
static void add_module(const struct module_code *code, uint64_t function)
{
    struct module_sites *m = new_module();
    if (!m)
        return;
    *m = (struct module_sites){.start = code->start, .end = code->end, .walked = code->end};
    if (code->writable) {
        refuse("changing code that the program may write itself");
        return;
    }
    /* room for as many as there can be; what is not touched takes no memory */
    uint64_t functions = code->index ? code->functions * sizeof(struct function_range) : 0;
    m->mapped = functions + (code->end - code->start) / SITE_LEAST * sizeof(struct site) + sizeof(struct site);
    void *room = mmap(NULL, m->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const char *wrong = "memory for the list of call sites";
    if (room != MAP_FAILED && (wrong = text_twin_make(&m->twin, code->start, code->end)) != NULL)
        munmap(room, m->mapped);
    if (wrong) {
        refuse(wrong);
        return;
    }
    m->functions = room;
    m->sites = (struct site *)((char *)room + functions);
    copy_functions(m, code);
    found.modules++;
    find_sites(m, code, function);
}

void sites_meet(uint64_t function)
{
    struct module_code code;
    if (!hooks[HOOK_ENTER])
        return;
    spin_lock(&lock);
    struct module_sites *m = module_at(function);
    bool added = false;
    if ((!m || (m->twin.bytes && function < m->walked && m->walked < m->end)) &&
        module_code_find(function, hooks[HOOK_ENTER], hooks[HOOK_EXIT], &code)) {
        uint32_t before = m ? m->count : 0, ignored = 0;
        if (m)
            find_sites(m, &code, function);
        else
            add_module(&code, function);
        added = !m;
        m = module_at(function);
        if (m)
            count_sites(m, before, 1);
        if (all_off && m && m->twin.bytes)
            put(m, before, 0, UINT64_MAX, false, &ignored);
    }
    spin_unlock(&lock);
    if (added) /* with it other modules may have been loaded */
        call_frames_meet_all();
}

void sites_forget(uint64_t start, uint64_t end)
{
    spin_lock(&lock);
    for (struct module_sites *m = modules; m < modules + used; m++) {
        if (!m->end || m->start < start || m->end > end)
            continue;
        count_sites(m, 0, UINT32_MAX); /* minus one */
        found.modules -= m->twin.bytes != NULL;
        text_twin_drop(&m->twin);
        if (m->functions)
            munmap(m->functions, m->mapped);
        *m = (struct module_sites){0};
    }
    spin_unlock(&lock);
}

void sites_fork(void)
{
    uint32_t ignored = 0;
    lock.taken = 0; /* perhaps by a thread that is not in this process */
    all_off = false;
    for (struct module_sites *m = modules; m < modules + used; m++) {
        if (!m->twin.bytes)
            continue;
        for (uint32_t i = 0; i < m->count; i++)
            m->sites[i].held = false;
        const char *wrong = text_twin_make(&m->twin, m->start, m->end);
        if (!wrong)
            put(m, 0, 0, UINT64_MAX, true, &ignored);
        else {
            refuse(wrong);
            found.modules--;
        }
    }
}

struct sites_found sites_known(void)
{
    spin_lock(&lock);
    struct sites_found copy = found;
    spin_unlock(&lock);
    return copy;
}
