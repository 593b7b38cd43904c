#include "reporters/tree/merge/counting_node.h"

#define NEARLY_ALL     0.99
#define COUNTING_DEPTH 16

uint32_t counting_node_find(const struct tree_builder *b)
{
    for (uint32_t i = 1; b->counting.function && i < b->node_count; i++)
        if (b->nodes[i].function == b->counting.function)
            return i;
    return 0;
}

/* The child of `parent` with the longest raw time; 0: none. *all: of all children. */
static uint32_t longest_child(const struct tree_builder *b, uint32_t parent, double *all)
{
    uint32_t longest = 0;
    *all = 0;
    for (uint32_t i = parent + 1; i < b->node_count; i++) {
        double raw = b->nodes[i].inclusive.raw;
        if (b->nodes[i].parent != parent)
            continue;
        *all += raw;
        if (raw > (longest ? b->nodes[longest].inclusive.raw : 0))
            longest = i;
    }
    return longest;
}

/* The innermost node with nearly all of the time; `node` comes behind it. 0: none. */
static uint32_t find_holder(const struct tree_builder *b, uint32_t node)
{
    double whole, below;
    uint32_t holder = 0, next = longest_child(b, 0, &whole);
    for (int depth = 0; depth < COUNTING_DEPTH && next && next < node; depth++) {
        if (b->nodes[next].inclusive.raw <= NEARLY_ALL * whole)
            break;
        holder = next;
        next = longest_child(b, holder, &below);
    }
    return holder;
}

void counting_node_place(struct tree_builder *b)
{
    uint32_t node = counting_node_find(b), holder = node ? find_holder(b, node) : 0;
    if (!holder)
        return;
    struct tree_node *n = &b->nodes[node];
    const union node_work *work = &b->work[node];
    double cost = n->inclusive.own;
    n->parent = holder;
    n->exclusive.own = cost; /* what it leaves in what contains it */
    b->nodes[holder].inclusive.uncertainty += (double)work->part.own_error + n->exclusive.uncertainty;
    b->work[holder].part.below_variance += (double)work->part.own_variance;
    for (uint32_t i = holder; i; i = b->nodes[i].parent)
        b->nodes[i].inclusive.compensated -= cost;
    b->counting.holder = holder;
}
