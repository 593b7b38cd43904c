#include "tests/instrument/counted_laws.h"

#include <stdlib.h>
#include <string.h>

uint64_t counted_calls(const struct view *v, const char *name)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < v->function_count; i++)
        if (!strcmp(v->functions[i].name, name))
            calls += v->functions[i].calls + v->functions[i].inexact;
    return calls;
}

uint64_t counted_inexactly(const struct view *v)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < v->function_count; i++)
        calls += v->functions[i].inexact;
    return calls;
}

bool counted_flag(const struct view *v, const char *name, uint32_t flag)
{
    for (uint32_t i = 0; i < v->function_count; i++)
        if ((v->functions[i].flags & flag) && (!name || !strcmp(v->functions[i].name, name)))
            return true;
    return false;
}

bool counted_flag_on_path(const struct view *v, const char *path, uint32_t flag)
{
    char copy[400], *rest = copy;
    strncpy(copy, path, sizeof(copy) - 1);
    copy[sizeof(copy) - 1] = 0;
    for (const char *name; (name = strsep(&rest, ">"));)
        if (counted_flag(v, name, flag))
            return true;
    return false;
}

void counted_laws(const struct view *v, bool all,
                  void (*miss)(const char *format, ...) __attribute__((format(printf, 1, 2))))
{
    uint64_t *timed = calloc(v->function_count + 1, sizeof(*timed));
    if (!timed)
        abort();
    uint64_t unfinished = 0; /* threads that may have been between counter and path when seen last */
    for (uint32_t k = 0; k < v->thread_count; k++)
        unfinished += !v->threads[k].end_tick;
    for (uint32_t i = 0; i < v->node_count; i++)
        timed[v->nodes[i].extra.function_id] += v->nodes[i].record.calls + v->nodes[i].open;
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < v->function_count; i++) {
        const struct view_function *f = &v->functions[i];
        uint64_t calls = f->calls + f->inexact;
        if (f->flags & (PCOMP_FUNCTION_REGION | PCOMP_FUNCTION_SKIPPED))
            continue;
        if (timed[i] > calls)
            miss("law: %s: %lu timed calls, %lu counted", f->name, timed[i], calls);
        if (all && !(f->flags & PCOMP_FUNCTION_COUNTED) && timed[i] + unfinished + f->inexact < calls)
            miss("law: %s: %lu counted calls, all timed, %lu on paths", f->name, calls, timed[i]);
    }
    free(timed);
}
