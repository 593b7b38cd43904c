#include "reporters/tree/merge/merge_spreads.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/log_buckets.h"
#include "reporters/profile/profile_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT      64u
#define SAME_UNIT 0.01 /* processes whose clocks differ by less share buckets */
#define UNKNOWN   0.01 /* share of the activations that may be in no bucket */

/* Of a bucket of this file in the tree. */
static uint32_t place_of(const struct merge *m, uint32_t bucket)
{
    uint32_t place = pcomp_bucket_place(bucket);
    double unit = m->b->tree->spread_unit;
    if (fabs(m->fixed_ns / unit - 1) < SAME_UNIT)
        return place;
    return time_spread_place(time_spread_middle(place, m->fixed_ns), unit);
}

static bool is_longer(const struct tree_longest *a, const struct tree_longest *b)
{
    return a->time > b->time || (a->time >= b->time && a->start < b->start);
}

/* Among those of its function, TREE_LONGEST from b->longest[function * TREE_LONGEST] on, longest first. */
static bool keep_longest(struct tree_builder *b, struct tree_longest one)
{
    size_t first = (size_t)b->nodes[one.node].function * TREE_LONGEST;
    while (b->longest_room < first + TREE_LONGEST) {
        size_t before = b->longest_room;
        if (!ARRAY_ROOM(b->longest, before, b->longest_room))
            return false;
        memset(b->longest + before, 0, (b->longest_room - before) * sizeof *b->longest);
    }
    for (struct tree_longest *at = b->longest + first; at < b->longest + first + TREE_LONGEST; at++)
        if (!at->start || is_longer(&one, at)) { /* a start of 0: none */
            struct tree_longest next = *at;
            *at = one;
            one = next;
        }
    return true;
}

static bool add_longest(struct merge *m, struct place at, int64_t time, uint64_t start)
{
    struct tree_builder *b = m->b;
    const struct pcomp_header *h = &m->file->header;
    double ns = (double)time * m->fixed_ns;
    b->nodes[at.merged].max = fmax(b->nodes[at.merged].max, ns);
    if (!start || !h->real0_ns)
        return true;
    return keep_longest(
        b, (struct tree_longest){.node = at.merged,
                                 .thread = at.thread,
                                 .time = ns,
                                 .start = (double)h->real0_ns + (double)(int64_t)(start - h->tick0) * m->tick_ns});
}

bool merge_few(struct merge *m, struct place at, const struct pcomp_node *node, const struct pcomp_node_extra *extra)
{
    if (m->b->options->totals_alone || node->spread != PCOMP_SPREAD_NONE || !node->calls || node->calls > 2 ||
        node->min > node->top)
        return true;
    struct time_spread **slot = &m->b->nodes[at.merged].spread;
    return time_spread_put(slot, place_of(m, pcomp_bucket(node->min)), 1) &&
           (node->calls == 1 || time_spread_put(slot, place_of(m, pcomp_bucket(node->top)), 1)) &&
           add_longest(m, at, node->top, extra->first_start);
}

static bool add_counters(struct merge *m, struct place at, const struct pcomp_spread *s)
{
    struct time_spread **slot = &m->b->nodes[at.merged].spread;
    for (uint32_t i = 0; i < s->n && s->first + i < PCOMP_BUCKETS; i++)
        if (s->counts[i] && !time_spread_put(slot, place_of(m, s->first + i), s->counts[i]))
            return false;
    return true;
}

/* A record of `units`, whose node is checked here. */
static bool add_record(struct merge *m, const struct pcomp_spread *s, uint64_t offset)
{
    if (!s->node) /* counts what memory was not used for */
        return true;
    uint32_t index = profile_node_index(m->file, m->file->header.base + (uint64_t)s->node * UNIT);
    if (index == PROFILE_NONE)
        return m->file->read_mono ||
               profile_damaged(m->file, m->error, m->error_size, offset + 8,
                               "expected the offset of a node in units of 64, found 0x%x", s->node);
    struct place at = m->places[index];
    if (at.merged > PLACED_MAX || !at.merged)
        return true;
    if (s->first != PCOMP_SPREAD_LONGEST)
        return add_counters(m, at, s);
    const struct pcomp_longest *l = (const struct pcomp_longest *)s;
    bool ok = true;
    for (int i = 0; ok && i < PCOMP_LONGEST; i++)
        ok = !l->each[i].start || add_longest(m, at, l->each[i].time, l->each[i].start);
    return ok;
}

static bool add_chunk(struct merge *m, const struct profile_chunk *chunk)
{
    for (uint32_t unit = 0; unit < chunk->count;) {
        uint64_t offset = chunk->records + (uint64_t)unit * UNIT;
        const struct pcomp_spread *s = (const struct pcomp_spread *)(m->file->data + offset);
        if (!s->n) { /* not in use yet */
            unit++;
            continue;
        }
        uint64_t size = sizeof *s + (uint64_t)s->n * sizeof *s->counts;
        bool longest = s->first == PCOMP_SPREAD_LONGEST;
        if (size % UNIT || size / UNIT > chunk->count - unit || (longest && size != sizeof(struct pcomp_longest)) ||
            (!longest && s->node && (s->first < PCOMP_BUCKET_FIRST || s->first >= PCOMP_BUCKETS)))
            return m->file->read_mono ||
                   profile_damaged(m->file, m->error, m->error_size, offset,
                                   "expected a record of buckets in at most %u units of 64 bytes, found %u counters "
                                   "from bucket %u on",
                                   chunk->count - unit, s->n, s->first);
        if (!add_record(m, s, offset))
            return false;
        unit += (uint32_t)(size / UNIT);
    }
    return true;
}

bool merge_spreads(struct merge *m)
{
    const struct profile_file *f = m->file;
    for (uint32_t c = 0; c < f->chunk_count && !m->b->options->totals_alone; c++)
        if (f->chunks[c].kind == PCOMP_CHUNK_SPREADS && !add_chunk(m, &f->chunks[c]))
            return false;
    return true;
}

/* --- the tree --------------------------------------------------------------------------------------------------------
 */

void spread_finish_node(const struct tree_builder *b, struct tree_node *node)
{
    uint64_t ended = node->calls - node->open, known = time_spread_total(node->spread);
    bool partial =
        !b->exclusive && ended > known + b->tree->thread_count && (double)(ended - known) > UNKNOWN * (double)ended;
    if (b->other_model || partial)
        time_spread_free(&node->spread);
}

static int by_function(const void *x, const void *y)
{
    const struct tree_longest *a = x, *b = y;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return is_longer(b, a) - is_longer(a, b);
}

bool spread_finish_longest(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    if (b->other_model || !b->longest_room)
        return true;
    tree->longest = malloc(b->longest_room * sizeof *tree->longest);
    for (size_t i = 0; tree->longest && i < b->longest_room; i++)
        if (b->longest[i].start) {
            tree->longest[tree->longest_count] = b->longest[i];
            tree->longest[tree->longest_count++].function = tree->nodes[b->longest[i].node].function;
        }
    if (tree->longest)
        qsort(tree->longest, tree->longest_count, sizeof *tree->longest, by_function);
    return tree->longest != NULL;
}
