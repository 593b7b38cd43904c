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

static double off_ms(const struct view *v, const struct view_node *n)
{
    return view_ns(v, n->off_cpu.waiting + n->off_cpu.ready) / 1e6;
}

double counted_off_cpu(const struct view *v, const char *name, enum counted_off kind)
{
    double sum = 0;
    for (uint32_t i = 0; i < v->node_count; i++)
        if (!strcmp(v->nodes[i].name, name)) {
            const struct pcomp_node_off_cpu *off = &v->nodes[i].off_cpu;
            sum += view_ns(v, (kind != COUNTED_READY ? off->waiting : 0) + (kind != COUNTED_WAITING ? off->ready : 0));
        }
    return sum / 1e6;
}

#define OFF_TOLERANCE(ms) (0.01 * (ms) + 1) /* of two clocks, and of stretches that were accounted together */

/* Where clocks are slow, two that are read one after the other differ by a tenth of a millisecond, like a wait. */
#define CLOCKS_SLOW_MS 10

static void check_thread(const struct view *v, const struct pcomp_thread *t,
                         void (*miss)(const char *format, ...) __attribute__((format(printf, 1, 2))))
{
    double sum = 0, wall = view_ns(v, t->seen_tick - t->start_tick) / 1e6;
    double off = wall - (double)(t->cpu1_ns - t->cpu0_ns) / 1e6;
    /* Between the readings of its clocks a thread may lose time to the host, which is processor time to the guest. */
    off = off > 0 ? off : 0;
    for (uint32_t i = 0; i < v->node_count; i++)
        sum += v->nodes[i].thread == t->index ? off_ms(v, &v->nodes[i]) : 0;
    double slow = getenv("CLOCKS_ARE_SLOW") ? CLOCKS_SLOW_MS : 0;
    if (sum > off + OFF_TOLERANCE(wall) + slow)
        miss("law: thread %u: paths were off the processor for %.3f ms, the thread for %.3f", t->index, sum, off);
}

void counted_off_laws(const struct view *v, bool timed,
                      void (*miss)(const char *format, ...) __attribute__((format(printf, 1, 2))))
{
    double *exclusive = calloc(v->node_count + 1, sizeof(*exclusive));
    if (!exclusive)
        abort();
    for (uint32_t i = 0; i < v->node_count; i++) {
        double ms = view_ns(v, v->nodes[i].record.raw + v->nodes[i].open_raw) / 1e6;
        exclusive[i] += ms;
        if (v->nodes[i].parent != VIEW_NONE)
            exclusive[v->nodes[i].parent] -= ms;
    }
    for (uint32_t i = 0; i < v->node_count && timed; i++) {
        const struct view_node *n = &v->nodes[i];
        /* what an open path waited for in the end is known when its last event is not */
        if (n->parent != VIEW_NONE && !n->open && !n->inherited &&
            off_ms(v, n) > exclusive[i] + OFF_TOLERANCE(exclusive[i]))
            miss("law: %s: %.3f ms off the processor in %.3f ms", view_path(v, i), off_ms(v, n), exclusive[i]);
    }
    for (uint32_t k = 0; k < v->thread_count; k++)
        if (v->threads[k].end_tick)
            check_thread(v, &v->threads[k], miss);
    free(exclusive);
}
