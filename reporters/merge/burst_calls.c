/* Of every call path, the calls that those seen in bursts stand for: compensation/burst.h, and what was counted between
 * them. */
#include "reporters/merge/sampled_state.h"

#include <math.h>
#include <stdlib.h>

struct held_share { /* of one function */
    uint64_t function;
    double calls;           /* counted while hooks were off */
    double in_bursts, seen; /* of all its paths: calls in bursts, those found open included, and at any time */
    double given, whole;    /* what paths were given so far, and that as whole numbers */
    bool always;            /* every call while hooks were off was counted */
};

static int compare_held(const void *a, const void *b)
{
    uint64_t x = ((const struct held_share *)a)->function, y = ((const struct held_share *)b)->function;
    return x < y ? -1 : x > y;
}

/* False: out of memory. */
static bool read_held(struct sampling *s)
{
    const struct profile_file *f = s->file;
    for (uint32_t c = 0; c < f->chunk_count; c++)
        s->held_count += f->chunks[c].kind == PCOMP_CHUNK_HELD ? f->chunks[c].count : 0;
    s->held = calloc(s->held_count + (size_t)1, sizeof *s->held);
    if (!s->held)
        return false;
    uint32_t count = 0;
    for (uint32_t c = 0; c < f->chunk_count; c++)
        for (uint32_t i = 0; f->chunks[c].kind == PCOMP_CHUNK_HELD && i < f->chunks[c].count; i++) {
            const struct pcomp_held *held = profile_held(f, &f->chunks[c], i);
            if (held->function)
                s->held[count++] =
                    (struct held_share){.function = held->function,
                                        .calls = (double)held->calls,
                                        .always = (held->flags & PCOMP_HELD_NOW) && (held->flags & PCOMP_HELD_ALWAYS)};
        }
    s->held_count = count;
    qsort(s->held, count, sizeof *s->held, compare_held);
    return true;
}

static struct held_share *held_of(const struct sampling *s, const struct path *p)
{
    struct held_share key = {.function = p->node->function & ~((uint64_t)1 << 63)}; /* a module that was unloaded */
    return s->held_count ? bsearch(&key, s->held, s->held_count, sizeof key, compare_held) : NULL;
}

bool burst_calls_are_counted(const struct sampling *s, const struct path *p)
{
    const struct held_share *held = p->segments ? held_of(s, p) : NULL;
    return held && held->always;
}

/* A path's calls in bursts. What was found open was called while hooks were off; it tells that the path is one of its
 * function's. */
static double in_bursts(const struct path *p)
{
    return fmax(p->calls, 0) + (double)profile_node_burst(p->extra)->found;
}

/* The calls of a function that were counted while hooks were off are its paths' in the proportion of bursts, or of all
 * that was seen; as whole numbers, so that they add up. */
static double share_of_held(struct held_share *held, const struct path *p)
{
    double all = held->in_bursts > 0 ? held->in_bursts : held->seen;
    double mine = held->in_bursts > 0 ? in_bursts(p) : (double)p->node->calls + p->open;
    if (!(all > 0) || !(mine > 0))
        return 0;
    held->given += mine;
    double before = held->whole;
    held->whole = fmin(floor(held->calls * fmin(held->given / all, 1) + 0.5), held->calls);
    return held->whole - before;
}

static void share_out(struct sampling *s)
{
    for (uint32_t k = 0; k < s->order_count; k++) {
        const struct path *p = &s->paths[s->order[k]];
        struct held_share *held = p->segments ? held_of(s, p) : NULL;
        if (!held)
            continue;
        held->in_bursts += in_bursts(p);
        held->seen += (double)p->node->calls + p->open;
    }
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct path *p = &s->paths[s->order[k]];
        struct held_share *held = p->segments ? held_of(s, p) : NULL;
        if (held)
            p->run.calls += share_of_held(held, p);
    }
}

#define BURSTS_LEAST 20u /* of a thread, that tell of it alone */

/* Time off, to the gaps before bursts that stand for it; of one thread, or of all with few bursts. */
static void find_gap_scale(struct sampling *s)
{
    double off = 0, gaps = 0;
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        const struct pcomp_thread *record = s->file->threads[t].record;
        if (record->burst_count < BURSTS_LEAST) {
            off += (double)record->off_ticks;
            gaps += record->burst_gaps;
        }
    }
    s->gap_scale = gaps > 0 ? off / gaps : 0;
}

/* Calls off of a path that no burst met, standard deviation: as if one burst had met one, which stands for as many as
 * those of the thread do in the mean; or as many as before while the program does what one burst stands for. */
static double unseen_calls(const struct sampling *s, const struct path *p)
{
    const struct pcomp_thread *record = s->file->threads[p->thread].record;
    const struct thread_state *thread = &s->threads[p->thread];
    double one = thread->calls > 0 ? thread->run_calls / thread->calls : 1;
    double gap = record->burst_gaps / (double)record->burst_count;
    double before = (double)p->node->calls + p->open - p->calls;
    double as_before = thread->before > 0 && before > 0 ? before / thread->before * gap : 0;
    return fmax(PCOMP_BURST_NONE_SEEN * one, fmin(as_before, before));
}

static void find_unseen(struct sampling *s)
{
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct path *p = &s->paths[s->order[k]];
        const struct pcomp_thread *record = s->file->threads[p->thread].record;
        bool bursts = record->burst_gaps > 0 && record->burst_count;
        if (p->segments && bursts && !(p->calls > 0) && !burst_calls_are_counted(s, p))
            p->unseen = fmin(square(unseen_calls(s, p)), 1e36);
    }
}

void burst_calls_find(struct sampling *s)
{
    for (uint32_t k = 0; k < s->order_count; k++) {
        struct path *p = &s->paths[s->order[k]];
        const struct pcomp_thread *record = s->file->threads[p->thread].record;
        p->run = (struct pcomp_burst_count){p->calls, 0};
        if (!s->bursts || !p->segments)
            continue;
        const struct pcomp_node_burst *burst = profile_node_burst(p->extra);
        bool own = record->burst_count >= BURSTS_LEAST && record->burst_gaps > 0;
        double scale = own ? (double)record->off_ticks / record->burst_gaps : s->gap_scale;
        struct pcomp_burst_count off =
            pcomp_burst_count_of(&(struct pcomp_burst_calls){p->calls, burst->low, burst->high, burst->squares},
                                 (double)record->burst_count, scale, &s->slowness);
        if (!held_of(s, p)) /* those that were found open began there */
            off.calls = fmax(off.calls, (double)burst->found);
        p->run.calls += fmin(off.calls, 1e18);
        p->run.variance = fmin(off.variance, 1e36);
    }
    if (s->bursts)
        share_out(s);
    for (uint32_t k = 0; k < s->order_count; k++) {
        const struct path *p = &s->paths[s->order[k]];
        s->threads[p->thread].run_calls += p->segments ? p->run.calls : 0;
    }
    if (s->bursts)
        find_unseen(s);
    for (uint32_t t = 0; t < s->file->thread_count; t++) {
        struct thread_state *thread = &s->threads[t];
        thread->calls_scale = thread->calls > 0 && thread->run_calls > 0 ? thread->run_calls / thread->calls : 1;
    }
}

bool burst_calls_prepare(struct sampling *s)
{
    find_gap_scale(s);
    return read_held(s);
}
