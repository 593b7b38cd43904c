#include "reporters/tree/merge/merge_spreads.h"

#include "compensation/numeric/log_buckets.h"
#include "reporters/profile/profile_check.h"

#include <math.h>
#include <stdlib.h>

#define UNIT         64u
#define LONGEST_ROOM 1024u
#define SAME_UNIT    0.01 /* processes whose clocks differ by less share buckets */
#define UNKNOWN      0.01 /* share of the activations that may be in no bucket */

/* Of a bucket of this file in the tree. */
static uint32_t place_of(const struct merge *m, uint32_t bucket)
{
    uint32_t place = pcomp_bucket_place(bucket);
    double unit = m->b->tree->spread_unit;
    if (fabs(m->fixed_ns / unit - 1) < SAME_UNIT)
        return place;
    return time_spread_place(time_spread_middle(place, m->fixed_ns), unit);
}

/* By function, longest first. */
static int compare_longest(const void *x, const void *y)
{
    const struct tree_longest *a = x, *b = y;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Keeps those that a report may show, in their order. */
static void keep_longest(struct tree_builder *b, const struct tree_node *nodes)
{
    size_t kept = 0, of_function = 0;
    for (size_t i = 0; i < b->longest_count; i++)
        b->longest[i].function = nodes[b->longest[i].node].function;
    qsort(b->longest, b->longest_count, sizeof *b->longest, compare_longest);
    for (size_t i = 0; i < b->longest_count; i++) {
        of_function = i && b->longest[i].function == b->longest[i - 1].function ? of_function + 1 : 0;
        if (of_function < TREE_LONGEST)
            b->longest[kept++] = b->longest[i];
    }
    b->longest_count = kept;
}

/* Each call path has some, each function keeps few: room grows where those kept fill half of it. */
static bool longest_room(struct tree_builder *b)
{
    if (b->longest_count < b->longest_room)
        return true;
    if (b->longest_room)
        keep_longest(b, b->nodes);
    if (b->longest_count < b->longest_room / 2)
        return true;
    size_t room = b->longest_room ? b->longest_room * 2 : LONGEST_ROOM;
    struct tree_longest *grown = realloc(b->longest, room * sizeof *grown);
    if (!grown)
        return false;
    b->longest = grown;
    b->longest_room = room;
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
    if (!longest_room(b))
        return false;
    b->longest[b->longest_count++] =
        (struct tree_longest){.node = at.merged,
                              .thread = at.thread,
                              .time = ns,
                              .start = (double)h->real0_ns + (double)(int64_t)(start - h->tick0) * m->tick_ns};
    return true;
}

bool merge_few(struct merge *m, struct place at, const struct pcomp_node *node, const struct pcomp_node_extra *extra)
{
    if (node->spread != PCOMP_SPREAD_NONE || !node->calls || node->calls > 2 || node->min > node->top)
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
    for (uint32_t c = 0; c < f->chunk_count; c++)
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

bool spread_finish_longest(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    if (b->other_model || !b->longest_count)
        return true;
    keep_longest(b, tree->nodes);
    tree->longest = malloc(b->longest_count * sizeof *tree->longest);
    tree->longest_count = tree->longest ? b->longest_count : 0;
    for (size_t i = 0; i < tree->longest_count; i++)
        tree->longest[i] = b->longest[i];
    return tree->longest != NULL;
}
