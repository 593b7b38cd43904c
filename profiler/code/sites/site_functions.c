/* Which sites belong to which function, and enter hooks that stay on while all others are off. */
#include "profiler/code/sites/site_module.h"
#include "profiler/code/sites/sites.h"

/* Of the sites from `start` on; NULL: none. They are sorted where there is an unwind table, and elsewhere nobody asks.
 */
static struct site *first_site(const struct module_sites *m, uint64_t start)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (site_address(m, &m->sites[middle]) < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count ? &m->sites[low] : NULL;
}

bool sites_enter_first(uint64_t start, uint64_t end)
{
    spin_lock(&sites_lock);
    const struct module_sites *m = site_module_at(start);
    const struct site *first = m ? first_site(m, start) : NULL;
    bool is = first && first->kind == SITE_HOOK_ENTER && site_address(m, first) < end;
    spin_unlock(&sites_lock);
    return is;
}

bool sites_follow(uint64_t address, uint64_t bytes)
{
    spin_lock(&sites_lock);
    const struct module_sites *m = site_module_at(address);
    const struct site *next = m ? first_site(m, address) : NULL;
    bool follows = next && site_address(m, next) - address <= bytes;
    spin_unlock(&sites_lock);
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
    spin_lock(&sites_lock);
    for (const struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        for (uint32_t i = 0; m->twin.bytes && i < m->function_count; i++) {
            uint64_t start = m->start + m->functions[i].start;
            const struct site *first = first_site(m, start);
            if (first && first->kind == SITE_HOOK_ENTER && site_address(m, first) < m->start + m->functions[i].end)
                visit(start);
        }
    spin_unlock(&sites_lock);
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
            c.start != functions[i] || !(first = first_site(m, c.start)) || first->kind != SITE_HOOK_ENTER ||
            site_address(m, first) >= c.end)
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
    spin_lock(&sites_lock);
    for (uint32_t i = 0; i < count; i++)
        alone[i] = false;
    for (const struct module_sites *m = site_modules; m < site_modules + site_module_count; m++)
        if (m->twin.bytes && m->function_count)
            find_alone_in(m, functions, count, alone);
    spin_unlock(&sites_lock);
}

void sites_hold_enter(uint64_t function)
{
    spin_lock(&sites_lock);
    const struct module_sites *m = site_module_at(function);
    struct site *first = m ? first_site(m, function) : NULL;
    if (first)
        first->flags |= SITE_HELD;
    spin_unlock(&sites_lock);
}

static void hold_now(uint64_t function, bool held)
{
    uint64_t start, end;
    uint32_t ignored = 0;
    spin_lock(&sites_lock);
    const struct module_sites *m = site_module_at(function);
    if (m && m->twin.bytes && function_around(m, function, &start, &end)) {
        struct site *first = first_site(m, start);
        first->flags = (uint8_t)(held ? first->flags | SITE_HELD : first->flags & ~SITE_HELD);
        site_put(m, (uint32_t)(first - m->sites), start, end, false, &ignored);
    }
    spin_unlock(&sites_lock);
}

void sites_hold_enter_now(uint64_t function)
{
    hold_now(function, true);
}

void sites_release_enter(uint64_t function)
{
    hold_now(function, false);
}
