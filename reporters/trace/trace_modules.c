#include "reporters/trace/trace_modules.h"

#include "compensation/trace_event/event.h"

#include <stdlib.h>
#include <string.h>

#define MARK_SHIFT 48
#define MARK_MAX   (PCOMP_EVENT_MODULE >> MARK_SHIFT)
#define ADDRESS    ((1ull << MARK_SHIFT) - 1)

struct module_stay {
    uint64_t start, end;  /* addresses */
    uint64_t since, gone; /* ticks: all that lay there before had left; it had left */
    uint32_t module;      /* id of the first module of this file at this place */
};

struct trace_modules {
    struct module_stay *stays; /* those in a place of several modules, in the order of their times */
    struct module_stay *kinds; /* the first stay of each of these modules, by id */
    uint32_t stay_count, kind_count;
};

static bool lies_at(const struct pcomp_module *m, uint64_t address)
{
    return address >= m->start && address < m->end;
}

static bool overlap(const struct pcomp_module *a, const struct pcomp_module *b)
{
    return a->start < b->end && b->start < a->end;
}

static bool same_module(const struct profile_file *profile, const struct pcomp_module *a, const struct pcomp_module *b)
{
    const char *path_a = profile_text(profile, a->path_link), *path_b = profile_text(profile, b->path_link);
    return a->start == b->start && a->end == b->end && a->bias == b->bias && a->file_size == b->file_size &&
           a->file_mtime_ns == b->file_mtime_ns && a->build_id_size == b->build_id_size &&
           !memcmp(a->build_id, b->build_id, sizeof a->build_id) &&
           (path_a == path_b || (path_a && path_b && !strcmp(path_a, path_b)));
}

/* Id of the first module of the same file at the same place. */
static uint32_t first_of(const struct profile_file *profile, uint32_t id)
{
    uint32_t first = 0;
    while (first < id && !same_module(profile, profile->modules[first], profile->modules[id]))
        first++;
    return first;
}

/* Whether another module lay in its place, before or after. */
static bool is_shared(const struct profile_file *profile, const uint32_t *first, uint32_t id)
{
    for (uint32_t i = 0; i < profile->module_count; i++)
        if (first[i] == i && i != first[id] && overlap(profile->modules[i], profile->modules[id]))
            return true;
    return false;
}

static uint64_t left_before(const struct trace_modules *m, const struct module_stay *stay)
{
    uint64_t since = 0;
    for (uint32_t i = m->stay_count; i-- > 0;) {
        const struct module_stay *before = &m->stays[i];
        if (before->start >= stay->end || stay->start >= before->end)
            continue;
        since = before->gone > since ? before->gone : since;
        if (before->start == stay->start && before->end == stay->end) /* which knows of all before itself */
            return before->since > since ? before->since : since;
    }
    return since;
}

static void add_stay(struct trace_modules *m, const struct pcomp_module *module, uint32_t first, uint32_t id)
{
    struct module_stay stay = {.start = module->start, .end = module->end, .module = first};
    if (first == id)
        m->kinds[m->kind_count++] = stay;
    if (module->unloaded && !module->gone_tick) /* of a replay: its events have marks */
        return;
    stay.gone = module->gone_tick ? module->gone_tick : UINT64_MAX;
    stay.since = left_before(m, &stay);
    m->stays[m->stay_count++] = stay;
}

bool trace_modules_new(const struct profile_file *profile, struct trace_modules **modules)
{
    *modules = NULL;
    uint32_t count = profile->module_count, shared = 0;
    uint32_t *first = calloc(count + (size_t)1, sizeof *first);
    for (uint32_t i = 0; first && i < count; i++)
        first[i] = first_of(profile, i);
    for (uint32_t i = 0; first && i < count; i++)
        shared += is_shared(profile, first, i);
    struct trace_modules *m = first && shared ? calloc(1, sizeof *m) : NULL;
    if (m) {
        m->stays = calloc(shared, sizeof *m->stays);
        m->kinds = calloc(shared, sizeof *m->kinds);
        for (uint32_t i = 0; m->stays && m->kinds && i < count; i++)
            if (is_shared(profile, first, i))
                add_stay(m, profile->modules[i], first[i], i);
    }
    bool good = first && (!shared || (m && m->stays && m->kinds));
    free(first);
    if (good)
        *modules = m;
    else
        trace_modules_free(m);
    return good;
}

void trace_modules_free(struct trace_modules *m)
{
    if (!m)
        return;
    free(m->stays);
    free(m->kinds);
    free(m);
}

static bool is_stay(const struct module_stay *stay, uint64_t address, uint64_t time)
{
    return address >= stay->start && address < stay->end && time >= stay->since && time < stay->gone;
}

/* 0 also where one module alone ever lay at the address: the rest of its place is another's. */
static uint64_t mark_of(const struct trace_modules *m, uint32_t module, uint64_t address)
{
    uint64_t mark = 0, kinds = 0;
    for (uint32_t i = 0; i < m->kind_count && kinds <= MARK_MAX; i++) {
        bool lies = address >= m->kinds[i].start && address < m->kinds[i].end;
        kinds += lies;
        mark += lies && m->kinds[i].module <= module;
    }
    return kinds < 2 ? 0 : mark < MARK_MAX ? mark : MARK_MAX;
}

static bool has_function(unsigned kind)
{
    return kind == PCOMP_EVENT_ENTER || kind == PCOMP_EVENT_EXIT || kind == PCOMP_EVENT_COUNTED ||
           kind == PCOMP_EVENT_SUPPRESSED;
}

void trace_modules_mark(const struct trace_modules *m, void *records, size_t size)
{
    uint32_t last = 0;
    for (size_t at = 0; m && at < size;) {
        struct pcomp_event *e = (struct pcomp_event *)((char *)records + at);
        uint64_t address = pcomp_event_value(e);
        at += pcomp_event_size(e);
        if (!has_function(pcomp_event_kind(e)) || address > ADDRESS)
            continue;
        if (last == m->stay_count || !is_stay(&m->stays[last], address, e->time))
            for (last = 0; last < m->stay_count && !is_stay(&m->stays[last], address, e->time); last++)
                ;
        if (last < m->stay_count)
            e->what |= mark_of(m, m->stays[last].module, address) << MARK_SHIFT;
    }
}

uint64_t trace_modules_address(uint64_t value)
{
    return value & ADDRESS;
}

uint32_t trace_modules_find(const struct profile_file *profile, uint64_t value)
{
    uint64_t address = value & ADDRESS, mark = (value & PCOMP_EVENT_MODULE) >> MARK_SHIFT;
    uint32_t last = PROFILE_NONE;
    if (!mark)
        return profile_module_at(profile, value);
    for (uint32_t i = 0; i < profile->module_count && mark; i++)
        if (lies_at(profile->modules[i], address) && first_of(profile, i) == i) {
            last = i;
            mark--;
        }
    return last;
}

uint64_t trace_modules_value(const struct profile_file *profile, const struct pcomp_function *function)
{
    uint64_t mark = 0, kinds = 0;
    for (uint32_t i = 0; function->module < profile->module_count && i < profile->module_count; i++)
        if (lies_at(profile->modules[i], function->address) && first_of(profile, i) == i) {
            kinds++;
            mark += i <= function->module;
        }
    return function->address | (kinds > 1 ? (mark < MARK_MAX ? mark : MARK_MAX) << MARK_SHIFT : 0);
}
