#include "reporters/tree/build/tree_builder.h"

#include "compensation/numeric/array.h"
#include "reporters/tree/build/big_array.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_MULTIPLY 0x9e3779b97f4a7c15u

void tree_builder_free(struct tree_builder *b)
{
    function_table_free(&b->functions);
    free(b->stacks.shares);
    free(b->stacks.outer);
    free(b->stacks.times);
    free(b->natives);
    for (size_t i = 0; b->nodes && i < b->node_count; i++)
        time_spread_free(&b->nodes[i].spread);
    free(b->longest);
    free(b->nodes);
    free(b->work);
    free(b->sites);
    free(b->frames);
    free(b->owners);
    free(b->exclusive);
    free(b->counters);
    for (size_t i = 0; b->threads && i < b->tree->thread_count; i++)
        free(b->threads[i].creator);
    free(b->threads);
    free(b->processes);
    free(b->table);
}

/* owner: of nodes directly below the root, else any. */
static uint64_t hash_key(uint32_t parent, uint32_t function, uint32_t site, uint32_t owner)
{
    uint64_t h = ((uint64_t)parent << 32 | function) * HASH_MULTIPLY;
    h ^= h >> 29;
    h = (h + site + ((uint64_t)(parent ? NO_NODE : owner) << 32)) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

/* Moves *array (elements of `size` bytes, `used` of them) to a place with room for `room`; the new bytes are `fill`. */
static bool grow_array(void *array, size_t size, size_t used, size_t room, int fill)
{
    void **p = array;
    char *grown = big_array(room, size);
    if (!grown)
        return false;
    if (used)
        memcpy(grown, *p, used * size);
    memset(grown + used * size, fill, (room - used) * size);
    free(*p);
    *p = grown;
    return true;
}

static bool grow_table(struct tree_builder *b, size_t nodes)
{
    size_t slots = 1024;
    while (slots < nodes * 2)
        slots *= 2;
    if (b->table && slots <= b->table_mask + 1)
        return true;
    uint64_t *table = big_array(slots, sizeof *table);
    if (!table)
        return false;
    memset(table, 0, slots * sizeof *table);
    size_t mask = slots - 1;
    for (size_t n = 0; n < b->node_count; n++) {
        uint64_t hash = hash_key(b->nodes[n].parent, b->nodes[n].function, b->sites ? b->sites[n] : NO_NODE,
                                 b->owners ? b->owners[n] : NO_NODE);
        size_t i = hash & mask;
        while (table[i])
            i = (i + 1) & mask;
        table[i] = (hash >> 32 << 32) | (n + 1);
    }
    free(b->table);
    b->table = table;
    b->table_mask = mask;
    return true;
}

bool tree_builder_reserve(struct tree_builder *b, size_t more)
{
    size_t wanted = b->node_count + more;
    if (wanted >= NO_NODE)
        return false;
    if (wanted <= b->node_room)
        return !b->table || grow_table(b, wanted);
    size_t room = wanted < b->node_room * 2 ? b->node_room * 2 : wanted, used = b->node_count,
           counters = b->tree->counter_count;
    struct tree_node *nodes = big_array(room, sizeof *nodes);
    if (!nodes)
        return false;
    if (used)
        memcpy(nodes, b->nodes, used * sizeof *nodes);
    free(b->nodes);
    b->nodes = nodes;
    if (!grow_array(&b->work, sizeof *b->work, used, room, 0) ||
        (b->sites && !grow_array(&b->sites, sizeof *b->sites, used, room, 0xff)) ||
        (b->frames && !grow_array(&b->frames, sizeof *b->frames, used, room, 0)) ||
        (b->owners && !grow_array(&b->owners, sizeof *b->owners, used, room, 0xff)) ||
        (b->exclusive && !grow_array(&b->exclusive, sizeof *b->exclusive, used, room, 0)) ||
        (b->counters && !grow_array(&b->counters, sizeof *b->counters, used * counters, room * counters, 0)))
        return false;
    b->node_room = room;
    return !b->table || grow_table(b, wanted);
}

bool tree_builder_init(struct tree_builder *b, struct call_tree *tree, struct text_pool *texts,
                       const struct call_tree_options *options)
{
    *b = (struct tree_builder){.options = options, .tree = tree, .texts = texts};
    if (!function_table_init(&b->functions) || !tree_builder_reserve(b, 1) ||
        (options->by_thread && !grow_array(&b->owners, sizeof *b->owners, 0, b->node_room, 0xff)))
        return false;
    b->owner = NO_NODE;
    tree_builder_append(b, NO_NODE, 0, NO_NODE);
    return true;
}

bool tree_builder_with_sites(struct tree_builder *b)
{
    return b->sites || grow_array(&b->sites, sizeof *b->sites, 0, b->node_room, 0xff);
}

bool tree_builder_with_frames(struct tree_builder *b)
{
    return b->frames || grow_array(&b->frames, sizeof *b->frames, 0, b->node_room, 0);
}

bool tree_builder_index(struct tree_builder *b)
{
    return b->table || grow_table(b, b->node_room);
}

uint32_t tree_builder_append(struct tree_builder *b, uint32_t parent, uint32_t function, uint32_t site)
{
    uint32_t index = (uint32_t)b->node_count++;
    b->nodes[index] = (struct tree_node){.parent = parent,
                                         .function = function,
                                         .first_child = NO_NODE,
                                         .next_sibling = NO_NODE,
                                         .min = INFINITY,
                                         .max = -INFINITY};
    if (b->sites)
        b->sites[index] = site;
    if (b->owners)
        b->owners[index] = b->owner;
    return index;
}

/* Its slot in the table, or a free one. */
static size_t slot_of(const struct tree_builder *b, uint32_t parent, uint32_t function, uint32_t site, uint64_t hash)
{
    size_t i = hash & b->table_mask;
    for (; b->table[i]; i = (i + 1) & b->table_mask) {
        if (b->table[i] >> 32 != hash >> 32)
            continue;
        uint32_t found = (uint32_t)b->table[i] - 1;
        const struct tree_node *n = &b->nodes[found];
        if (n->parent == parent && n->function == function && (!b->sites || b->sites[found] == site) &&
            (!b->owners || parent || b->owners[found] == b->owner))
            break;
    }
    return i;
}

uint32_t tree_builder_find(const struct tree_builder *b, uint32_t parent, uint32_t function)
{
    return (uint32_t)b->table[slot_of(b, parent, function, NO_NODE, hash_key(parent, function, NO_NODE, b->owner))] - 1;
}

uint32_t tree_builder_node(struct tree_builder *b, uint32_t parent, uint32_t function, uint32_t site)
{
    uint64_t hash = hash_key(parent, function, site, b->owner);
    size_t i = slot_of(b, parent, function, site, hash);
    if (b->table[i])
        return (uint32_t)b->table[i] - 1;
    uint32_t index = tree_builder_append(b, parent, function, site);
    b->table[i] = (hash >> 32 << 32) | (index + 1);
    return index;
}

void tree_warn(struct tree_builder *b, const char *format, ...)
{
    struct call_tree *tree = b->tree;
    if (!ARRAY_ROOM(tree->warnings, tree->warning_count, b->warning_room))
        return;
    va_list args;
    va_start(args, format);
    char *text;
    if (vasprintf(&text, format, args) >= 0)
        tree->warnings[tree->warning_count++] = text;
    va_end(args);
}
